"""`FileSet` → `Outcome`: the tree on disk, the master, its answers. Touches disk, sockets and nginx itself."""

from headgate.nginx.apply import Nginx
from headgate.nginx.capabilities import Binary, examine
from headgate.nginx.ground import ports_free, worker_user

__all__ = ["Binary", "Nginx", "examine", "ports_free", "worker_user"]
