"""`Outcome`: what came of asking nginx. Defined here, made by `nginx`, acted upon by `controller`."""

from typing import TypeAlias

from msgspec import Struct

from headgate.api import Ref


class Live(Struct, frozen=True):
    """A worker with this generation answers."""

    generation: int
    reloaded: bool = True


class Blame(Struct, frozen=True):
    """An object that nginx refused, and nginx's own words about it."""

    ref: Ref
    message: str


class Refused(Struct, frozen=True):
    """nginx said no, and goes on with what it had. No blame at all means that the fault is ours."""

    blamed: tuple[Blame, ...]
    message: str


class Unreachable(Struct, frozen=True):
    """No answer in time. nginx may still get there: nothing was undone."""

    message: str


Outcome: TypeAlias = Live | Refused | Unreachable
