"""Whom nginx's words accuse: by line, by name, by trying parts; and at what price."""

import pytest

from headgate.api import Ref
from headgate.model.fileset import Block, File, FileSet, file_of
from headgate.model.outcome import Live, Outcome, Refused
from headgate.nginx import Nginx
from tests.nginx.room.world import CONFIG_MAP, World, applied, ingress
from tests.support.certificates import mismatched, pair

CLASH = "    location /clash { proxy_buffer_size 64k; proxy_buffers 2 4k; proxy_pass http://127.0.0.1:1; }\n"


def blamed(outcome: Outcome) -> list[Ref]:
    assert isinstance(outcome, Refused), outcome
    return [blame.ref for blame in outcome.blamed]


def refs(*names: str) -> list[Ref]:
    return [ingress(name) for name in names]


async def serving(world: World, *names: str) -> Nginx:
    nginx = world.nginx()
    assert isinstance(await nginx.apply(world.files(world.sites(*names))), Live)
    return nginx


async def test_the_line_leads_to_its_owner(world: World) -> None:
    names = [f"site-{n}" for n in range(50)]
    sites = {**world.sites(*names), "site-31": world.site("site-31", "    listen nonsense:x;\n")}
    outcome = await world.nginx().apply(world.files(sites), refs(*names))
    assert blamed(outcome) == refs("site-31")
    assert isinstance(outcome, Refused)
    assert outcome.message.endswith("in conf.d/default-site-31.conf:4")


async def test_several_plain_mistakes_are_named_at_once(world: World) -> None:
    nginx = await serving(world, *(f"site-{n}" for n in range(50)))
    parses = nginx.parses
    bad = {f"bad-{n}": world.site(f"bad-{n}", "    bogus;\n") for n in range(5)}
    good = world.sites("good", *(f"site-{n}" for n in range(50)))
    outcome = await nginx.apply(world.files({**good, **bad}), refs("good", *bad))
    assert sorted(blamed(outcome)) == refs(*bad)
    assert (nginx.parses, nginx.trials) == (parses + 1, 5)
    assert await nginx.apply(world.files(good), refs("good")) == Live(2)


async def test_values_that_clash_in_the_merge_are_found_by_trying(world: World) -> None:
    names = [f"site-{n}" for n in range(20)]
    sites = {**world.sites(*names), "site-13": world.site("site-13", CLASH)}
    nginx = world.nginx()
    outcome = await nginx.apply(world.files(sites), refs(*names))
    assert blamed(outcome) == refs("site-13")
    assert isinstance(outcome, Refused)
    assert outcome.message.startswith('"proxy_busy_buffers_size" must be less than')
    assert nginx.parses == 1


async def test_an_innocent_who_uses_the_same_words_is_not_blamed(world: World) -> None:
    """The message speaks of proxy_buffers, which only the innocent one says; the other says just the size."""
    innocent = world.site("a", "    proxy_buffers 8 8k;\n")
    guilty = world.site("b", "    location /x { proxy_buffer_size 256k; proxy_pass http://127.0.0.1:1; }\n")
    nginx = await serving(world, "a", "b", "c")
    outcome = await nginx.apply(world.files({"a": innocent, "b": guilty, **world.sites("c")}), refs("a", "b"))
    assert blamed(outcome) == refs("b")


async def test_a_clash_with_what_was_accepted_is_the_newcomers_fault(world: World) -> None:
    """nginx points at the later of two duplicates, which here is the one that was accepted long ago."""
    old = world.site("z", outside="upstream shared { server 127.0.0.1:1; }\n")
    nginx = world.nginx()
    assert isinstance(await nginx.apply(world.files({"z": old})), Live)
    new = world.site("a", outside="upstream shared { server 127.0.0.1:2; }\n")
    outcome = await nginx.apply(world.files({"z": old, "a": new, **world.sites("b")}), refs("b", "a"))
    assert blamed(outcome) == refs("a")
    assert isinstance(outcome, Refused)
    assert "default-z.conf" in outcome.message


async def test_a_newcomer_may_lean_on_what_was_accepted(world: World) -> None:
    """Alone it would fail for want of the zone: the trial without the accepted must not accuse it."""
    zone = world.site("old", outside="limit_req_zone $host zone=shared:1m rate=1r/s;\n")
    nginx = world.nginx()
    assert isinstance(await nginx.apply(world.files({"old": zone})), Live)
    leaning = world.site("a", "    limit_req zone=shared;\n")
    guilty = world.site("b", "    limit_req zone=missing;\n")
    outcome = await nginx.apply(world.files({"old": zone, "a": leaning, "b": guilty}), refs("a", "b"))
    assert blamed(outcome) == refs("b")


