"""Lets a person edit a text in their own editor."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from copilot_ws.terminal.keyboard import STDERR, STDIN

if sys.platform != "win32":
    import termios

USUAL = ("notepad",) if sys.platform == "win32" else ("nano", "vi")


class EditorFailed(Exception):
    """There is no edited text; the words are for the person."""


def editor_words() -> list[str]:
    """The command of $VISUAL, else $EDITOR, else of an editor that is usually there. Raises `EditorFailed`."""
    for name in ("VISUAL", "EDITOR"):
        if wanted := os.environ.get(name, "").strip():
            try:
                return shlex.split(wanted, posix=sys.platform != "win32")
            except ValueError:
                raise EditorFailed(f"${name} is no command: {wanted}") from None
    found = next((path for name in USUAL if (path := shutil.which(name))), None)
    if found is None:
        raise EditorFailed(f"There is no editor: set $EDITOR, or install {' or '.join(USUAL)}.")
    return [found]


async def edit(text: str) -> str:
    """The text as the person left it. Raises `EditorFailed`.

    It lies in a file in a folder, both for this user only, which go with all that the editor left there.
    """
    words = editor_words()
    path = await asyncio.to_thread(_written, text)
    try:
        with _same_terminal():
            await _run([*words, str(path)])
        return await asyncio.to_thread(_read, path)
    finally:
        await asyncio.to_thread(shutil.rmtree, path.parent, ignore_errors=True)


def _written(text: str) -> Path:
    path = Path(tempfile.mkdtemp(prefix="copilot-ws-")) / "call.txt"
    path.touch(mode=0o600)
    path.write_text(text, encoding="utf-8")
    return path


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise EditorFailed("The editor left no file: nothing was changed.") from None
    except (OSError, UnicodeDecodeError):
        raise EditorFailed("What the editor left is no UTF-8 text: nothing was changed.") from None


async def _run(words: list[str]) -> None:
    """Standard output may be a pipe that is for the answer: the editor draws where the question stands."""
    try:
        process = await asyncio.create_subprocess_exec(*words, stdout=STDERR)
    except OSError:
        raise EditorFailed(f"The editor {words[0]!r} cannot be started: set $EDITOR to another one.") from None
    try:
        code = await process.wait()
    except asyncio.CancelledError:
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        await process.wait()
        raise
    if code != 0:
        raise EditorFailed(f"The editor ended with code {code}: nothing was changed.")


@contextlib.contextmanager
def _same_terminal() -> Iterator[None]:
    """An editor that dies leaves the terminal as it was before it."""
    if sys.platform == "win32":
        yield
        return
    try:
        before = termios.tcgetattr(STDIN)
    except termios.error:
        yield
        return
    try:
        yield
    finally:
        with contextlib.suppress(termios.error):
            termios.tcsetattr(STDIN, termios.TCSADRAIN, before)
