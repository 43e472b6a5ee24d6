"""Makes text safe to send and store (lone surrogates become U+FFFD, once, where text comes in), or fit to search."""

from __future__ import annotations

import codecs
import math
import re
import unicodedata
from typing import Any

REPLACEMENT = "\ufffd"


def clean(text: str) -> str:
    """`text` with each lone surrogate replaced by U+FFFD; a split pair that meets again is joined."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def clean_json(value: Any) -> Any:
    """`value` as plain JSON: clean strings, string keys, bytes decoded, anything else as its text."""
    if isinstance(value, str):
        return clean(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if -(2**63) <= value < 2**64 else str(value)  # neither codec has larger ones
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {clean(str(key)): clean_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [clean_json(item) for item in value]
    if isinstance(value, bytes | bytearray):
        return bytes(value).decode("utf-8", "replace")
    return clean(str(value))


def folded(text: str) -> str:
    """`text` as search compares it: without case, accents composed. SQLite's LIKE stops at NUL, so that goes."""
    if text.isascii():
        found = text.lower()
    else:
        found = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    return found.replace("\0", REPLACEMENT)


class CleanStream:
    """Cleans text that comes in pieces: the halves of a surrogate pair may arrive in two of them.

    The pieces that `feed` and `end` return, joined, equal `clean` of all that was fed.
    """

    def __init__(self) -> None:
        self._decoder: codecs.IncrementalDecoder | None = None

    def feed(self, piece: str) -> str:
        if self._decoder is None:
            if piece.isascii():
                return piece
            try:
                piece.encode()
            except UnicodeEncodeError:
                self._decoder = codecs.getincrementaldecoder("utf-16-le")("replace")
            else:
                return piece
        return self._decoder.decode(piece.encode("utf-16-le", "surrogatepass"))

    def end(self) -> str:
        """What was held back: U+FFFD for a first half whose second never came."""
        return self._decoder.decode(b"", final=True) if self._decoder is not None else ""


_CUT = re.compile(r"\n\[cut: (\d+) more characters\]\Z")


def shorten(text: str, limit: int) -> str:
    """`text` within about `limit` characters; a cut says how much was cut, also when cut again."""
    if len(text) <= limit:
        return text
    before = _CUT.search(text)
    body = text[: before.start()] if before else text
    kept = body[: max(0, limit - 40)]
    cut = len(body) - len(kept) + (int(before[1]) if before else 0)
    return f"{kept}\n[cut: {cut} more characters]"
