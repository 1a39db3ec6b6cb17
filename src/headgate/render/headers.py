"""The headers that a backend gets. A level that sets one header drops all that it would have inherited, so sets are computed whole.

Data in, data out: (name, value) pairs for a template to print.
"""

from headgate.model.values import Expression, Header

Setting = tuple[str, Expression | str]

UPGRADE: tuple[Setting, ...] = (
    ("Upgrade", Expression("$headgate_upgrade")),
    ("Connection", Expression("$headgate_connection")),
)
_KEPT_ALIVE: tuple[Setting, ...] = (("Connection", ""),)


def _standard(*, forwarded_tls: bool) -> tuple[Setting, ...]:
    return (
        ("Host", Expression("$host")),
        ("X-Real-IP", Expression("$remote_addr")),
        ("X-Forwarded-For", Expression("$proxy_add_x_forwarded_for")),
        ("X-Forwarded-Host", Expression("$host")),
        ("X-Forwarded-Port", Expression("$server_port")),
        ("X-Forwarded-Proto", "https" if forwarded_tls else Expression("$scheme")),
    )


def sent(
    set_headers: tuple[Header, ...] | None, *, forwarded_tls: bool = False, websocket: bool = False
) -> tuple[Setting, ...]:
    """Everything that is sent: what the user set, and of the usual ones those that the user did not."""
    own: dict[str, Setting] = {}
    for header in set_headers or ():
        own[header.name.lower()] = (header.name, _value(header))
    usual = _standard(forwarded_tls=forwarded_tls) + (UPGRADE if websocket else _KEPT_ALIVE)
    return (*own.values(), *(setting for setting in usual if setting[0].lower() not in own))


def sent_grpc(*, forwarded_tls: bool = False) -> tuple[Setting, ...]:
    return _standard(forwarded_tls=forwarded_tls)


def _value(header: Header) -> Expression | str:
    if header.value is None:
        return Expression("$http_" + header.name.lower().replace("-", "_"))
    return header.value
