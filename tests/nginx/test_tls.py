"""TLS: pairs of every kind, which host shows which certificate, and what happens when one is bad, gone or renewed."""

import ssl
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from tests.nginx.conftest import Serve
from tests.support import certificates, client
from tests.support.backends import Backends
from tests.support.certificates import KeyKind, Pair, base64_text
from tests.support.manifests import Manifest, ingress, opaque_pair, path, route, rule, tls_for, tls_secret
from tests.support.site import Site

HOST = "secure.test"


def _secured(host: str = HOST, secret: str = "pair", name: str = "secure") -> Manifest:
    return route(name, host, "web", tls=[tls_for(secret, host)])


def _serial(site: Site, name: str | None = HOST) -> int:
    return client.handshake(site.gate.https, name).serial_number


def _is_refused(site: Site, name: str | None = HOST) -> bool:
    return client.is_refused(site.gate.https, name)


@pytest.mark.parametrize("kind", ["rsa", "ec", "ed25519"])
def test_a_pair_of_every_kind_of_key_is_served(site: Site, kind: KeyKind) -> None:
    site.apply(site.echoes("web"), _secured(), tls_secret("pair", certificates.pair(HOST, kind=kind)))
    assert site.ask_tls(host=HOST).backend == "web"


@pytest.mark.parametrize("kind", ["rsa", "ec"])
def test_a_key_in_the_older_form_is_served(site: Site, kind: KeyKind) -> None:
    pair = certificates.pair(HOST, kind=kind)
    secret = opaque_pair("pair", pair.crt.encode(), pair.traditional_pem_key.encode())
    site.apply(site.echoes("web"), _secured(), secret)
    assert _serial(site) == pair.serial


def test_a_chain_is_shown_whole(site: Site) -> None:
    """The client knows the root only, so it must be given the certificate between."""
    site.apply(site.echoes("web"), _secured(), tls_secret("pair", certificates.chained(HOST)))
    assert site.ask_tls(host=HOST).status == 200


def test_a_chain_in_the_wrong_order_still_has_its_leaf_shown(site: Site) -> None:
    pair = certificates.chained(HOST)
    blocks = [block + "-----END CERTIFICATE-----\n" for block in pair.crt.split("-----END CERTIFICATE-----\n") if block]
    secret = opaque_pair("pair", "".join(reversed(blocks)).encode(), pair.pem_key.encode())
    site.apply(site.echoes("web"), _secured(), secret)
    assert site.ask_tls(host=HOST).status == 200


def _der(pair: Pair) -> Manifest:
    """What `kubectl create secret generic --from-file=tls.crt=cert.der` makes."""
    return opaque_pair("pair", pair.der, pair.der_key)


def _base64_of_der(pair: Pair) -> Manifest:
    """Base64 text that was taken for the file itself."""
    return opaque_pair("pair", base64_text(pair.der).encode(), base64_text(pair.der_key).encode())


def _pasted(pair: Pair) -> Manifest:
    made = opaque_pair("pair", b"", b"")
    del made["data"]
    return {**made, "stringData": {"tls.crt": base64_text(pair.der), "tls.key": base64_text(pair.der_key)}}


def _pem_as_text(pair: Pair) -> Manifest:
    made = opaque_pair("pair", b"", b"")
    del made["data"]
    return {**made, "stringData": {"tls.crt": pair.crt, "tls.key": pair.pem_key}}


@pytest.mark.parametrize("spelled", [_der, _base64_of_der, _pasted, _pem_as_text])
def test_a_pair_is_read_however_it_was_put_into_the_secret(site: Site, spelled: Callable[[Pair], Manifest]) -> None:
    pair = certificates.pair(HOST)
    site.apply(site.echoes("web"), _secured(), spelled(pair))
    assert _serial(site) == pair.serial


def test_each_host_shows_its_own_certificate(site: Site) -> None:
    one, two = certificates.pair("one.test"), certificates.pair("two.test", "three.test")
    site.apply(
        site.echoes("web"),
        ingress(
            "web",
            *(rule(host, path("/", "web")) for host in ("one.test", "two.test", "three.test")),
            tls=[tls_for("one", "one.test"), tls_for("two", "two.test", "three.test")],
        ),
        tls_secret("one", one),
        tls_secret("two", two),
    )
    shown = [_serial(site, name) for name in ("one.test", "two.test", "three.test")]
    assert shown == [one.serial, two.serial, two.serial]


