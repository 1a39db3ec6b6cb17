"""How late the event loop wakes up: probes and the leader's lease live on it, so this is worth knowing."""

import asyncio
import time

from headgate.observability.metrics import Metrics

PERIOD = 0.25


async def measure_lag(metrics: Metrics) -> None:
    """Runs until cancelled."""
    while True:
        asleep = time.monotonic()
        await asyncio.sleep(PERIOD)
        metrics.own.lag.observe(max(0.0, time.monotonic() - asleep - PERIOD))
