"""Kubeconfig files: paths in, one merged `Kubeconfig` out. `context` makes an `Access` of it.

Merged as kubectl does: the first file that names a cluster, a user, a context or the current context is believed, and
a later one with the same name is not looked at. Each entry remembers its file, since relative paths are relative to it.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import yaml
from msgspec import Struct, field

from headgate.errors import Unusable


class Cluster(Struct, frozen=True, rename="kebab"):
    server: str = ""
    certificate_authority: str = ""
    certificate_authority_data: str = ""
    proxy_url: str = ""
    tls_server_name: str = ""
    insecure_skip_tls_verify: bool = False


class Variable(Struct, frozen=True):
    name: str
    value: str = ""


class Exec(Struct, frozen=True, rename="camel"):
    command: str
    api_version: str = ""
    args: tuple[str, ...] = ()
    env: tuple[Variable, ...] = ()
    install_hint: str = ""
    provide_cluster_info: bool = False


class User(Struct, frozen=True, rename="kebab"):
    token: str = ""
    token_file: str = field(default="", name="tokenFile")
    client_certificate: str = ""
    client_certificate_data: str = ""
    client_key: str = ""
    client_key_data: str = ""
    username: str = ""
    password: str = ""
    impersonated: str = field(default="", name="as")
    impersonated_groups: tuple[str, ...] = field(default=(), name="as-groups")
    exec: Exec | None = None
    auth_provider: dict[str, Any] | None = None

    def __repr__(self) -> str:
        return "User(…)"


class Context(Struct, frozen=True, rename="kebab"):
    cluster: str = ""
    user: str = ""
    namespace: str = ""


class _NamedCluster(Struct, frozen=True):
    name: str
    cluster: Cluster = Cluster()


class _NamedUser(Struct, frozen=True):
    name: str
    user: User = User()


class _NamedContext(Struct, frozen=True):
    name: str
    context: Context = Context()


class _File(Struct, frozen=True, rename="kebab"):
    current_context: str = ""
    clusters: tuple[_NamedCluster, ...] = ()
    users: tuple[_NamedUser, ...] = ()
    contexts: tuple[_NamedContext, ...] = ()


class Kubeconfig(Struct, frozen=True):
    """Several files as one; each entry beside the file that it stands in."""

    paths: tuple[Path, ...]
    current: str
    clusters: Mapping[str, tuple[Cluster, Path]]
    users: Mapping[str, tuple[User, Path]]
    contexts: Mapping[str, tuple[Context, Path]]


def read_all(paths: Sequence[Path]) -> Kubeconfig:
    """A file that is not there is passed over, as long as one is."""
    files = [(path, _read(path)) for path in paths if path.exists()]
    if not files:
        places = " or ".join(map(str, paths))
        raise Unusable(f"there is no kubeconfig at {places}: write one, or name it with -kubeconfig")
    clusters: dict[str, tuple[Cluster, Path]] = {}
    users: dict[str, tuple[User, Path]] = {}
    contexts: dict[str, tuple[Context, Path]] = {}
    for path, file in reversed(files):
        clusters |= {each.name: (each.cluster, path) for each in file.clusters}
        users |= {each.name: (each.user, path) for each in file.users}
        contexts |= {each.name: (each.context, path) for each in file.contexts}
    current = next((file.current_context for _, file in files if file.current_context), "")
    return Kubeconfig(tuple(path for path, _ in files), current, clusters, users, contexts)


def _read(path: Path) -> _File:
    try:
        raw = yaml.load(path.read_bytes(), yaml.CSafeLoader)
        return msgspec.convert(_without_nulls(raw) or {}, _File)
    except OSError as why:
        raise Unusable(f"{path}: cannot be read: {why.strerror}") from None
    except (yaml.YAMLError, UnicodeError) as why:
        raise Unusable(f"{path}: is not YAML: {_place_of(why)}") from None
    except msgspec.ValidationError as why:
        raise Unusable(f"{path}: is no kubeconfig: {why}") from None


def _place_of(why: Exception) -> str:
    """`line 3: mapping values are not allowed in this context`"""
    if isinstance(why, yaml.MarkedYAMLError) and why.problem_mark is not None:
        return f"line {why.problem_mark.line + 1}: {why.problem}"
    return " ".join(str(why).split())


def _without_nulls(value: Any) -> Any:
    """`users: null` and `namespace:` with nothing behind it are how tools write "none"."""
    if isinstance(value, dict):
        return {key: _without_nulls(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [_without_nulls(inner) for inner in value]
    return value