@pytest.mark.parametrize("spelling", ["$nope", "${nope}", "$NOPE"])
async def test_an_unknown_variable_leads_to_whoever_uses_it(world: World, spelling: str) -> None:
    near = world.site("near", '    set $nope2 ""; add_header X $nope2;\n')
    bad = world.site("bad", f'    add_header X "{spelling}";\n')
    outcome = await world.nginx().apply(world.files({"near": near, "bad": bad}), refs("near", "bad"))
    assert blamed(outcome) == refs("bad")


async def test_a_missing_certificate_file_leads_to_whoever_names_it(world: World) -> None:
    sites = {**world.sites("a", "c"), "b": world.tls("b", "missing")}
    outcome = await world.nginx().apply(world.files(sites), refs("a", "b", "c"))
    assert blamed(outcome) == refs("b")
    assert isinstance(outcome, Refused)
    assert outcome.message.startswith('cannot load certificate "secrets/default-missing"')


async def test_a_pair_that_does_not_match_is_the_secrets_fault(world: World) -> None:
    made, ref = mismatched("b.test"), Ref("Secret", "default", "b")
    key = file_of(Block(ref, made.crt + made.pem_key), source=ref, secret=True)
    files = world.files({"b": world.tls("b")}, beside={"secrets/default-b": key})
    assert blamed(await world.nginx().apply(files, [ref, ingress("b")])) == [ref]


async def test_a_tenant_who_misuses_the_pair_of_another_is_blamed_himself(world: World) -> None:
    made, ref = pair("a.test"), Ref("Secret", "default", "a")
    key = file_of(Block(ref, made.crt), source=ref, secret=True)  # no key in it, and nobody needs one
    nginx = world.nginx()
    client = world.site("a", f"    proxy_ssl_trusted_certificate {world.secret('a')};\n")
    good = world.files({"a": client}, beside={"secrets/default-a": key})
    assert isinstance(await nginx.apply(good), Live)
    bad = world.files({"a": client, "b": world.tls("b", "a")}, beside={"secrets/default-a": key})
    assert blamed(await nginx.apply(bad, refs("b"))) == refs("b")


async def test_a_line_of_the_configmap_in_the_main_file(world: World) -> None:
    nginx = await serving(world, "a")
    files = world.files(world.sites("a", "b"), main=world.main("bogus on;", source=CONFIG_MAP))
    assert blamed(await nginx.apply(files, [CONFIG_MAP, *refs("b")])) == [CONFIG_MAP]


@pytest.mark.parametrize(
    "snippet", ["map $host $x {", "proxy_buffer_size 64k; proxy_buffers 2 4k;", "add_header X $no;"]
)
async def test_a_configmap_that_fails_at_no_line_of_its_own(world: World, snippet: str) -> None:
    nginx = await serving(world, "a")
    files = world.files(world.sites("a", "b"), main=world.main(snippet, source=CONFIG_MAP))
    assert blamed(await nginx.apply(files, [CONFIG_MAP, *refs("b")])) == [CONFIG_MAP]


async def test_a_configmap_that_clashes_with_what_was_accepted(world: World) -> None:
    """A value that is good by itself, and bad with what a tenant said before."""
    tenant = {"a": world.site("a", "    location /x { proxy_buffer_size 8k; proxy_pass http://127.0.0.1:1; }\n")}
    nginx = world.nginx()
    assert isinstance(await nginx.apply(world.files(tenant)), Live)
    main = world.main("proxy_buffers 4 4k;", source=CONFIG_MAP)
    assert blamed(await nginx.apply(world.files(tenant, main=main), [CONFIG_MAP])) == [CONFIG_MAP]


SPREAD = ["    bogus;\n", "    if ($host) {\n", "    }\n", "    add_header X $nope;\n", CLASH]


@pytest.mark.parametrize("snippet", SPREAD)
@pytest.mark.parametrize("cold", [True, False])
async def test_a_bad_snippet_of_the_configmap_in_every_file(world: World, snippet: str, *, cold: bool) -> None:
    """It is one culprit, not as many as there are files, even where nginx points at a tenant's own line."""
    names = [f"site-{n}" for n in range(10)]
    nginx = world.nginx() if cold else await serving(world, *names)
    sites = {name: world.site(name, guests=[Block(CONFIG_MAP, snippet)]) for name in names}
    suspects = [CONFIG_MAP, *refs(*names)] if cold else [CONFIG_MAP]
    assert blamed(await nginx.apply(world.files(sites), suspects)) == [CONFIG_MAP]


