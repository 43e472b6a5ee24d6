"""The server's side of one socket without any I/O: frames in, what to do with them out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from copilot_ws.wire.codecs import BadFrame, Codec, decode_frame

MAX_ID = 2**53 - 1
MAX_BAD_FRAMES = 5
NOT_AUTHENTICATED, POLICY = 4401, 1008


@dataclass(frozen=True, slots=True)
class Resume:
    """Where a client left a feed."""

    epoch: str
    seq: int

    @classmethod
    def parse(cls, value: Any) -> Resume | None:
        """From `{epoch, seq}` or `<epoch>:<seq>`; None for anything else."""
        if isinstance(value, str):
            before, colon, number = value.rpartition(":")
            return (
                cls(before, int(number))
                if colon and number.isascii() and number.isdigit() and len(number) < 20
                else None
            )
        if isinstance(value, dict):
            epoch, seq = value.get("epoch"), value.get("seq")
            if isinstance(epoch, str) and isinstance(seq, int) and not isinstance(seq, bool) and seq >= 0:
                return cls(epoch, seq)
        return None


@dataclass(frozen=True, slots=True)
class Greet:
    """The client has sent its token."""

    token: str
    resume: Any


@dataclass(frozen=True, slots=True)
class Call:
    """A command to be answered exactly once, under `id`."""

    id: int
    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Send:
    frame: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Close:
    code: int
    reason: str


Action = Greet | Call | Send | Close


def result(call_id: int, value: Any) -> dict[str, Any]:
    return {"type": "result", "id": call_id, "ok": True, "result": value}


def failure(call_id: int, error: dict[str, Any]) -> dict[str, Any]:
    return {"type": "result", "id": call_id, "ok": False, "error": error}


class Peer:
    """Keeps what one connection has said: whether it greeted, its last id, its bad frames in a row."""

    def __init__(self, codec: Codec, *, authenticated: bool) -> None:
        self._codec = codec
        self._greeted = authenticated
        self._last_id = 0
        self._bad = 0

    def receive(self, data: bytes, *, binary: bool) -> Action:
        """What one incoming frame asks for."""
        try:
            frame = self._decode(data, binary)
            if not self._greeted:
                return self._greet(frame)
            action = self._command(frame)
        except BadFrame as fault:
            return self._count(fault)
        self._bad = 0
        return action

    def _decode(self, data: bytes, binary: bool) -> dict[str, Any]:
        if binary != self._codec.binary:
            wanted = "binary" if self._codec.binary else "text"
            raise BadFrame(f"frames on a {self._codec.name} connection are {wanted}")
        return decode_frame(self._codec, data)

    def _greet(self, frame: dict[str, Any]) -> Action:
        token = frame.get("token")
        if frame.get("type") != "hello" or not isinstance(token, str):
            return Close(NOT_AUTHENTICATED, "the first frame is hello with a token")
        self._greeted = True
        return Greet(token, frame.get("resume"))

    def _command(self, frame: dict[str, Any]) -> Action:
        name, call_id = frame.pop("type", None), frame.pop("id", None)
        if not isinstance(name, str):
            raise BadFrame("a frame has a type")
        if not isinstance(call_id, int) or isinstance(call_id, bool) or not 1 <= call_id <= MAX_ID:
            raise BadFrame("a command has an id from 1 to 2^53-1")
        if call_id <= self._last_id:
            message = f"an id is larger than the one before: {call_id} after {self._last_id}"
            return Send(failure(call_id, {"code": "id_reuse", "message": message, "details": None}))
        self._last_id = call_id
        return Call(call_id, name, frame)

    def _count(self, fault: BadFrame) -> Action:
        self._bad += 1
        if not self._greeted:
            return Close(NOT_AUTHENTICATED, str(fault))
        if self._bad > MAX_BAD_FRAMES:
            return Close(POLICY, "too many bad frames in a row")
        return Send({"type": "error", "error": str(fault), "code": "bad_frame"})
