"""When certificates of served hosts run out: the first, how many soon, and only so many by name."""

import time

from prometheus_client import CollectorRegistry

from headgate.model.settings import Settings
from headgate.model.shape import Model
from headgate.observability.certificates import MOST_HOSTS, Certificates
from headgate.translate import translate
from tests.support.certificates import Pair, pair
from tests.support.manifests import Manifest, behind, ingress, path, rule, tls_for, tls_secret
from tests.unit.worlds import world

WEB = behind("web", 8080, "10.0.0.1")


def served(pairs: dict[str, Pair]) -> Model:
    """A host for each pair."""
    objects: list[Manifest] = []
    for number, (host, made) in enumerate(pairs.items()):
        objects.append(tls_secret(f"pair-{number}", made))
        objects.append(ingress(f"i{number}", rule(host, path("/", "web")), tls=[tls_for(f"pair-{number}", host)]))
    return translate(world(*WEB, *objects), Settings()).model


def samples(model: Model | None) -> dict[tuple[str, str], float]:
    registry, made = CollectorRegistry(), Certificates()
    registry.register(made)
    made.model = model
    return {
        (sample.name.removeprefix("headgate_certificate_"), "".join(sample.labels.values())): sample.value
        for family in registry.collect()
        for sample in family.samples
    }


def test_nothing_is_served() -> None:
    for model in (None, served({})):
        found = samples(model)
        assert found["earliest_expiry_timestamp_seconds", ""] == 0
        assert found["hosts", "any"] == 0


def test_the_first_to_run_out_and_how_many_soon() -> None:
    found = samples(served({"old.test": pair("old.test", expired=True), "*.new.test": pair("*.new.test")}))
    now = time.time()
    assert found["earliest_expiry_timestamp_seconds", ""] == found["expiry_timestamp_seconds", "old.test"] < now
    assert found["expiry_timestamp_seconds", "*.new.test"] > now
    assert [found["hosts", within] for within in ("0d", "7d", "30d", "any")] == [1, 1, 2, 2]


def test_only_the_first_hosts_are_named() -> None:
    shared = pair("*.shop.test")
    hosts = [f"h{number}.shop.test" for number in range(MOST_HOSTS + 20)]
    found = samples(served(dict.fromkeys(hosts, shared)))
    assert found["hosts", "any"] == len(hosts)
    assert len([key for key in found if key[0] == "expiry_timestamp_seconds"]) == MOST_HOSTS
