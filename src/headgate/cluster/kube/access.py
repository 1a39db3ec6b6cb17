"""`Access`: where the API server is and who we are to it. Made by `config`, used by `credentials` and `client`.

It names files rather than holding what is in them wherever the world does so, since they are rewritten while we run.
What is secret in it is not shown when it is printed.
"""

from collections.abc import Mapping

from msgspec import Struct, field


class Plugin(Struct, frozen=True):
    """A program that gives out credentials, as `exec` in a kubeconfig names it."""

    command: str
    version: str  # of the protocol: client.authentication.k8s.io/v1 or /v1beta1
    arguments: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    hint: str = ""  # how to install it
    tells_cluster: bool = False  # whether it wants to know which API server the credentials are for


class Access(Struct, frozen=True):
    server: str
    authority: str = ""  # PEM; without it and without a file, whom the system trusts
    authority_file: str = ""
    certificate: str = ""  # PEM, with its key
    key: str = ""
    certificate_file: str = ""
    key_file: str = ""
    token: str = ""
    token_file: str = ""
    username: str = ""
    password: str = ""
    plugin: Plugin | None = None
    impersonated: str = ""
    impersonated_groups: tuple[str, ...] = ()
    proxy_url: str = ""
    tls_server_name: str = ""
    insecure: bool = False
    namespace: str = ""  # that of the context or of our own Pod

    def __repr__(self) -> str:
        return f"Access(server={self.server!r})"
