"""How to reach the API server: as a Pod, by kubeconfig files as kubectl reads them, through a proxy; and what is said of broken ones."""

import base64
from pathlib import Path
from typing import Any

import pytest
import yaml

from headgate.cluster.kube.access import Access, Plugin
from headgate.cluster.kube.config import from_kubeconfig, in_cluster, kubeconfig_paths, through_proxy
from headgate.errors import Unusable

POD = {"KUBERNETES_SERVICE_HOST": "10.0.0.1", "KUBERNETES_SERVICE_PORT": "443"}


def base64_of(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def config(**more: Any) -> dict[str, Any]:
    """The smallest kubeconfig; `cluster` and `user` lay over it."""
    cluster = {"server": "https://api.example.com:6443", **more.pop("cluster", {})}
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "here", "cluster": cluster}],
        "users": [{"name": "me", "user": more.pop("user", {"token": "abc"})}],
        "contexts": [{"name": "work", "context": {"cluster": "here", "user": "me", "namespace": "shop"}}],
        "current-context": "work",
        **more,
    }


def written(folder: Path, content: object, name: str = "config") -> Path:
    file = folder / name
    file.write_text(content if isinstance(content, str) else yaml.safe_dump(content))
    return file


def read(folder: Path, content: object, context: str | None = None) -> Access:
    return from_kubeconfig([written(folder, content)], context, environment={})


@pytest.fixture
def mounted(tmp_path: Path) -> Path:
    for name, text in (("token", "abc"), ("ca.crt", "PEM"), ("namespace", "ingress\n")):
        (tmp_path / name).write_text(text)
    return tmp_path


def test_a_pod_uses_what_is_mounted(mounted: Path) -> None:
    access = in_cluster(mounted, POD)
    assert access.server == "https://10.0.0.1:443"
    assert (access.token_file, access.authority_file) == (str(mounted / "token"), str(mounted / "ca.crt"))
    assert access.namespace == "ingress"
    assert access.token == ""  # it rotates: the file counts


def test_an_address_of_the_newer_kind_is_bracketed(mounted: Path) -> None:
    assert in_cluster(mounted, {**POD, "KUBERNETES_SERVICE_HOST": "fd00::1"}).server == "https://[fd00::1]:443"


@pytest.mark.parametrize("environment", [{}, {"KUBERNETES_SERVICE_HOST": "10.0.0.1"}])
def test_outside_a_pod_one_is_told_what_to_do(mounted: Path, environment: dict[str, str]) -> None:
    with pytest.raises(Unusable, match="name a kubeconfig with -kubeconfig"):
        in_cluster(mounted, environment)


def test_a_pod_without_a_token_is_told(tmp_path: Path) -> None:
    with pytest.raises(Unusable, match="token are needed"):
        in_cluster(tmp_path, POD)


def test_a_context_says_where_and_as_whom(tmp_path: Path) -> None:
    access = read(tmp_path, config())
    assert (access.server, access.token, access.namespace) == ("https://api.example.com:6443", "abc", "shop")


def test_another_context_than_the_current_one(tmp_path: Path) -> None:
    other = {"name": "home", "context": {"cluster": "here", "user": "me", "namespace": "garden"}}
    content = config()
    content["contexts"].append(other)
    assert read(tmp_path, content, "home").namespace == "garden"


def test_paths_are_relative_to_the_file_that_names_them(tmp_path: Path) -> None:
    user = {"client-certificate": "me.crt", "client-key": "/keys/me.key", "tokenFile": "sub/token"}
    access = read(tmp_path, config(cluster={"certificate-authority": "ca.crt"}, user=user))
    assert access.authority_file == str(tmp_path / "ca.crt")
    assert (access.certificate_file, access.key_file) == (str(tmp_path / "me.crt"), "/keys/me.key")
    assert access.token_file == str(tmp_path / "sub" / "token")


def test_what_stands_in_the_file_itself_is_taken(tmp_path: Path) -> None:
    user = {"client-certificate-data": base64_of("CRT"), "client-key-data": base64_of("KEY")}
    access = read(tmp_path, config(cluster={"certificate-authority-data": base64_of("CA")}, user=user))
    assert (access.authority, access.certificate, access.key) == ("CA", "CRT", "KEY")


def test_the_rest_of_what_a_cluster_may_say(tmp_path: Path) -> None:
    cluster = {"proxy-url": "http://proxy:3128", "tls-server-name": "kubernetes", "insecure-skip-tls-verify": True}
    access = read(tmp_path, config(cluster=cluster))
    assert (access.proxy_url, access.tls_server_name, access.insecure) == ("http://proxy:3128", "kubernetes", True)


def test_acting_as_somebody_else(tmp_path: Path) -> None:
    access = read(tmp_path, config(user={"token": "abc", "as": "jane", "as-groups": ["tea", "cake"]}))
    assert (access.impersonated, access.impersonated_groups) == ("jane", ("tea", "cake"))


def test_a_credential_plugin(tmp_path: Path) -> None:
    plugin = {
        "apiVersion": "client.authentication.k8s.io/v1",
        "command": "bin/login",
        "args": ["--now"],
        "env": [{"name": "REGION", "value": "north"}],
        "installHint": "get it",
        "provideClusterInfo": True,
        "interactiveMode": "Never",
    }
    assert read(tmp_path, config(user={"exec": plugin})).plugin == Plugin(
        str(tmp_path / "bin" / "login"),
        "client.authentication.k8s.io/v1",
        ("--now",),
        {"REGION": "north"},
        hint="get it",
        tells_cluster=True,
    )