def test_a_wildcard_certificate_serves_several_hosts(site: Site) -> None:
    site.apply(
        site.echoes("web"),
        ingress(
            "web",
            rule("a.wild.test", path("/", "web")),
            rule("b.wild.test", path("/", "web")),
            tls=[tls_for("wild", "a.wild.test", "b.wild.test")],
        ),
        tls_secret("wild", certificates.pair("*.wild.test")),
    )
    assert [site.ask_tls(host=host).status for host in ("a.wild.test", "b.wild.test")] == [200, 200]


def test_a_wildcard_host_has_tls_for_one_label(site: Site) -> None:
    site.apply(
        site.echoes("web"), _secured("*.wild.test", "wild"), tls_secret("wild", certificates.pair("*.wild.test"))
    )
    assert site.ask_tls(host="any.wild.test").backend == "web"
    assert _is_refused(site, "too.deep.wild.test")


def test_a_host_outside_tls_stays_plain(site: Site) -> None:
    site.apply(
        site.echoes("web"),
        ingress("web", rule(HOST, path("/", "web")), rule("plain.test", path("/", "web")), tls=[tls_for("pair", HOST)]),
        tls_secret("pair", certificates.pair(HOST)),
    )
    assert site.ask(host="plain.test").backend == "web"
    assert _is_refused(site, "plain.test")


def test_plain_requests_to_a_tls_host_are_redirected(site: Site) -> None:
    site.apply(site.echoes("web"), _secured(), tls_secret("pair", certificates.pair(HOST)))
    answer = site.ask("/some/path?and=query", host=HOST)
    assert answer.status == 301
    assert answer.header("Location") == f"https://{HOST}:{site.gate.https}/some/path?and=query"
    assert answer.reason is None, "a redirect is no error"


def test_a_missing_secret_refuses_that_host_and_no_other(site: Site) -> None:
    site.apply(
        site.echoes("web"),
        _secured(),
        _secured("other.test", "other", "other"),
        tls_secret("other", certificates.pair("other.test")),
    )
    assert _is_refused(site)
    assert site.ask_tls(host="other.test").backend == "web"
    assert site.ask(host=HOST).status == 301, "plain requests are still sent to where TLS will be"
    site.says("Ingress", "secure", "Secret", "pair", "does not exist")


def test_a_secret_that_appears_is_served(site: Site) -> None:
    web = site.echoes("web")
    site.apply(web, _secured())
    assert _is_refused(site)
    site.apply(web, _secured(), tls_secret("pair", certificates.pair(HOST)))
    assert site.ask_tls(host=HOST).backend == "web"


def test_a_secret_that_is_deleted_refuses_its_host(site: Site) -> None:
    web = site.echoes("web")
    site.apply(web, _secured(), tls_secret("pair", certificates.pair(HOST)))
    site.apply(web, _secured())
    assert _is_refused(site)


BAD = {
    "a key of somebody else": lambda: tls_secret("pair", certificates.mismatched(HOST)),
    "garbage": lambda: opaque_pair("pair", b"garbage", b"garbage"),
    "an empty certificate": lambda: opaque_pair("pair", b"", certificates.pair(HOST).pem_key.encode()),
    "a certificate cut in half": lambda: opaque_pair(
        "pair", certificates.pair(HOST).crt[:300].encode(), certificates.pair(HOST).pem_key.encode()
    ),
    "two certificates and no key": lambda: opaque_pair(
        "pair", certificates.pair(HOST).crt.encode(), certificates.pair(HOST).crt.encode()
    ),
}


@pytest.mark.parametrize("what", BAD)
def test_a_pair_that_was_never_valid_refuses_that_host_and_no_other(site: Site, what: str) -> None:
    site.apply(site.echoes("web"), _secured(), BAD[what](), route("plain", "plain.test", "web"))
    assert _is_refused(site)
    assert site.ask(host="plain.test").backend == "web"
    site.says("Secret", "pair", "tls.")


@pytest.mark.parametrize("what", BAD)
def test_a_pair_that_turns_bad_leaves_the_old_one_serving(site: Site, what: str) -> None:
    web, good = site.echoes("web"), certificates.pair(HOST)
    site.apply(web, _secured(), tls_secret("pair", good))
    site.apply(web, _secured(), BAD[what]())
    assert _serial(site) == good.serial
    site.says("Secret", "pair", "tls.")


