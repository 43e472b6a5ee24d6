"""What one connection's frames ask for, without a connection."""

from __future__ import annotations

import json
from typing import Any

import msgpack
import pytest

from copilot_ws.wire.codecs import JSON, MSGPACK, Codec
from copilot_ws.wire.peer import MAX_BAD_FRAMES, MAX_ID, Action, Call, Close, Greet, Peer, Resume, Send


def peer(codec: Codec = JSON, *, authenticated: bool = True) -> Peer:
    return Peer(codec, authenticated=authenticated)


def text(peer: Peer, frame: Any) -> Action:
    return peer.receive(json.dumps(frame).encode(), binary=False)


def ping(call_id: Any) -> dict[str, Any]:
    return {"id": call_id, "type": "ping"}


def code_of(action: Action) -> str:
    assert isinstance(action, Send)
    frame = action.frame
    return str(frame["code"] if frame["type"] == "error" else frame["error"]["code"])


def test_a_command_is_its_name_and_arguments() -> None:
    assert text(peer(), {"id": 1, "type": "ping", "text": "x"}) == Call(1, "ping", {"text": "x"})


@pytest.mark.parametrize("call_id", [1, MAX_ID])
def test_ids_that_a_browser_can_count(call_id: int) -> None:
    assert text(peer(), ping(call_id)) == Call(call_id, "ping", {})


@pytest.mark.parametrize("call_id", [None, 0, -1, MAX_ID + 1, 1.5, 1.0, "1", True, [1]])
def test_anything_else_is_no_id(call_id: Any) -> None:
    assert code_of(text(peer(), ping(call_id))) == "bad_frame"


def test_an_id_grows() -> None:
    one = peer()
    assert isinstance(text(one, ping(5)), Call)
    for again in (5, 4):
        refused = text(one, ping(again))
        assert isinstance(refused, Send)
        assert (refused.frame["id"], code_of(refused)) == (again, "id_reuse")
    assert isinstance(text(one, ping(6)), Call)


def test_a_command_without_a_type_is_a_bad_frame() -> None:
    assert code_of(text(peer(), {"id": 1})) == "bad_frame"
    assert code_of(text(peer(), {"id": 1, "type": 2})) == "bad_frame"


def test_text_on_a_binary_connection_is_a_bad_frame_and_the_reverse() -> None:
    assert code_of(peer(MSGPACK).receive(json.dumps(ping(1)).encode(), binary=False)) == "bad_frame"
    assert code_of(peer(JSON).receive(msgpack.packb(ping(1)), binary=True)) == "bad_frame"


def test_bad_frames_in_a_row_end_the_connection() -> None:
    one = peer()
    for _ in range(MAX_BAD_FRAMES):
        assert code_of(text(one, [])) == "bad_frame"
    action = text(one, [])
    assert isinstance(action, Close)
    assert action.code == 1008


def test_a_good_frame_forgives_bad_ones() -> None:
    one = peer()
    for call_id in range(1, 10):
        for _ in range(MAX_BAD_FRAMES):
            assert code_of(text(one, [])) == "bad_frame"
        assert isinstance(text(one, ping(call_id)), Call)


def test_a_stranger_greets_first() -> None:
    one = peer(authenticated=False)
    assert text(one, {"type": "hello", "token": "T", "resume": {"epoch": "e", "seq": 3}}) == Greet(
        "T", {"epoch": "e", "seq": 3}
    )
    assert text(one, ping(1)) == Call(1, "ping", {})


@pytest.mark.parametrize("frame", [ping(1), {"type": "hello"}, {"type": "hello", "token": 5}, {"token": "T"}, []])
def test_a_stranger_who_does_not_greet_is_sent_away(frame: Any) -> None:
    action = text(peer(authenticated=False), frame)
    assert isinstance(action, Close)
    assert action.code == 4401


@pytest.mark.parametrize(
    ("given", "place"),
    [
        ("e:3", Resume("e", 3)),
        ("a:b:0", Resume("a:b", 0)),
        ({"epoch": "e", "seq": 3}, Resume("e", 3)),
        ({"epoch": "e", "seq": -1}, None),
        ({"epoch": "e", "seq": True}, None),
        ({"epoch": 1, "seq": 3}, None),
        ({"epoch": "e"}, None),
        ("e", None),
        ("e:", None),
        ("e:-1", None),
        ("e:٣", None),
        ("e:3 ", None),
        (None, None),
        (7, None),
    ],
)
def test_a_place_to_resume_at(given: Any, place: Resume | None) -> None:
    assert Resume.parse(given) == place
