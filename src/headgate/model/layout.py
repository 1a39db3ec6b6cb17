"""Where things are on disk: the tree that nginx reads, and the folder of sockets, pid and state beside it."""

from msgspec import Struct


class Layout(Struct, frozen=True, gc=False):
    tree: str = "/etc/nginx"
    run: str = "/var/lib/nginx"
    access_log: str = "/dev/stdout"
    error_log: str = "stderr"
    temp: str = "/var/lib/nginx/tmp"
    modules: tuple[str, ...] = ()  # absolute paths of dynamic modules to load
    user: str | None = None  # whom workers run as, when the master is root

    @property
    def version_socket(self) -> str:
        return f"{self.run}/nginx-config-version.sock"

    @property
    def status_socket(self) -> str:
        return f"{self.run}/nginx-status.sock"

    @property
    def syslog_socket(self) -> str:
        return f"{self.run}/nginx-syslog.sock"

    @property
    def pid_file(self) -> str:
        return f"{self.run}/nginx.pid"

    @property
    def emergency_log(self) -> str:
        return f"{self.run}/emerg.log"
