"""A telnet connection to a console, as text."""

from __future__ import annotations

import asyncio
import codecs
from collections.abc import Callable
from contextlib import suppress
from typing import Literal

from copilot_ws.labs.telnet import TelnetCodec, escape

Reason = Literal[
    "refused", "unreachable", "no_prompt", "timeout", "closed", "login_required", "busy_question", "shared"
]

_CHUNK = 65536
_CLOSE_SECONDS = 0.5
_SEND_SECONDS = 10.0
_WITHOUT_TEXT = 1.0


class ConsoleError(Exception):
    """A console that did not do what was asked; the message is for a person, `partial` what it printed."""

    def __init__(self, reason: Reason, message: str, partial: str = "") -> None:
        super().__init__(message)
        self.reason: Reason = reason
        self.message = message
        self.partial = partial


class Channel:
    """One connection. `seen` gets every piece of text that arrives, whoever reads it."""

    def __init__(
        self,
        name: str,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        seen: Callable[[str], None],
    ) -> None:
        self.name = name
        self._reader = reader
        self._writer = writer
        self._seen = seen
        self._telnet = TelnetCodec()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    @classmethod
    async def open(cls, name: str, host: str, port: int, seconds: float, seen: Callable[[str], None]) -> Channel:
        """Connects within `seconds`. Raises ConsoleError `refused` or `unreachable`."""
        try:
            async with asyncio.timeout(seconds):
                reader, writer = await asyncio.open_connection(host, port)
        except ConnectionRefusedError:
            raise ConsoleError(
                "refused",
                f"{name} refuses its console: it is starting, reloading or stopped. Try again soon.",
            ) from None
        except OSError as fault:
            why = "no answer" if isinstance(fault, TimeoutError) else (fault.strerror or "no such host")
            raise ConsoleError(
                "unreachable", f"{name}: its console at {host}:{port} cannot be reached ({why})."
            ) from None
        return cls(name, reader, writer, seen)

    async def read(self, seconds: float) -> str:
        """The text that comes next, "" after `seconds` without any. Raises ConsoleError `closed`."""
        clock = asyncio.get_running_loop().time
        until = clock() + seconds
        while clock() < until + _WITHOUT_TEXT and (data := await self._receive(until)) is not None:
            payload, reply = self._telnet.feed(data)
            if reply:
                await self._write(reply)
            text = self._decoder.decode(payload)
            if text:
                self._seen(text)
                return text
        return ""

    async def _receive(self, until: float) -> bytes | None:
        data = await self._receive_once(until)
        # A late loop runs the timer before the reader that its data has woken: look once more.
        return data if data is not None else await self._receive_once(0)

    async def _receive_once(self, until: float) -> bytes | None:
        try:
            async with asyncio.timeout_at(until):
                data = await self._reader.read(_CHUNK)
        except TimeoutError:
            return None
        except OSError:
            raise self._closed() from None
        if not data:
            raise self._closed()
        return data

    async def send(self, text: str) -> None:
        """Sends `text` as typed. Raises ConsoleError `closed`, or `timeout` if the peer takes nothing any more."""
        await self._write(escape(text.encode()))

    async def _write(self, data: bytes) -> None:
        try:
            self._writer.write(data)
            async with asyncio.timeout(_SEND_SECONDS):
                await self._writer.drain()
        except TimeoutError:
            words = f"{self.name}: its console takes nothing any more (for {_SEND_SECONDS:.0f} s)."
            raise ConsoleError("timeout", words) from None
        except OSError:
            raise self._closed() from None

    def _closed(self) -> ConsoleError:
        return ConsoleError("closed", f"{self.name} closed its console: it was stopped or reloads.")

    async def close(self) -> None:
        """Closes the connection, by force if the peer does not take the last bytes."""
        self._writer.close()
        try:
            with suppress(OSError):
                async with asyncio.timeout(_CLOSE_SECONDS):
                    await self._writer.wait_closed()
        finally:
            self._writer.transport.abort()
