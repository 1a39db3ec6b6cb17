"""A Kubernetes API server as the source of objects: list and watch in, the store followed; statuses and events out.

`config` finds out how to reach it, `client` speaks to it, a `reflector` follows one kind, `source` all of them.
`lease` elects who may write, and `writer` writes. Nothing in here decides what is written.
"""
