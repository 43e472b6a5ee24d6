"""What a line looks like and what a device may make of it, without the disguises that text allows."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

_ERASE_CHARACTER: Final = "\b\x7f"
_ERASE_LINE: Final = "\x15\x18"
_ERASE_WORD: Final = "\x17"
_KEYS: Final = frozenset(_ERASE_CHARACTER + _ERASE_LINE + _ERASE_WORD + "\t")

_BLANK: Final = "\x00"
_UNSEEN: Final = "\x01"

_FILLERS: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters and symbols that show nothing."""

_LETTER: Final = re.compile(r"(?:LATIN|SYMBOL) (?:SMALL |CAPITAL )?LETTER (?:SMALL CAPITAL )?([A-Z])(?: WITH .*)?$")

_ALIKE: Final[dict[str, str]] = {
    "a": "аΑαАɑ",
    "b": "вВьЬΒβЪъ",
    "c": "сСϲϹⅽ",
    "d": "ԁԀժ",
    "e": "еЕΕεэҽ",
    "f": "ϝғ",
    "g": "ɡԌց",
    "h": "һНнΗҺհ",
    "i": "іІΙιıɩӀїЇ",
    "j": "јЈϳʝ",
    "k": "кКΚκ",
    "l": "ӏⅼ׀ǀ∣ʟ",
    "m": "мМΜϺ",
    "n": "пПΝηոռ",
    "o": "оОΟοσօՕөӨ",
    "p": "рРΡρ",
    "q": "ԛԚգ",
    "r": "гГ",
    "s": "ѕЅꜱՏ",
    "t": "тТΤτ",
    "u": "υսμʋ",
    "v": "ѵѴν",
    "w": "ԝԜωшШ",
    "x": "хХΧχ",
    "y": "уУΥγүҮ",
    "z": "Ζζʐ",
    "!": "ǃ",
    "-": "‐‑‒–—−",
    "/": "⁄∕",
}
_LATIN: Final = {character: latin for latin, characters in _ALIKE.items() for character in characters}


def lines_of(commands: Sequence[str]) -> list[str]:
    """The lines that a device would get, in order: every kind of line end splits, blank ones go."""
    return [line.strip() for command in commands for line in command.splitlines() if line.strip()]


def holds_keystrokes(line: str) -> bool:
    """Whether control characters other than tabs and erase keys are in it: those move, recall or quote."""
    return any(unicodedata.category(character) == "Cc" and character not in _KEYS for character in line)


def is_plain(line: str) -> bool:
    """Whether a device sees the line as a person does."""
    return line.isascii() and line.isprintable()


def readings(line: str) -> list[str]:
    """All that the line may stand for, in lower case: first what it looks like.

    Blanks of other kinds separate words or are dropped, and so are characters that show nothing; erase keys
    are characters that show nothing, and erase.
    """
    found: dict[str, None] = {}
    for text in (line, _typed(line)):
        seen = _seen(text)
        found[seen.replace(_BLANK, " ").replace(_UNSEEN, "").strip()] = None
        found[seen.replace(_BLANK, "").replace(_UNSEEN, "").strip()] = None
        found[seen.replace(_BLANK, " ").replace(_UNSEEN, " ").strip()] = None
    return list(found)


def _typed(line: str) -> str:
    """The line as a device's line editor leaves it."""
    if line.isprintable():
        return line
    kept: list[str] = []
    for character in line:
        if character in _ERASE_CHARACTER:
            del kept[-1:]
        elif character in _ERASE_LINE:
            kept.clear()
        elif character == _ERASE_WORD:
            text = "".join(kept).rstrip()
            del kept[text.rfind(" ") + 1 :]
        else:
            kept.append(character)
    return "".join(kept)


def _seen(text: str) -> str:
    """In lower case with look-alikes as the Latin letters; odd blanks are _BLANK, what shows nothing _UNSEEN."""
    if is_plain(text):
        return text.lower()
    return "".join(_shapes(text)).casefold()


def _shapes(text: str) -> Iterator[str]:
    for character in text:
        if character.isascii() and character.isprintable():
            yield character
        else:
            yield _shape(character)


@lru_cache(maxsize=4096)
def _shape(character: str) -> str:
    if character in _LATIN:
        return _LATIN[character]
    if character in _FILLERS or (character.isspace() and character != " "):
        return _BLANK
    category = unicodedata.category(character)
    if category in ("Cc", "Cf"):
        return _UNSEEN
    if category.startswith("M"):
        return ""
    parts = unicodedata.normalize("NFKD", character)
    if parts != character:
        return "".join(part if part.isascii() else _shape(part) for part in parts)
    return _letter(character)


def _letter(character: str) -> str:
    """The Latin letter that a letter is by its name: small capitals, strokes, letters in boxes."""
    found = _LETTER.search(unicodedata.name(character, ""))
    return found[1] if found else character
