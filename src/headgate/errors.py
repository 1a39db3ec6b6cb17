"""Failures of the world and of ours. A user's mistake is not here: it is a `Finding`, a value.

HeadgateError
├── Transient            try again with backoff: ApiUnavailable, TooMany, Gone, Conflict
├── ApiRefusal           the API server understood, and says no: Missing, Forbidden, Unauthorized, Invalid
├── NginxError           NotRunning, NotAnswering
├── Unusable             the process cannot start as it was asked to: one sentence for the operator
└── Bug                  Unprintable, ImpossibleModel: our fault, shout
"""


class HeadgateError(Exception):
    """Everything that Headgate raises on purpose."""


class Transient(HeadgateError):
    """The world said no for now: try again with backoff."""


class ApiUnavailable(Transient):
    """The API server gave no answer, an answer cut short, or one that says that it is unwell."""


class TooMany(Transient):
    """The API server is busy, and says for how many seconds to leave it alone."""

    def __init__(self, message: str, retry_after: float = 1.0) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Gone(Transient):
    """The resource version or the continue token that we came with is too old: list again."""


class Conflict(Transient):
    """Somebody else wrote the object, or made it, before us."""


class ApiRefusal(HeadgateError):
    """The API server understood what was asked, and says no."""


class Missing(ApiRefusal):
    """There is no such object, or no such kind: 404."""


class Forbidden(ApiRefusal):
    """We may not do that: 403."""


class Unauthorized(ApiRefusal):
    """The API server does not know who we are: 401."""


class Invalid(ApiRefusal):
    """What we sent is not to the API server's liking: 400, 422 and their kin."""


class NginxError(HeadgateError):
    """nginx did not do what was asked of it."""


class NotRunning(NginxError):
    """There is no nginx master to talk to."""


class NotAnswering(NginxError):
    """nginx runs, but the version socket says nothing."""


class Unusable(HeadgateError):
    """A flag, a port or a folder that cannot work: the message is the sentence to print."""


class Bug(HeadgateError):
    """Our own mistake. Pinned on the object at hand, so that one tenant never stops another."""


class Unprintable(Bug):
    """A value reached the printer that nginx could read as something else."""


class ImpossibleModel(Bug):
    """The model contradicts itself."""
