"""The two encodings of a frame: JSON text and MessagePack binary, chosen by WebSocket subprotocol."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import msgpack
import orjson

from copilot_ws.wire.text import clean_json

MAX_DEPTH = 32
# Measured: a megabyte of empty arrays would keep the loop busy for three seconds. A command has some dozens of values.
MAX_VALUES = 100_000


class BadFrame(Exception):
    """A frame that is not one map of JSON or MessagePack; the text is for the sender."""


def to_json(value: Any) -> bytes:
    """JSON, UTF-8. What orjson refuses (lone surrogates, large integers, objects) is made clean first."""
    try:
        return orjson.dumps(value)
    except TypeError:
        return orjson.dumps(clean_json(value))


def to_msgpack(value: Any) -> bytes:
    try:
        return bytes(msgpack.packb(value))
    except (TypeError, ValueError, OverflowError):
        return bytes(msgpack.packb(clean_json(value)))


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _from_json(data: bytes) -> Any:
    """orjson refuses lone surrogates, which browsers do send: those take the slower way."""
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        return json.loads(data, parse_constant=_no_constant)


def _from_msgpack(data: bytes) -> Any:
    return msgpack.unpackb(data, strict_map_key=True, unicode_errors="replace")


@dataclass(frozen=True, slots=True)
class Codec:
    """`name` is what `hello` calls it, `subprotocol` what is negotiated; `binary` is its frame type."""

    name: str
    binary: bool
    encode: Callable[[Any], bytes]
    decode: Callable[[bytes], Any]

    @property
    def subprotocol(self) -> str:
        return f"copilot.v1+{self.name}"


JSON = Codec("json", binary=False, encode=to_json, decode=_from_json)
MSGPACK = Codec("msgpack", binary=True, encode=to_msgpack, decode=_from_msgpack)
CODECS = {codec.subprotocol: codec for codec in (MSGPACK, JSON)}


def negotiate(offers: Iterable[str]) -> Codec | None:
    """The client's first known offer; JSON when it offers nothing; None when all are unknown."""
    offered = list(offers)
    if not offered:
        return JSON
    return next((CODECS[offer] for offer in offered if offer in CODECS), None)


def _bounded(value: Any) -> None:
    """Raises `BadFrame` for what nests too deep, or holds too many values."""
    level, values = [value], 0
    for _ in range(MAX_DEPTH):
        values += sum(map(len, level))
        if values > MAX_VALUES:
            raise BadFrame(f"the frame holds more than {MAX_VALUES} values")
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return
    raise BadFrame(f"the frame nests deeper than {MAX_DEPTH}")


def decode_frame(codec: Codec, data: bytes) -> dict[str, Any]:
    """One incoming frame as a map of clean JSON values. Raises `BadFrame`."""
    try:
        value = codec.decode(data)
    except (ValueError, msgpack.UnpackException, RecursionError) as fault:
        raise BadFrame(f"the frame is no {codec.name}") from fault
    if not isinstance(value, dict):
        raise BadFrame("a frame is one map")
    _bounded(value)
    frame: dict[str, Any] = clean_json(value)
    return frame
