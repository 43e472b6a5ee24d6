"""The telnet codec: payload, negotiation, chunking."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copilot_ws.labs.telnet import (
    BINARY,
    DO,
    DONT,
    ECHO,
    GREETING,
    IAC,
    SB,
    SE,
    SGA,
    SUBNEGOTIATION_MAX,
    WILL,
    WONT,
    TelnetCodec,
    escape,
)

NAWS = 31
NOISE = st.lists(
    st.one_of(
        st.binary(max_size=12),
        st.sampled_from([IAC, SB, SE, WILL, WONT, DO, DONT, ECHO, BINARY, 13]).map(lambda b: bytes([b])),
    ),
    max_size=60,
).map(b"".join)


def test_client_accepts_the_greeting_and_offers_binary() -> None:
    payload, reply = TelnetCodec().feed(GREETING + b"R1>")
    assert payload == b"R1>"
    assert reply == bytes([IAC, DO, ECHO, IAC, DO, SGA, IAC, DO, BINARY, IAC, WILL, BINARY])


def test_client_and_server_settle() -> None:
    client, server = TelnetCodec(), TelnetCodec(server=True)
    _, answer = client.feed(GREETING)
    assert server.feed(answer) == (b"", b"")
    assert client.feed(GREETING) == (b"", b"")


def test_client_refuses_the_rest() -> None:
    codec = TelnetCodec()
    assert codec.feed(bytes([IAC, DO, NAWS, IAC, WILL, NAWS, IAC, DO, ECHO])) == (
        b"",
        bytes([IAC, WONT, NAWS, IAC, DONT, NAWS, IAC, WONT, ECHO]),
    )
    assert codec.feed(bytes([IAC, DONT, NAWS, IAC, WONT, NAWS])) == (b"", b"")


def test_option_taken_back_is_acknowledged_once() -> None:
    codec = TelnetCodec()
    codec.feed(GREETING)
    assert codec.feed(bytes([IAC, WONT, ECHO])) == (b"", bytes([IAC, DONT, ECHO]))
    assert codec.feed(bytes([IAC, WONT, ECHO])) == (b"", b"")


def test_server_takes_a_refusal_of_its_offer_without_a_word() -> None:
    codec = TelnetCodec(server=True)
    assert codec.feed(bytes([IAC, DONT, ECHO, IAC, WONT, BINARY])) == (b"", b"")
    assert codec.feed(bytes([IAC, WILL, NAWS, IAC, DO, ECHO])) == (
        b"",
        bytes([IAC, DONT, NAWS, IAC, WILL, ECHO]),
    )


@pytest.mark.parametrize(
    ("wire", "payload"),
    [
        (b"a\r\0b", b"a\rb"),
        (b"a\r\nb", b"a\r\nb"),
        (b"a\0b", b"a\0b"),
        (b"\r\0\0", b"\r\0"),
        (b"a\xff\xffb", b"a\xffb"),
        (b"a\xff\xf1b", b"ab"),
        (b"a\xff\xfa\x18\x01\xff\xff\xf0\xff\xf0b", b"ab"),
    ],
)
def test_payload(wire: bytes, payload: bytes) -> None:
    assert TelnetCodec().feed(wire) == (payload, b"")


def test_endless_subnegotiation_does_not_swallow_the_console() -> None:
    payload, _ = TelnetCodec().feed(bytes([IAC, SB]) + b"x" * SUBNEGOTIATION_MAX + b"R1>")
    assert payload == b"R1>"
    payload, _ = TelnetCodec().feed(bytes([IAC, SB]) + b"\xff\xff" * SUBNEGOTIATION_MAX + b"R1>")
    assert payload.endswith(b"R1>")


@given(st.binary())
def test_escape_round_trip(data: bytes) -> None:
    assert TelnetCodec().feed(escape(data)) == (data.replace(b"\r\0", b"\r"), b"")


@given(NOISE, st.lists(st.integers(0, 800)), st.booleans())
def test_chunking_does_not_matter(data: bytes, cuts: list[int], server: bool) -> None:
    whole, parts = TelnetCodec(server), TelnetCodec(server)
    edges = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    pieces = [parts.feed(data[start:end]) for start, end in pairwise(edges)]
    assert whole.feed(data) == (b"".join(p for p, _ in pieces), b"".join(r for _, r in pieces))


@given(NOISE, st.booleans())
def test_two_codecs_fall_silent(data: bytes, server: bool) -> None:
    here, there = TelnetCodec(server), TelnetCodec(not server)
    _, words = here.feed(data)
    for _ in range(4):
        _, words = there.feed(words)
        here, there = there, here
    assert words == b""
