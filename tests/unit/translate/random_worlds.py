"""Random worlds and random edits of them, from a seed: a few names for everything, so that objects meet, miss and fight each other."""

import random
from functools import cache
from typing import Any

from headgate.api import Ref
from headgate.model.settings import Settings
from tests.support.certificates import Pair, pair
from tests.support.manifests import (
    Manifest,
    configmap,
    endpoints,
    external_name,
    ingress,
    ingress_class,
    path,
    rule,
    service,
    service_port,
    tls_for,
    tls_secret,
    to,
)

SETTINGS = Settings(
    configmap=Ref("ConfigMap", "default", "settings"),
    default_certificate=Ref("Secret", "default", "pair-0"),
    resolver=("192.0.2.53",),
    snippets=True,
)
HOSTS = ["a.test", "b.test", "*.test", ""]
SERVICES = ["web", "tea", "out", "gone"]
ANNOTATIONS = [
    {"nginx.org/proxy-read-timeout": "5s"},
    {"nginx.org/server-snippets": "add_header X-A b;"},
    {"nginx.org/websocket-services": "web"},
    {"nginx.org/hsts": "true"},
    {"nginx.org/hsts": "perhaps"},
    {"nginx.org/rewrites": "serviceName=web rewrite=/x"},
    {"kubernetes.io/ingress.class": "foreign"},
]
SETTINGS_OF_ALL = [
    {"proxy-read-timeout": "7s"},
    {"location-snippets": "add_header X-B c;", "keepalive": "4"},
    {"http2": "false"},
    {"nonsense": "x"},
]


@cache
def _pair(number: int) -> Pair:
    return pair(*(["a.test", "*.test"] if number else ["b.test"]))


class Maker:
    """Objects by the dice; the same seed makes the same objects."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)

    def any_object(self) -> Manifest:
        makers = [self.ingress, self.service, self.slice, self.secret, self.settings, self.ingress_class]
        (make,) = self.dice.choices(makers, weights=[12, 5, 5, 4, 2, 1])
        return make()

    def ingress(self) -> Manifest:
        dice = self.dice
        meta: dict[str, str] = {"created": f"2024-01-0{dice.randint(1, 3)}T00:00:00Z"} if dice.random() < 0.7 else {}
        return ingress(
            f"shop-{dice.randint(0, 4)}",
            *(self._rule() for _ in range(dice.randint(0, 3))),
            annotations=dice.choice(ANNOTATIONS) if dice.random() < 0.6 else None,
            tls=[tls_for(f"pair-{dice.randint(0, 2)}", dice.choice(HOSTS[:3]))] if dice.random() < 0.5 else (),
            default=to(dice.choice(SERVICES)) if dice.random() < 0.3 else None,
            uid=str(dice.randint(0, 2)),
            **meta,
        )

    def _rule(self) -> Manifest:
        # A path is said once, since of two equal ones the first counts; a bad one is rare, since it takes all others along.
        good = self.dice.sample(["/", "/a", "/a/b", "/é"], self.dice.randint(1, 3))
        texts = [*good, "bad"] if self.dice.random() < 0.05 else good
        return rule(self.dice.choice(HOSTS), *(self._path(text) for text in texts))

    def _path(self, text: str) -> Manifest:
        return path(
            text, self.dice.choice(SERVICES), kind=self.dice.choice(["Exact", "Prefix", "ImplementationSpecific"])
        )

    def service(self) -> Manifest:
        name = self.dice.choice(SERVICES[:3])
        if name == "out":
            return external_name("out", self.dice.choice(["one.example.org", "two.example.org", "localhost"]), 80)
        speaks = self.dice.choice(["", "", "https", "grpc"])
        return service(name, service_port(80, target=self.dice.choice([8080, 9090]), speaks=speaks))

    def slice(self) -> Manifest:
        made = (f"10.0.0.{self.dice.randint(1, 5)}" for _ in range(self.dice.randint(1, 2)))
        return endpoints(self.dice.choice(SERVICES[:2]), *made, port=8080, suffix=str(self.dice.randint(1, 2)))

    def secret(self) -> Manifest:
        made = tls_secret(f"pair-{self.dice.randint(0, 1)}", _pair(self.dice.randint(0, 1)))
        return {**made, "data": {"tls.crt": "garbage"}} if self.dice.random() < 0.2 else made

    def settings(self) -> Manifest:
        return configmap("settings", self.dice.choice(SETTINGS_OF_ALL))

    def ingress_class(self) -> Manifest:
        controller = self.dice.choice(["nginx.org/ingress-controller"] * 3 + ["example.com/other"])
        return ingress_class(self.dice.choice(["nginx", "public"]), controller, is_default=self.dice.random() < 0.8)

    def world(self, size: int = 30) -> list[Manifest]:
        """Objects of different names: of two with one name the last is kept."""
        return list({_name(made): made for made in (self.any_object() for _ in range(size))}.values())


def _name(made: Manifest) -> tuple[str, str]:
    return made["kind"], made["metadata"]["name"]


def shuffled(made: Manifest, dice: random.Random) -> Manifest:
    """The same Ingress with its rules and their paths in another order."""
    if made["kind"] != "Ingress" or "rules" not in made["spec"]:
        return made
    rules = [_rule_shuffled(each, dice) for each in made["spec"]["rules"]]
    return {**made, "spec": {**made["spec"], "rules": dice.sample(rules, len(rules))}}


def _rule_shuffled(made: Manifest, dice: random.Random) -> Manifest:
    paths: list[Any] = made["http"]["paths"]
    return {**made, "http": {"paths": dice.sample(paths, len(paths))}}
