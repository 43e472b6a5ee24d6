"""Text that is safe to send and store."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copilot_ws.wire.text import CleanStream, clean, clean_json, shorten

SMILE = "🙂"
HIGH, LOW = "\ud83d", "\ude42"
any_text = st.text(st.characters(codec=None) | st.sampled_from([HIGH, LOW, SMILE]))


@given(st.lists(any_text))
def test_pieces_joined_are_the_whole_cleaned(pieces: list[str]) -> None:
    stream = CleanStream()
    cleaned = [stream.feed(piece) for piece in pieces] + [stream.end()]
    assert "".join(cleaned) == clean("".join(pieces))
    for piece in cleaned:
        piece.encode()


@given(any_text)
def test_clean_text_encodes_and_stays_as_it_is(text: str) -> None:
    once = clean(text)
    once.encode()
    assert clean(once) == once
    if not any("\ud800" <= character <= "\udfff" for character in text):
        assert once == text


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        (HIGH + LOW, SMILE),
        (HIGH, "�"),
        (LOW, "�"),
        (f"a{LOW}{HIGH}b", "a��b"),
        ("plain", "plain"),
    ],
)
def test_lone_surrogates_become_replacement_characters(text: str, cleaned: str) -> None:
    assert clean(text) == cleaned


anything: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | any_text | st.binary() | st.just(object()),
    lambda inner: st.lists(inner) | st.dictionaries(any_text | st.integers(), inner) | st.sets(st.integers()),
    max_leaves=10,
)


@given(anything)
def test_anything_becomes_json(value: Any) -> None:
    found = clean_json(value)
    text = json.dumps(found, allow_nan=False, ensure_ascii=False)
    text.encode()
    assert clean_json(found) == found


@given(st.text(), st.integers(41, 200))
def test_a_cut_says_how_much_was_cut(text: str, limit: int) -> None:
    short = shorten(text, limit)
    if len(text) <= limit:
        assert short == text
        return
    kept, _, note = short.rpartition("\n[cut: ")
    assert text.startswith(kept)
    assert len(kept) + int(note.removesuffix(" more characters]")) == len(text)


def test_a_cut_of_a_cut_counts_both() -> None:
    once = shorten("x" * 1000, 500)
    assert shorten(once, 100).endswith("[cut: 940 more characters]")
