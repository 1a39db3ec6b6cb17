"""`defaultBackend`: alone, beside rules, and when it leads nowhere."""

from tests.support.manifests import ingress, path, rule, to
from tests.support.site import Site


def test_alone_it_answers_every_host_and_path(site: Site) -> None:
    site.apply(site.echoes("rest"), ingress("rest", default=to("rest")))
    answers = [site.ask(target, host=host) for target, host in (("/", "a.test"), ("/deep/path", "b.test"))]
    assert [answer.backend for answer in answers] == ["rest", "rest"]


def test_beside_rules_it_gets_the_paths_that_no_rule_has(site: Site) -> None:
    site.apply(site.echoes("web", "rest"), ingress("web", rule("web.test", path("/foo", "web")), default=to("rest")))
    assert [site.ask(target, host="web.test").backend for target in ("/foo", "/bar", "/")] == ["web", "rest", "rest"]


def test_beside_an_exact_root_it_gets_everything_but_the_root(site: Site) -> None:
    rules = rule("web.test", path("/", "web", kind="Exact"))
    site.apply(site.echoes("web", "rest"), ingress("web", rules, default=to("rest")))
    assert [site.ask(target, host="web.test").backend for target in ("/", "/other")] == ["web", "rest"]


def test_a_prefix_over_everything_leaves_it_nothing(site: Site) -> None:
    site.apply(site.echoes("web", "rest"), ingress("web", rule("web.test", path("/", "web")), default=to("rest")))
    assert site.ask("/anything", host="web.test").backend == "web"


def test_a_rule_without_paths_sends_its_host_to_it(site: Site) -> None:
    site.apply(site.echoes("rest"), ingress("web", {"host": "web.test"}, default=to("rest")))
    assert site.ask(host="web.test").backend == "rest"


def test_without_one_the_unmatched_path_is_not_found(site: Site) -> None:
    site.apply(site.echoes("web"), ingress("web", rule("web.test", path("/foo", "web"))))
    answer = site.ask("/bar", host="web.test")
    assert (answer.status, answer.reason) == (404, "no-path")


def test_one_without_endpoints_is_a_bad_gateway(site: Site) -> None:
    site.apply(ingress("rest", default=to("nowhere")))
    answer = site.ask(host="any.test")
    assert (answer.status, answer.reason) == (502, "no-endpoints")


def test_a_resource_backend_is_a_finding(site: Site) -> None:
    resource = {"resource": {"apiGroup": "k8s.example.com", "kind": "Bucket", "name": "icons"}}
    site.apply(ingress("icons", default=resource))
    site.says("Ingress", "icons", "defaultBackend", "resource")
    assert site.ask(host="any.test").reason == "no-host"
