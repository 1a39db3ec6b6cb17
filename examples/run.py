"""Serve one example on this machine: a folder name in, backends and `headgate serve` running until Ctrl-C out.

What is printed to try is the first shell block of the example's README.md, with the ports that were free: the page and
the program cannot disagree. `make run` calls this.

    python examples/run.py reports
"""

import asyncio
import re
import signal
import socket
import sys
from asyncio.subprocess import Process
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from backends import Backend, serving

HERE = Path(__file__).parent
ADDRESS = "127.0.0.1"
WRITTEN_HTTP, WRITTEN_HTTPS = 8080, 8443  # the ports as the README files say them


class Ports(NamedTuple):
    http: int
    https: int


def free_ports() -> Ports:
    """The usual ports, or for each that is taken the next one that is free."""
    http = next(_free_from(WRITTEN_HTTP))
    https = next(port for port in _free_from(WRITTEN_HTTPS) if port != http)
    return Ports(http, https)


def _free_from(first: int) -> Iterator[int]:
    return (port for port in range(first, first + 1000) if _is_free(port))


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((ADDRESS, port))
        except OSError:
            return False
    return True


def worth_trying(folder: Path, ports: Ports) -> str:
    """The commands of the example's README, with the ports at hand."""
    found = re.search(
        r"^```sh\n(.*?)^```", (folder / "README.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    commands = found[1] if found else ""
    return commands.replace(str(WRITTEN_HTTPS), str(ports.https)).replace(str(WRITTEN_HTTP), str(ports.http))


def introduction(folder: Path, ports: Ports, backends: list[Backend]) -> str:
    moved = "" if ports == (WRITTEN_HTTP, WRITTEN_HTTPS) else f" (port {WRITTEN_HTTP} or {WRITTEN_HTTPS} was taken)"
    return "\n".join(
        (
            "",
            f"{folder.name} is served on http://{ADDRESS}:{ports.http} and https://{ADDRESS}:{ports.https}{moved}",
            f"Behind it: {', '.join(map(str, backends))}",
            "",
            "Try in another terminal:",
            "",
            *(f"  {line}" for line in worth_trying(folder, ports).splitlines()),
            "",
            f"Then edit a file in examples/{folder.name}: a change answers within a second, and a mistake gets a",
            "sentence here while the version before it goes on serving. Ctrl-C stops everything.",
            "",
        )
    )


async def start_headgate(folder: Path, ports: Ports) -> Process:
    command = ["-m", "headgate", "serve", str(folder), "--address", ADDRESS]
    chosen = ["--http-port", str(ports.http), "--https-port", str(ports.https)]
    # A session of its own: Ctrl-C then reaches us alone, and we pass it on once.
    return await asyncio.create_subprocess_exec(sys.executable, *command, *chosen, start_new_session=True)


async def answers(port: int) -> None:
    """Wait until something accepts connections there."""
    while True:
        try:
            _, writer = await asyncio.open_connection(ADDRESS, port)
        except OSError:
            await asyncio.sleep(0.05)
        else:
            writer.close()
            return


async def introduce(folder: Path, ports: Ports, backends: list[Backend]) -> None:
    await answers(ports.http)
    print(introduction(folder, ports, backends), flush=True)


async def run(folder: Path) -> int:
    async with serving(folder) as backends:
        ports = free_ports()
        headgate = await start_headgate(folder, ports)
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, pass_on, headgate, number)
        introducing = asyncio.create_task(introduce(folder, ports, backends))
        code = await headgate.wait()
        introducing.cancel()
    return code


def pass_on(headgate: Process, number: signal.Signals) -> None:
    if headgate.returncode is None:
        headgate.send_signal(number)


def chosen_example(arguments: list[str]) -> Path:
    known = sorted(path.parent.name for path in HERE.glob("*/README.md"))
    if len(arguments) != 1 or arguments[0] not in known:
        raise SystemExit(f"say which example: {', '.join(known)}")
    return HERE / arguments[0]


if __name__ == "__main__":
    try:
        raise SystemExit(asyncio.run(run(chosen_example(sys.argv[1:]))))
    except (ImportError, OSError) as why:
        raise SystemExit(f"the example's backends cannot start (is it running already?): {why}") from None
