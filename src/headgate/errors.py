"""Failures of the world and of ours. A user's mistake is not here: it is a `Finding`, a value.

HeadgateError
├── Transient            try again with backoff
├── NginxError           NotRunning, NotAnswering
├── Unusable             the process cannot start as it was asked to: one sentence for the operator
└── Bug                  Unprintable, ImpossibleModel: our fault, shout
"""


class HeadgateError(Exception):
    """Everything that Headgate raises on purpose."""


class Transient(HeadgateError):
    """The world said no for now: try again with backoff."""


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
