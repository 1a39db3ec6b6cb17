"""How much hostile text: a few thousand values in an ordinary run, as many as `HEADGATE_FUZZ_VALUES` says in `make fuzz`.

An ordinary run tries the same values every time, so that a red build is about the change and not about luck. A long run
starts somewhere new each time. It is cut into parts, which run beside each other, and because Hypothesis remembers every
example of a run.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from secrets import randbits
from typing import TypeVar

import hypothesis
from hypothesis import HealthCheck, Phase

T = TypeVar("T", bound=Callable[..., None])

ORDINARY = 8_000
_LARGEST_PART = 20_000

VALUES = int(os.environ.get("HEADGATE_FUZZ_VALUES", ORDINARY))
IS_LONG = VALUES > ORDINARY

STEADY = hypothesis.settings(
    derandomize=not IS_LONG,
    database=None,
    deadline=None,
    print_blob=True,
    phases=(Phase.explicit, Phase.generate, Phase.shrink),
    suppress_health_check=list(HealthCheck),
)


@dataclass(frozen=True)
class Part:
    """So many values, from a starting point of their own."""

    number: int
    values: int

    def tried(self, *, at_a_time: int) -> Callable[[T], T]:
        """Decorates a test that `given` a list of so many values tries them all."""

        def decorate(test: T) -> T:
            seeded = hypothesis.seed(randbits(64) if IS_LONG else self.number)(test)
            return hypothesis.settings(STEADY, max_examples=ceil(self.values / at_a_time))(seeded)

        return decorate


def parts(share: float) -> list[Part]:
    """This share of all values, in parts."""
    values = ceil(VALUES * share)
    number = ceil(values / _LARGEST_PART)
    return [Part(at, ceil(values / number)) for at in range(number)]
