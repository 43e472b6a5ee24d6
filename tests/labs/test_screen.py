"""Rendering of console output, and what its end is taken for."""

from __future__ import annotations

from itertools import pairwise
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copilot_ws.labs.base import Platform
from copilot_ws.labs.prompts import Prompt, Sign, echoed, parse, read_end
from copilot_ws.labs.screen import LINE_MAX, Screen, Tail, Transcript


def rendered(*pieces: str) -> list[str]:
    lines: list[str] = []
    screen = Screen(lines.append)
    for piece in pieces:
        screen.feed(piece)
    return [*lines, screen.line]


@pytest.mark.parametrize(
    ("printed", "lines"),
    [
        ("a\r\nb", ["a", "b"]),
        ("50%\r100%", ["100%"]),
        ("ab\b\bxy", ["xy"]),
        ("\b\ba", ["a"]),
        ("a\x07\x00b", ["ab"]),
        ("abc\r\x1b[K", [""]),
        ("abc\b\x1b[1K", ["   "]),
        ("abc\b\b\x1b[P", ["ac"]),
        ("ac\b\x1b[@b", ["abc"]),
        ("abc\x1b[2Dx\x1b[Cy", ["axcy"]),
        ("abc\x1b[2Gx", ["axc"]),
        ("old\x1b[H\x1b[2Jnew", ["new"]),
        ("\x1b[1;31mred\x1b[0m \x1b]0;title\x07\x1b(Bplain\x1b=", ["red plain"]),
        ("a\tb", ["a       b"]),
    ],
)
def test_rendering(printed: str, lines: list[str]) -> None:
    assert rendered(printed) == lines
    assert rendered(*printed) == lines


@given(
    st.lists(st.text(st.sampled_from("ab \x1b[]0;1KDPGH(\b\r\n\t\x07m?")), max_size=9).map("".join),
    st.lists(st.integers(0, 60)),
)
def test_pieces_do_not_matter(printed: str, cuts: list[int]) -> None:
    edges = [0, *sorted(min(cut, len(printed)) for cut in cuts), len(printed)]
    assert rendered(*(printed[start:end] for start, end in pairwise(edges))) == rendered(printed)


@pytest.mark.timeout(10)
@pytest.mark.parametrize("printed", ["\x1b[" + "1" * 65000, "\x1b[" + ";" * 65000, "\x1b[1" * 20000])
def test_no_text_takes_long(printed: str) -> None:
    assert rendered(printed + "\r\nok")[-1] == "ok"


@pytest.mark.timeout(10)
@pytest.mark.parametrize("line", ["a@" + "b" * 65000, "w" * 65000, "a@b" + " " * 65000 + "#"])
def test_a_line_that_is_far_too_long_is_no_prompt(line: str) -> None:
    assert all(parse(line, platform) is None for platform in get_args(Platform) for _ in range(300))


def test_nothing_grows_without_bound() -> None:
    tail = Tail(lines=10, size=1000)
    transcript = Transcript(limit=100)
    for _ in range(50):
        for part in ("x" * 5000, "\r\n" * 50, "\x1b]" + "y" * 5000, "\x1b[99999999C", "\x1b[99999999@"):
            tail.feed(part)
            transcript.feed(part)
    assert sum(len(line) + 1 for line in tail.last(99)) <= 1000 + LINE_MAX
    assert len(transcript.text()) <= 101 + LINE_MAX
    assert transcript.cut > 0


PLATFORM_PROMPTS: list[tuple[Platform, str, str | None]] = [
    ("ios", "R1>", "R1"),
    ("ios", "R1(config-if)# ", "R1"),
    ("ios", "RP/0/RP0/CPU0:R1#", "RP/0/RP0/CPU0:R1"),
    ("ios", "user@host:~$ ", None),
    ("ios", "a line of R1#", None),
    ("vpcs", "VPCS> ", "VPCS"),
    ("linux", "user@host:/etc$ ", "user@host"),
    ("linux", "[root@host etc]# ", "[root@host"),
    ("linux", "R1# ", "R1"),
    ("linux", "/ # ", ""),
    ("generic", "[admin@MikroTik] > ", "[admin@MikroTik"),
    ("generic", "100 % done", None),
]


@pytest.mark.parametrize(("platform", "line", "host"), PLATFORM_PROMPTS)
def test_prompts(platform: Platform, line: str, host: str | None) -> None:
    prompt = parse(line, platform)
    assert (prompt.host if prompt else None) == host


@pytest.mark.parametrize(
    ("line", "sign"),
    [
        ("R1#", Sign.SAME),
        ("R1(config)#", Sign.MODE),
        ("R2#", Sign.OTHER),
        (" --More-- ", Sign.PAGER),
        ("--More--(42%)", Sign.PAGER),
        ("<--- More --->", Sign.PAGER),
        ("Continue? [y/n]: ", Sign.QUESTION),
        ("Delete flash:/x? [confirm]", Sign.QUESTION),
        ("How many bits in the modulus [512]: ", Sign.QUESTION),
        ("Are you sure?", Sign.QUESTION),
        ("!!.U?", Sign.NONE),
        ("Sending 5, 100-byte ICMP Echos", Sign.NONE),
        ("Enter password: ", Sign.LOGIN),
        ("[sudo] password for me: ", Sign.LOGIN),
        ("Last login: today", Sign.NONE),
        ("", Sign.NONE),
    ],
)
def test_signs(line: str, sign: Sign) -> None:
    assert read_end(line, ["something before"], "ios", Prompt("R1#", "R1"))[0] is sign


@pytest.mark.parametrize(
    ("command", "line", "received", "seen"),
    [
        ("show it", "R1# show it", "show it", True),
        ("show it", "R1# show i", "show i", False),
        ("show it", "R1# how it", "how it", False),
        ("show it", "R1# xshow it", "xshow it", False),
        ("no ip routing x", "R1# no ip routing", "no ip routing", False),
        ("show it", "R1#show it", "\r\nR1#show it", True),
    ],
)
def test_echo(command: str, line: str, received: str, seen: bool) -> None:
    assert echoed(command, line, received, Prompt("R1#", "R1")) is seen