def test_a_bad_pair_that_is_mended_is_served(site: Site) -> None:
    web = site.echoes("web")
    site.apply(web, _secured(), opaque_pair("pair", b"garbage", b"garbage"))
    mended = certificates.pair(HOST)
    site.apply(web, _secured(), tls_secret("pair", mended))
    assert _serial(site) == mended.serial


def test_an_expired_certificate_is_served_with_a_warning(site: Site) -> None:
    pair = certificates.pair(HOST, expired=True)
    site.apply(site.echoes("web"), _secured(), tls_secret("pair", pair))
    assert _serial(site) == pair.serial
    site.says("Secret", "pair", "expired")


def test_a_certificate_for_another_name_is_served_with_a_warning(site: Site) -> None:
    pair = certificates.pair("elsewhere.test")
    site.apply(site.echoes("web"), _secured(), tls_secret("pair", pair))
    assert _serial(site) == pair.serial
    site.says("Ingress", "secure", "elsewhere.test")


def test_rotation_while_serving_loses_no_request(site: Site, meanwhile: ThreadPoolExecutor) -> None:
    web, over = site.echoes("web"), Event()
    site.apply(web, _secured(), tls_secret("pair", certificates.pair(HOST)))

    def hammer() -> set[int]:
        seen = set()
        while not over.is_set():
            seen.add(site.ask_tls(host=HOST).status)
        return seen

    hammering = meanwhile.submit(hammer)
    for _ in range(2):
        renewed = certificates.pair(HOST)
        site.apply(web, _secured(), tls_secret("pair", renewed))
        assert _serial(site) == renewed.serial
    over.set()
    assert hammering.result() == {200}


@pytest.mark.parametrize("name", ["unknown.test", None])
def test_unknown_names_are_refused(site: Site, name: str | None) -> None:
    site.apply(site.echoes("web"), _secured(), tls_secret("pair", certificates.pair(HOST)))
    assert _is_refused(site, name)


def test_a_default_certificate_is_shown_to_unknown_names(serve: Serve, backends: Backends) -> None:
    gate = serve("--default-server-tls-secret", "shared/fallback").start()
    site, fallback = Site(gate, backends), certificates.pair("fallback.test", "unknown.test")
    own = certificates.pair(HOST)
    site.apply(
        site.echoes("web"),
        _secured(),
        tls_secret("pair", own),
        tls_secret("fallback", fallback, namespace="shared"),
    )
    assert [_serial(site, name) for name in ("unknown.test", None, HOST)] == [
        fallback.serial,
        fallback.serial,
        own.serial,
    ]
    answer = site.ask_tls(host="unknown.test")
    assert (answer.status, answer.reason) == (404, "no-host")


def test_a_default_certificate_that_is_missing_refuses_unknown_names(serve: Serve, backends: Backends) -> None:
    site = Site(serve("--default-server-tls-secret", "shared/fallback").start(), backends)
    site.apply(site.echoes("web"), _secured(), tls_secret("pair", certificates.pair(HOST)))
    assert _is_refused(site, "unknown.test")
    assert site.ask_tls(host=HOST).backend == "web"
    site.gate.says("Secret shared/fallback", "does not exist")


def test_the_last_tls_entry_that_lists_a_host_counts(site: Site) -> None:
    first, last = certificates.pair(HOST), certificates.pair(HOST)
    both = route("secure", HOST, "web", tls=[tls_for("first", HOST), tls_for("last", HOST)])
    site.apply(site.echoes("web"), both, tls_secret("first", first), tls_secret("last", last))
    assert _serial(site) == last.serial


def test_a_secret_of_another_namespace_is_not_used(site: Site) -> None:
    site.apply(site.echoes("web"), _secured(), tls_secret("pair", certificates.pair(HOST), namespace="elsewhere"))
    assert _is_refused(site)


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_both_current_versions_of_tls_are_spoken(site: Site, version: ssl.TLSVersion) -> None:
    site.apply(site.echoes("web"), _secured(), tls_secret("pair", certificates.pair(HOST)))
    context = ssl.create_default_context(cadata=certificates.authority().crt)
    context.minimum_version = context.maximum_version = version
    with client.line(site.gate.https, tls=HOST, context=context) as line:
        assert line.ask(host=HOST).status == 200
