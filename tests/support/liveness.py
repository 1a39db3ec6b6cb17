"""Is it alive, and was it all the time? A client that never stops asking, and a change that must answer."""

from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event

from tests.support.manifests import behind, route
from tests.support.site import Site

HOST = "web.test"


class Hammer:
    """Asks again and again, each time on a new connection, and remembers what was not a 200."""

    def __init__(self, pool: ThreadPoolExecutor, site: Site) -> None:
        self._over = Event()
        self._running: Future[list[str]] = pool.submit(self._ask, site)

    def _ask(self, site: Site) -> list[str]:
        wrong = []
        while not self._over.is_set():
            try:
                if (status := site.ask(host=HOST).status) != 200:
                    wrong.append(str(status))
            except OSError as why:
                wrong.append(repr(why))
        return wrong

    def missed(self) -> list[str]:
        self._over.set()
        return self._running.result()


def follows_changes(site: Site) -> bool:
    """Nothing is as sure a sign that Headgate is at work as a change that answers."""
    web = behind("web", site.backends["web"].port)
    site.apply(web, route("web", HOST, "web"), route("more", "more.test", "web"))
    return site.ask(host="more.test").backend == site.ask(host=HOST).backend == "web"
