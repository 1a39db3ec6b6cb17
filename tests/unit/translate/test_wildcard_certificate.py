"""The certificate for hosts whose tls entry names no Secret."""

from headgate.api import Ref
from headgate.model.settings import Settings
from headgate.model.translation import Translation
from headgate.translate import translate
from tests.support.certificates import mismatched, pair
from tests.support.manifests import Manifest, behind, route, tls_secret
from tests.unit.worlds import world

WILDCARD = Ref("Secret", "certificates", "wildcard")
SHOP = [*behind("web", 8080, "10.0.0.1"), route("shop", "a.shop.test", "web", tls=[{"hosts": ["a.shop.test"]}])]


def _translated(*said: Manifest, wildcard: Ref | None = WILDCARD) -> Translation:
    return translate(world(*SHOP, *said), Settings(wildcard_certificate=wildcard))


def _pair_of(translation: Translation) -> Ref | None:
    ((server,),) = (site.servers for site in translation.model.shape.sites)
    assert server.tls is not None
    return server.tls.certificate


def test_it_serves_hosts_of_every_namespace() -> None:
    made = _translated(tls_secret("wildcard", pair("*.shop.test"), namespace="certificates"))
    assert _pair_of(made) == WILDCARD
    assert WILDCARD in made.model.shape.certificates
    assert made.findings == ()


def test_without_the_flag_handshakes_are_refused() -> None:
    made = _translated(wildcard=None)
    assert _pair_of(made) is None
    assert "names no Secret" in made.findings[0].message


def test_a_missing_one_is_told_by_name() -> None:
    made = _translated()
    assert _pair_of(made) is None
    assert "Secret certificates/wildcard does not exist" in made.findings[0].message


def test_one_that_is_no_pair_is_rejected() -> None:
    made = _translated(tls_secret("wildcard", mismatched("*.shop.test"), namespace="certificates"))
    assert _pair_of(made) is None
    assert WILDCARD in made.rejected
