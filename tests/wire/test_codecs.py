"""The two encodings and their negotiation."""

from __future__ import annotations

from typing import Any

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from copilot_ws.wire.codecs import JSON, MAX_DEPTH, MAX_VALUES, MSGPACK, BadFrame, Codec, decode_frame, negotiate

both = pytest.mark.parametrize("codec", [JSON, MSGPACK], ids=["json", "msgpack"])
plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)


@both
@given(frame=st.dictionaries(st.text(), plain))
def test_a_frame_comes_back_as_it_went(codec: Codec, frame: dict[str, Any]) -> None:
    assert decode_frame(codec, codec.encode(frame)) == frame


@both
@pytest.mark.parametrize(
    ("value", "sent"),
    [("\ud83d", "�"), (2**70, str(2**70)), (float("nan"), None), ({3}, [3])],
    ids=["lone surrogate", "large integer", "not a number", "set"],
)
def test_what_is_no_json_is_made_clean(codec: Codec, value: Any, sent: Any) -> None:
    assert decode_frame(codec, codec.encode({"value": value})) == {"value": sent}


@both
@pytest.mark.parametrize("data", [b"", b"\xc1", b"{", b"\xff\xfe", b"[1]", b"1", b"null", b"\x93\x01\x02\x03"])
def test_what_is_no_map_is_a_bad_frame(codec: Codec, data: bytes) -> None:
    with pytest.raises(BadFrame):
        decode_frame(codec, data)


@pytest.mark.parametrize("text", [b'{"a": NaN}', b'{"a": Infinity}', b'{"a": 1} x', b'{"a": 1'])
def test_what_only_looks_like_json_is_a_bad_frame(text: bytes) -> None:
    with pytest.raises(BadFrame):
        decode_frame(JSON, text)


def test_browsers_may_send_lone_surrogates() -> None:
    assert decode_frame(JSON, b'{"text": "\\ud83d"}') == {"text": "�"}


def test_msgpack_keys_are_strings() -> None:
    with pytest.raises(BadFrame):
        decode_frame(MSGPACK, msgpack.packb({1: 2}))


def nested(depth: int) -> dict[str, Any]:
    """A frame of so many maps within one another."""
    frame: dict[str, Any] = {}
    for _ in range(depth - 1):
        frame = {"a": frame}
    return frame


@both
def test_a_frame_nests_up_to_a_limit(codec: Codec) -> None:
    assert decode_frame(codec, codec.encode(nested(MAX_DEPTH)))
    with pytest.raises(BadFrame, match="deeper"):
        decode_frame(codec, codec.encode(nested(MAX_DEPTH + 1)))


@both
def test_absurd_nesting_is_a_bad_frame(codec: Codec) -> None:
    opening, closing = (b'{"a":', b"}") if codec is JSON else (b"\x81\xa1a", b"")
    with pytest.raises(BadFrame):
        decode_frame(codec, opening * 100_000 + b"1" + closing * 100_000)


@both
def test_a_frame_holds_up_to_so_many_values(codec: Codec) -> None:
    """However small they are: each costs time in which nobody else is served."""
    fits = {"a": [[]] * (MAX_VALUES - 1)}
    assert decode_frame(codec, codec.encode(fits)) == fits
    with pytest.raises(BadFrame, match="values"):
        decode_frame(codec, codec.encode({"a": [[]] * MAX_VALUES}))


@pytest.mark.parametrize(
    ("offers", "chosen"),
    [
        ([], JSON),
        ([JSON.subprotocol], JSON),
        ([MSGPACK.subprotocol], MSGPACK),
        ([MSGPACK.subprotocol, JSON.subprotocol], MSGPACK),
        ([JSON.subprotocol, MSGPACK.subprotocol], JSON),
        (["graphql-ws", MSGPACK.subprotocol], MSGPACK),
        (["graphql-ws", "copilot.v2+json"], None),
    ],
)
def test_the_clients_first_known_offer_wins(offers: list[str], chosen: Codec | None) -> None:
    assert negotiate(offers) is chosen
