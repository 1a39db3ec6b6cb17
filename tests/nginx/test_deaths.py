"""Who may die: nginx, a worker, Headgate, all of them. What clients notice of it should be nothing."""

import os
import signal
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support import kernel, ports
from tests.support.liveness import HOST, Hammer, follows_changes
from tests.support.manifests import behind, route
from tests.support.site import Site
from tests.support.waiting import until


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_an_nginx_that_dies_is_started_again(serving: Site, how: signal.Signals) -> None:
    master = serving.gate.nginx
    os.kill(master, how)
    serving.gate.says("nginx died")
    serving.gate.until(lambda: serving.gate.nginx not in (0, master), what="another nginx")
    serving.gate.until(lambda: serving.ask(host=HOST).backend == "web", what="an answer")
    assert follows_changes(serving)


def test_a_worker_that_dies_is_nothing_to_us(serving: Site) -> None:
    master, victim = serving.gate.nginx, min(serving.gate.workers())
    os.kill(victim, signal.SIGKILL)
    serving.gate.until(lambda: victim not in serving.gate.workers(), what="the end of the worker")
    assert follows_changes(serving)
    assert serving.gate.nginx == master


def test_without_headgate_nginx_goes_on_and_the_next_start_takes_it_over(
    serving: Site, meanwhile: ThreadPoolExecutor
) -> None:
    gate, master, hammer = serving.gate, serving.gate.nginx, Hammer(meanwhile, serving)
    gate.kill()
    assert serving.ask(host=HOST).backend == "web"
    gate.start()
    gate.says("took over")
    assert follows_changes(serving)
    assert gate.nginx == master, "the same nginx, not a new one"
    assert hammer.missed() == []


def test_changes_made_while_nobody_watched_arrive_at_the_next_start(serving: Site) -> None:
    gate = serving.gate
    gate.kill()
    serving.write_unwaited(serving.echoes("web"), route("web", "moved.test", "web"))
    gate.start()
    gate.until(lambda: serving.ask(host="moved.test").backend == "web", what="the change")
    gate.until(lambda: serving.ask(host=HOST).reason == "no-host", what="the end of the old host")


def test_a_kill_in_the_middle_of_a_change_loses_neither_old_nor_new(
    serving: Site, meanwhile: ThreadPoolExecutor
) -> None:
    gate, hammer, generation = serving.gate, Hammer(meanwhile, serving), serving.gate.generation()
    serving.write_unwaited(
        behind("web", serving.backends["web"].port), route("web", HOST, "web"), route("new", "new.test", "web")
    )
    until(lambda: gate.generation() > generation, what="nginx to have taken the change")
    gate.kill()
    gate.start()
    gate.until(lambda: serving.ask(host="new.test").backend == "web", what="the change")
    assert hammer.missed() == []


def test_a_take_over_with_another_port_moves_there(serving: Site) -> None:
    gate = serving.gate
    gate.kill()
    gate.flags += ["--http-port", str(ports.claim())]
    gate.http = int(gate.flags[-1])
    gate.start()
    gate.until(lambda: serving.ask(host=HOST).backend == "web", what="an answer on the new port")


def test_headgate_and_nginx_may_both_be_killed(serving: Site) -> None:
    gate = serving.gate
    gate.kill()
    for pid in kernel.working_in(gate.home):
        os.kill(pid, signal.SIGKILL)
    gate.start()
    assert serving.ask(host=HOST).backend == "web"


def test_a_restart_serves_the_same_at_once(serving: Site) -> None:
    assert serving.gate.stop() == 0
    serving.gate.start()
    assert serving.ask(host=HOST).backend == "web", "the first answer is a complete one"
