"""How objects are named in sentences, and that a Secret keeps its secret."""

import base64

from headgate.api import Ref
from tests.support.manifests import opaque_pair
from tests.unit.worlds import known


def test_a_ref_reads_like_a_name() -> None:
    assert str(Ref("Ingress", "shop", "web")) == "Ingress shop/web"


def test_a_cluster_wide_ref_has_no_namespace_to_read() -> None:
    assert str(Ref("IngressClass", "", "nginx")) == "IngressClass nginx"


def test_refs_are_told_in_the_order_of_kind_namespace_and_name() -> None:
    refs = [Ref("Secret", "a", "a"), Ref("Ingress", "b", "a"), Ref("Ingress", "a", "b"), Ref("Ingress", "a", "a")]
    assert [str(ref) for ref in sorted(refs)] == ["Ingress a/a", "Ingress a/b", "Ingress b/a", "Secret a/a"]


def test_a_secret_shows_its_keys_and_not_its_contents() -> None:
    secret = known(opaque_pair("web", b"the certificate", b"the key itself"))
    assert "tls.key" in repr(secret)
    assert base64.b64encode(b"the key itself").decode() not in repr(secret)
    assert base64.b64encode(b"the key itself").decode() not in f"{[secret]}"