async def test_a_bad_tenant_beside_a_good_snippet_of_the_configmap(world: World) -> None:
    guests = [Block(CONFIG_MAP, "    server_tokens off;\n")]
    bodies = {"a": "", "b": "    bogus;\n", "c": CLASH, "d": '    add_header X "$nope";\n', "e": "    if ($host) {\n"}
    sites = {name: world.site(name, body, guests=guests) for name, body in bodies.items()}
    outcome, found = await applied(world.nginx(), world.files(sites), [CONFIG_MAP, *refs(*bodies)])
    assert isinstance(outcome, Live)
    assert sorted(found) == refs("b", "c", "d", "e")


async def test_where_nobody_is_suspect_the_line_decides(world: World) -> None:
    nginx = await serving(world, "a")
    outcome = await nginx.apply(world.files({"a": world.site("a", "    bogus;\n")}), [])
    assert blamed(outcome) == refs("a")


async def test_text_of_our_own_is_nobodys_fault(world: World) -> None:
    nginx = await serving(world, "a")
    outcome = await nginx.apply(world.files(world.sites("a", "b"), main=world.main("bogus;")), refs("b"))
    assert blamed(outcome) == []
    assert isinstance(outcome, Refused)
    assert outcome.message.startswith('unknown directive "bogus" in nginx.conf:')


async def test_words_that_look_like_nginxs_own_accuse_only_their_author(world: World) -> None:
    victim = f"{world.layout.tree}/conf.d/default-a.conf:1"
    nginx = await serving(world, "a")
    forged = f'    "x in {victim}\n2026/11/16 17:10:03 [emerg] {nginx.pid}#{nginx.pid}: y in {victim}\n" on;\n'
    sites = {"a": world.site("a", "    server_tokens off;\n"), "b": world.site("b", forged)}
    assert blamed(await nginx.apply(world.files(sites), refs("a", "b"))) == refs("b")


PLAIN = [
    "bogus;",
    "listen;",
    "return;",
    "location {}",
    "root a b;",
    "}",
    "if (",
    "server_tokens maybe;",
    "{",
    "gzip 7;",
]
PLACELESS = {
    "no-variable": "    add_header X $nope;\n",
    "no-zone": "    limit_req zone=nowhere;\n",
    "no-certificate": "    ssl_certificate /nowhere/x; ssl_certificate_key /nowhere/x; listen unix:/nowhere ssl;\n",
}


def crowd(world: World, *, bad: bool) -> dict[str, File]:
    """Some 200 sites, of which thirteen are bad, each in its own way, spread over the whole."""
    sites = world.sites(*(f"site-{n:03}" for n in range(200)))
    for n, line in enumerate(PLAIN):
        sites[f"site-{n * 20:03}-plain"] = world.site(f"site-{n * 20:03}-plain", f"    {line}\n" if bad else "")
    for n, (name, body) in enumerate(PLACELESS.items()):
        sites[f"site-{n * 70:03}-{name}"] = world.site(f"site-{n * 70:03}-{name}", body if bad else "")
    return sites


def bad_ones(sites: dict[str, File]) -> list[Ref]:
    return refs(*(name for name in sites if name.count("-") > 1))


async def test_thirteen_bad_among_hundreds_at_a_cold_start(world: World) -> None:
    nginx, sites = world.nginx(), crowd(world, bad=True)
    outcome, found = await applied(nginx, world.files(sites), [CONFIG_MAP, *refs(*sites)])
    assert outcome == Live(1)
    assert sorted(found) == sorted(bad_ones(sites))
    assert nginx.parses <= len(found) + 2
    assert (await world.say("site-042")).body == b"site-042"


async def test_thirteen_bad_among_hundreds_in_steady_state_keep_their_accepted_selves(world: World) -> None:
    nginx, good, bad = world.nginx(), crowd(world, bad=False), crowd(world, bad=True)
    accepted: FileSet = world.files(good)
    assert await nginx.apply(accepted) == Live(1)
    parses = nginx.parses
    wanted = world.files({**bad, "new": world.site("new")})
    outcome, found = await applied(nginx, wanted, [*bad_ones(bad), *refs("new")], accepted=accepted.files)
    assert outcome == Live(2)
    assert sorted(found) == sorted(bad_ones(bad))
    assert nginx.parses - parses <= len(found) + 2
    assert await nginx.settled()
    for name in ("new", "site-000-plain", "site-000-no-variable"):
        assert (await world.say(name)).body == name.encode()
