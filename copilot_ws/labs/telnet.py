"""A telnet codec without I/O: bytes of the peer in, payload and the answer to its negotiation out."""

from __future__ import annotations

from collections.abc import Callable, Collection
from enum import Enum, auto
from typing import Final

SE: Final = 240
SB: Final = 250
WILL: Final = 251
WONT: Final = 252
DO: Final = 253
DONT: Final = 254
IAC: Final = 255

BINARY: Final = 0
ECHO: Final = 1
SGA: Final = 3

GREETING: Final = bytes([IAC, WILL, ECHO, IAC, WILL, SGA, IAC, WILL, BINARY, IAC, DO, BINARY])
"""What a console server (GNS3's too) offers to each client that connects."""

SUBNEGOTIATION_MAX: Final = 512
"""Bytes of one subnegotiation. Without a bound, one that never ends would swallow the console."""

_CR: Final = 13
_NUL: Final = 0


def escape(data: bytes) -> bytes:
    """`data` as payload on the wire: each 0xFF doubled."""
    return data.replace(b"\xff", b"\xff\xff")


class _Options:
    """The options of one side of the connection (RFC 1143 without queues: nothing is ever asked twice)."""

    def __init__(self, allowed: Collection[int], asked: Collection[int]) -> None:
        self._allowed = frozenset(allowed)
        self._asked = set(asked)
        self._on: set[int] = set()

    def receive(self, option: int, on: bool) -> bool | None:
        """What to answer: agree (True), refuse (False), or None where an answer would start a loop."""
        if option in self._asked:
            self._asked.discard(option)
            if on:
                self._on.add(option)
            return None
        if on == (option in self._on):
            return None
        if on and option not in self._allowed:
            return False
        (self._on.add if on else self._on.discard)(option)
        return on


class _State(Enum):
    DATA = auto()
    COMMAND = auto()
    OPTION = auto()
    SUB = auto()
    SUB_COMMAND = auto()


class TelnetCodec:
    """One direction-aware end of a telnet connection; never fails, whatever the peer sends.

    The client lets the peer echo, suppress go-ahead and send binary, and sends binary itself if asked.
    The server (`server=True`) has sent `GREETING` already, so what acknowledges that is not answered.
    """

    def __init__(self, server: bool = False) -> None:
        if server:
            self._ours = _Options(allowed=(ECHO, SGA, BINARY), asked=(ECHO, SGA, BINARY))
            self._theirs = _Options(allowed=(BINARY, SGA), asked=(BINARY,))
        else:
            self._ours = _Options(allowed=(BINARY,), asked=())
            self._theirs = _Options(allowed=(ECHO, SGA, BINARY), asked=())
        self._state = _State.DATA
        self._verb = 0
        self._sub_length = 0
        self._after_cr = False
        self._payload = bytearray()
        self._reply = bytearray()
        self._steps: dict[_State, Callable[[int], _State]] = {
            _State.COMMAND: self._command,
            _State.OPTION: self._option,
            _State.SUB: self._sub,
            _State.SUB_COMMAND: self._sub_command,
        }

    def feed(self, data: bytes) -> tuple[bytes, bytes]:
        """The payload in `data`, and the raw bytes to send back (often none).

        Commands may be split anywhere; CR NUL becomes CR, IAC IAC one 0xFF.
        """
        at = 0
        while at < len(data):
            if self._state is _State.DATA:
                end = data.find(IAC, at)
                self._take(data[at:end] if end >= 0 else data[at:])
                if end < 0:
                    break
                self._state, at = _State.COMMAND, end + 1
            else:
                self._state = self._steps[self._state](data[at])
                at += 1
        payload, reply = bytes(self._payload), bytes(self._reply)
        self._payload.clear()
        self._reply.clear()
        return payload, reply

    def _take(self, data: bytes) -> None:
        if not data:
            return
        if self._after_cr and data[0] == _NUL:
            data = data[1:]
            self._after_cr = False
        if data:
            self._after_cr = data[-1] == _CR
            self._payload += data.replace(b"\r\0", b"\r")

    def _command(self, byte: int) -> _State:
        if byte == IAC:
            self._take(b"\xff")
            return _State.DATA
        if byte == SB:
            self._sub_length = 0
            return _State.SUB
        if byte in (WILL, WONT, DO, DONT):
            self._verb = byte
            return _State.OPTION
        return _State.DATA

    def _option(self, option: int) -> _State:
        if self._verb in (WILL, WONT):
            answer, yes, no = self._theirs.receive(option, self._verb == WILL), DO, DONT
        else:
            answer, yes, no = self._ours.receive(option, self._verb == DO), WILL, WONT
        if answer is not None:
            self._reply += bytes((IAC, yes if answer else no, option))
        return _State.DATA

    def _sub(self, byte: int) -> _State:
        return _State.SUB_COMMAND if byte == IAC else self._skip(1)

    def _sub_command(self, byte: int) -> _State:
        return _State.DATA if byte == SE else self._skip(2)

    def _skip(self, length: int) -> _State:
        self._sub_length += length
        return _State.SUB if self._sub_length < SUBNEGOTIATION_MAX else _State.DATA
