"""Run a credential plugin (`exec` in a kubeconfig): `Plugin` in, `Issued` credentials out.

The protocol is client.authentication.k8s.io, v1 and v1beta1, which differ in nothing that we use: the question is in
an environment variable, the answer on standard output. How long an answer is good for is for `credentials` to mind.
"""

import asyncio
import os
from datetime import UTC, datetime

import msgspec
from msgspec import Struct

from headgate.cluster.kube.access import Access, Plugin
from headgate.errors import ApiUnavailable, Unusable

PATIENCE = 60.0  # seconds; a plugin may ask a far-away server


class Issued(Struct, frozen=True, rename="camel"):
    token: str = ""
    client_certificate_data: str = ""  # PEM here, not base64
    client_key_data: str = ""
    expiration_timestamp: datetime | None = None

    def __repr__(self) -> str:
        return f"Issued(until={self.expiration_timestamp})"

    def is_over(self, now: datetime | None = None) -> bool:
        return self.expiration_timestamp is not None and (now or datetime.now(UTC)) >= self.expiration_timestamp


class _Answer(Struct, frozen=True, rename="camel"):
    api_version: str = ""
    kind: str = ""
    status: Issued | None = None


async def ask(plugin: Plugin, access: Access) -> Issued:
    said = await _run(plugin, {"KUBERNETES_EXEC_INFO": _question(plugin, access)})
    try:
        answer = msgspec.json.decode(said, type=_Answer)
    except msgspec.MsgspecError as why:
        raise ApiUnavailable(f"the credential plugin {plugin.command} gave no ExecCredential: {why}") from None
    if answer.api_version != plugin.version or answer.kind != "ExecCredential":
        told = f"{answer.kind or 'nothing'} of {answer.api_version or 'no version'}"
        raise ApiUnavailable(f"the credential plugin {plugin.command} answered with {told}, not {plugin.version}")
    issued = answer.status
    if issued is None or not (issued.token or issued.client_certificate_data):
        raise ApiUnavailable(f"the credential plugin {plugin.command} gave neither a token nor a certificate")
    return issued


async def _run(plugin: Plugin, question: dict[str, str]) -> bytes:
    try:
        program = await asyncio.create_subprocess_exec(
            plugin.command,
            *plugin.arguments,
            env={**os.environ, **plugin.environment, **question},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
    except OSError as why:
        hint = f": {plugin.hint.strip()}" if plugin.hint else ""
        raise Unusable(f"the credential plugin {plugin.command} cannot be run ({why.strerror}){hint}") from None
    try:
        said, wrong = await asyncio.wait_for(program.communicate(), PATIENCE)
    except TimeoutError:
        raise ApiUnavailable(f"the credential plugin {plugin.command} gave no answer in {PATIENCE:.0f} s") from None
    finally:
        if program.returncode is None:
            program.kill()
            await program.wait()
    if program.returncode:
        told = wrong.decode(errors="replace").strip()[-500:]
        raise ApiUnavailable(f"the credential plugin {plugin.command} ended with {program.returncode}: {told}")
    return said


def _question(plugin: Plugin, access: Access) -> str:
    spec: dict[str, object] = {"interactive": False}
    if plugin.tells_cluster:
        spec["cluster"] = _told(access)
    return msgspec.json.encode({"apiVersion": plugin.version, "kind": "ExecCredential", "spec": spec}).decode()


def _told(access: Access) -> dict[str, object]:
    told: dict[str, object] = {
        "server": access.server,
        "tls-server-name": access.tls_server_name,
        "insecure-skip-tls-verify": access.insecure,
        "certificate-authority-data": access.authority.encode(),  # bytes are base64 in JSON
        "proxy-url": access.proxy_url,
    }
    return {key: value for key, value in told.items() if value}