def test_a_plugin_without_a_slash_is_looked_for_on_the_path(tmp_path: Path) -> None:
    plugin = {"apiVersion": "client.authentication.k8s.io/v1beta1", "command": "aws", "args": None, "env": None}
    made = read(tmp_path, config(user={"exec": plugin})).plugin
    assert made is not None
    assert made.command == "aws"


def test_of_several_files_the_first_that_names_something_counts(tmp_path: Path) -> None:
    first = written(tmp_path, config(clusters=[], contexts=[], user={"token": "first"}), "first")
    second = written(tmp_path, {**config(user={"token": "second"}), "current-context": "nowhere"}, "second")
    access = from_kubeconfig([first, tmp_path / "not-there", second], environment={})
    assert (access.token, access.server) == ("first", "https://api.example.com:6443")


def test_nothing_is_merged_into_an_entry_that_is_there(tmp_path: Path) -> None:
    first = written(tmp_path, config(user={"username": "me", "password": "secret"}), "first")
    second = written(tmp_path, config(user={"token": "second"}), "second")
    assert from_kubeconfig([first, second], environment={}).token == ""


def test_which_files_are_read() -> None:
    assert kubeconfig_paths("here", {"KUBECONFIG": "there"}) == (Path("here"),)
    assert kubeconfig_paths("", {"KUBECONFIG": "one:two::one"}) == (Path("one"), Path("two"))
    assert kubeconfig_paths("", {}) == (Path.home() / ".kube" / "config",)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("kind: Config\nusers: me: too\n", "is not YAML: line 2: mapping values are not allowed"),
        (b"\xff\xfe\x00\xd8".decode("latin-1"), "is no"),
        ("just words", "is no kubeconfig"),
        ({"clusters": "none"}, "is no kubeconfig: .*clusters"),
        (config(**{"current-context": ""}), "there is no current-context: set one, or name it with -context"),
        (config(**{"current-context": "elsewhere"}), "no context 'elsewhere'; there are: work"),
        (config(clusters=[]), "context 'work' names a cluster that is not there; there are: none"),
        (config(users=[]), "context 'work' names a user that is not there"),
        (config(cluster={"server": ""}), "server '': write an address such as https://"),
        (config(cluster={"server": "api.example.com"}), "write an address such as https://"),
        (config(cluster={"certificate-authority-data": "***"}), "certificate-authority-data is not the base64 of PEM"),
        (config(cluster={"certificate-authority": "x", "insecure-skip-tls-verify": True}), "exclude each other"),
        (config(cluster={"proxy-url": "socks5://proxy"}), "only http and https proxies"),
        (config(user={"client-certificate": "me.crt"}), "a client certificate and its key go together"),
        (config(user={"auth-provider": {"name": "gcp"}}), "auth-provider is gone from Kubernetes since 1.26"),
        (config(user={"exec": {"command": "x", "apiVersion": "v9"}}), "exec.apiVersion 'v9': write client.auth"),
    ],
)
def test_a_broken_file_is_said_in_a_sentence(tmp_path: Path, content: object, sentence: str) -> None:
    with pytest.raises(Unusable, match=sentence) as why:
        read(tmp_path, content)
    assert str(tmp_path / "config") in str(why.value)


def test_no_file_at_all(tmp_path: Path) -> None:
    with pytest.raises(Unusable, match=r"there is no kubeconfig at .*one or .*two"):
        from_kubeconfig([tmp_path / "one", tmp_path / "two"])


def test_lists_that_tools_write_as_null_are_empty(tmp_path: Path) -> None:
    content = config()
    content["users"], content["preferences"] = None, {}
    content["contexts"][0]["context"]["user"] = None
    assert read(tmp_path, content).token == ""


def test_a_kubectl_proxy_needs_nothing_to_prove() -> None:
    assert through_proxy("http://127.0.0.1:8001/") == Access(server="http://127.0.0.1:8001")
    with pytest.raises(Unusable, match="such as http://127"):
        through_proxy("127.0.0.1:8001")


@pytest.mark.parametrize(
    ("environment", "proxy"),
    [
        ({"HTTPS_PROXY": "http://proxy:3128"}, "http://proxy:3128"),
        ({"https_proxy": "proxy:3128"}, "http://proxy:3128"),
        ({"HTTP_PROXY": "http://proxy:3128"}, ""),
        ({"HTTPS_PROXY": "http://proxy:3128", "NO_PROXY": "10.0.0.0/8"}, ""),
        ({"HTTPS_PROXY": "http://proxy:3128", "NO_PROXY": "other, 10.0.0.1"}, ""),
        ({"HTTPS_PROXY": "http://proxy:3128", "NO_PROXY": "*"}, ""),
        ({"HTTPS_PROXY": "http://proxy:3128", "NO_PROXY": "192.168.0.0/16"}, "http://proxy:3128"),
    ],
)
def test_the_proxy_of_the_environment(mounted: Path, environment: dict[str, str], proxy: str) -> None:
    assert in_cluster(mounted, {**POD, **environment}).proxy_url == proxy


def test_names_below_an_excepted_one_are_excepted(tmp_path: Path) -> None:
    file = written(tmp_path, config())
    environment = {"HTTPS_PROXY": "http://proxy:3128", "NO_PROXY": ".example.com"}
    assert from_kubeconfig([file], environment=environment).proxy_url == ""
    environment["NO_PROXY"] = "ample.com"
    assert from_kubeconfig([file], environment=environment).proxy_url == "http://proxy:3128"


def test_printing_it_shows_no_secret(tmp_path: Path) -> None:
    assert "abc" not in repr(read(tmp_path, config()))
