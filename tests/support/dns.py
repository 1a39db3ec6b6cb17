"""A DNS server on loopback that knows a few names: an A or AAAA record for each, NXDOMAIN for the rest.

Only what nginx's resolver asks for: one question, no compression but a pointer to it. It remembers who was asked for.
"""

import ipaddress
import socket
import struct
import threading

_KINDS = {1: ipaddress.IPv4Address, 28: ipaddress.IPv6Address}
_POINTER_TO_QUESTION = 0xC00C


class NameServer:
    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.asked: list[str] = []
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._socket.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve, name="dns", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._socket.sendto(b"", self._socket.getsockname())  # an empty question ends the thread
        self._thread.join()
        self._socket.close()

    def _serve(self) -> None:
        while True:
            question, client = self._socket.recvfrom(512)
            if not question:
                return
            self._socket.sendto(self._answer(question), client)

    def _answer(self, question: bytes) -> bytes:
        labels, at = [], 12
        while length := question[at]:
            labels.append(question[at + 1 : at + 1 + length].decode())
            at += 1 + length
        (kind,) = struct.unpack_from(">H", question, at + 1)
        name = ".".join(labels).lower()
        self.asked.append(name)
        known = self.names.get(name)
        address = ipaddress.ip_address(known) if known else None
        fits = address is not None and isinstance(address, _KINDS.get(kind, ()))
        flags = 0x8180 if known else 0x8183
        head = question[:2] + struct.pack(">HHHHH", flags, 1, int(fits), 0, 0)
        record = struct.pack(">HHHIH", _POINTER_TO_QUESTION, kind, 1, 1, len(address.packed)) if address else b""
        return head + question[12 : at + 5] + (record + address.packed if address and fits else b"")
