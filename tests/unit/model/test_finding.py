"""A finding is one sentence, and findings have an order that does not depend on who noticed first."""

import random

from headgate.api import Ref
from headgate.model.finding import Finding, Severity, order

SHOP = Ref("Ingress", "default", "shop")


def finding(ref: Ref = SHOP, field: str = "", message: str = "it is wrong: write it right") -> Finding:
    return Finding(ref, Severity.ERROR, "Rejected", message, field)


def test_the_sentence_names_object_and_field() -> None:
    said = finding(field="spec.rules[0].host").sentence()
    assert said == "Ingress default/shop: spec.rules[0].host: it is wrong: write it right"


def test_without_a_field_it_names_the_object() -> None:
    assert finding().sentence() == "Ingress default/shop: it is wrong: write it right"


def test_the_order_is_of_objects_then_fields() -> None:
    findings = [
        finding(Ref("Ingress", ns, "a"), field) for ns in ("a", "b") for field in ("", "spec.rules", "spec.tls")
    ]
    shuffled = random.Random(1).sample(findings, len(findings))
    assert sorted(shuffled, key=order) == findings
