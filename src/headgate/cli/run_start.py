"""Before anything runs: the objects that flags name must be there and make sense, or we end with a sentence.

An API server that is away is waited for; one that answers and says no is believed.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

import msgspec
from msgspec import Struct

from headgate.api import IngressClass, Malformed, Ref, Secret
from headgate.api.decode import decode
from headgate.cli.run_flags import RunFlags
from headgate.cluster.kube.client import Client
from headgate.cluster.kube.kinds import path_of
from headgate.cluster.kube.own_pod import uid_of
from headgate.cluster.kube.pauses import Backoff, Pauses
from headgate.errors import Forbidden, Missing, Transient, Unauthorized, Unusable
from headgate.model.certificate import Certificate
from headgate.model.finding import Problem
from headgate.observability.log import tell
from headgate.translate.classes import OUR_CONTROLLER
from headgate.translate.secrets import certificate_of

T = TypeVar("T")


class Named(Struct, frozen=True):
    """What was found of the objects that flags and the environment name."""

    pod_uid: str = ""
    metrics_pair: Certificate | None = None


async def look_up(flags: RunFlags, client: Client, pod: Ref | None) -> Named:
    """Raises `Unusable` for whatever is missing or wrong."""
    pod_uid = await patiently(lambda: uid_of(client, pod), pod) if pod is not None else ""
    await _check_class(client, Ref("IngressClass", "", flags.ingress_class))
    if flags.nginx_configmaps is not None:
        await _text_of(client, flags.nginx_configmaps)
    for secret in (flags.default_server_tls_secret, flags.wildcard_tls_secret):
        if secret is not None:
            await _pair_in(client, secret)
    metrics = flags.prometheus_tls_secret if flags.enable_prometheus_metrics else None
    return Named(pod_uid, await _pair_in(client, metrics) if metrics is not None else None)


async def patiently(ask: Callable[[], Awaitable[T]], about: Ref) -> T:
    """Ask until the API server answers. What is missing or forbidden ends us, since a flag names it."""
    backoff, told = Backoff(Pauses(longest=10.0)), ""
    while True:
        backoff.begin()
        try:
            return await ask()
        except (Transient, Unauthorized) as why:
            if str(why) != told:
                told = str(why)
                tell(f"the API server is not there yet, and is tried again: {why}", logging.WARNING)
            await asyncio.sleep(backoff.pause())
        except Missing:
            raise Unusable(
                f"{about} does not exist: create it, or change the flag or the variable that names it"
            ) from None
        except Forbidden as why:
            raise Unusable(f"{about} may not be read: {why}") from None


async def _text_of(client: Client, ref: Ref) -> bytes:
    return await patiently(lambda: client.get(path_of(ref)), ref)


async def _check_class(client: Client, ref: Ref) -> None:
    found = decode(msgspec.json.decode(await _text_of(client, ref)))
    controller = found.spec.controller if isinstance(found, IngressClass) else ""
    if controller != OUR_CONTROLLER:
        raise Unusable(f"{ref}: its controller is {controller!r}, and must be {OUR_CONTROLLER!r} for -ingress-class")


async def _pair_in(client: Client, ref: Ref) -> Certificate:
    found = decode(msgspec.json.decode(await _text_of(client, ref)))
    if not isinstance(found, Secret | Malformed):
        raise Unusable(f"{ref}: the API server answered with something else than a Secret")
    pair = certificate_of(found)
    if isinstance(pair, Problem):
        raise Unusable(f"{ref}: {pair.field}: {pair.message}")
    return pair
