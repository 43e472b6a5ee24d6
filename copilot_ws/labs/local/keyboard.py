"""What clients type: bytes become keys, keys wait in one queue, an interrupt key ends a pause."""

from __future__ import annotations

import asyncio
import codecs
from collections import deque

ENTER = "\r"
TAB = "\t"
UP = "<up>"
DOWN = "<down>"
CTRL_C = "\x03"
CTRL_SHIFT_6 = "\x1e"
CTRL_Z = "\x1a"

QUEUE_MAX = 65536
"""Keys that may wait. What does not fit is refused as a whole, so that no line loses its middle."""

_ESCAPE = "\x1b"
_ARROWS = {"A": UP, "B": DOWN}


class Interrupted(Exception):
    """Someone pressed an interrupt key while a command was waiting."""


class KeyDecoder:
    """The bytes of one client as keys: CR LF is one Enter, cursor keys have names, other escapes vanish."""

    def __init__(self) -> None:
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._after_enter = False
        self._escape = ""

    def feed(self, data: bytes) -> list[str]:
        return [key for char in self._decode(data) if (key := self._key(char))]

    def _key(self, char: str) -> str:
        after_enter, self._after_enter = self._after_enter, char == ENTER
        if self._escape or char == _ESCAPE:
            return self._sequence(char)
        if char == "\n":
            return "" if after_enter else ENTER
        return "" if char == "\0" else char

    def _sequence(self, char: str) -> str:
        if char == _ESCAPE or (self._escape == _ESCAPE and char in "[O"):
            self._escape = _ESCAPE if char == _ESCAPE else _ESCAPE + char
            return ""
        in_sequence = len(self._escape) > 1
        if in_sequence and char in "0123456789;":
            return ""
        self._escape = ""
        if not in_sequence:
            return self._key(char)
        return _ARROWS.get(char, "")


class Keyboard:
    """The keys of all clients of a console, in the order they came."""

    def __init__(self, interrupts: frozenset[str]) -> None:
        self._interrupts = interrupts
        self._keys: deque[str] = deque()
        self._arrived = asyncio.Event()

    def press(self, keys: list[str]) -> bool:
        """Takes `keys`, or refuses all of them when the queue is full. Interrupt keys always get in."""
        fits = len(self._keys) + len(keys) <= QUEUE_MAX
        if not fits:
            interrupt = self._interrupts.intersection(keys)
            keys = [] if self._interrupts.intersection(self._keys) else [*interrupt][:1]
        self._keys.extend(keys)
        self._arrived.set()
        return fits

    async def key(self) -> str:
        """The next key."""
        while not self._keys:
            self._arrived.clear()
            await self._arrived.wait()
        return self._keys.popleft()

    async def pause(self, seconds: float) -> None:
        """Waits; raises `Interrupted` when an interrupt key comes, or already waits. Other keys stay."""
        try:
            async with asyncio.timeout(seconds):
                await self._interrupt()
        except TimeoutError:
            return
        raise Interrupted

    async def _interrupt(self) -> None:
        while True:
            for key in self._keys:
                if key in self._interrupts:
                    self._keys.remove(key)
                    return
            self._arrived.clear()
            await self._arrived.wait()
