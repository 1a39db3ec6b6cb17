"""`headgate run` as a whole: a process of its own, a real API server, a real nginx, and requests that pods answer."""
