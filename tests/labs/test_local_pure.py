"""The parts of the embedded lab that do no I/O: command tree, patterns, configuration, network."""

from __future__ import annotations

import re
from contextlib import suppress
from ipaddress import IPv4Address, IPv4Interface, IPv4Network

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copilot_ws.labs.cli.ios_config import GLOBAL, INTERFACE, MODES
from copilot_ws.labs.cli.ios_exec import EXEC
from copilot_ws.labs.cli.tree import USER, Ambiguous, Fault, Incomplete, Invalid, complete, help_rows, parse
from copilot_ws.labs.local.ios_boot import power_on_state
from copilot_ws.labs.local.ios_configure import Configurator
from copilot_ws.labs.local.ios_regex import BadPattern, Pattern
from copilot_ws.labs.local.keyboard import DOWN, ENTER, UP, KeyDecoder
from copilot_ws.labs.local.network import Network, Plug
from copilot_ws.labs.local.probe import Outcome, probe
from copilot_ws.labs.local.render import configuration
from copilot_ws.labs.local.router import Refused
from copilot_ws.labs.local.stack import Interface, Route, Stack, StaticRoute


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("sh ip int br", "show ip interface brief"),
        ("SHOW  RUNNING-CONFIG", "show running-config"),
        ("sh run int lo 0", "show running-config interface"),
        ("sho ver | i Version 15", "show version"),
        ("pi 1.2.3.4 sou g0/0 rep 3", "ping"),
        ("term len 0", "terminal length"),
    ],
)
def test_abbreviations(line: str, command: str) -> None:
    assert parse(EXEC, line).command == command


def test_values() -> None:
    match = parse(EXEC, "ping 1.2.3.4 source g 0/0 repeat 3")
    assert match.values["target"] == IPv4Address("1.2.3.4")
    assert match.text("source") == "GigabitEthernet0/0"
    assert match.number("repeat", 5) == 3
    assert parse(EXEC, "show ver | inc a | b").text("pattern") == "a | b"
    assert parse(MODES[INTERFACE], "desc  to the  core ").text("text") == "to the  core"
    match = parse(MODES[GLOBAL], "ip route 0.0.0.0 0.0.0.0 g0/1 10.0.0.1 200")
    assert (match.command, match.number("distance", 1)) == ("ip route", 200)


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("", Incomplete),
        ("e", Ambiguous),
        ("show", Incomplete),
        ("show interfaces g", Incomplete),
        ("ping 1.2.3.4 repeat", Incomplete),
        ("ping 1.2.3.4 repeat 2 repeat 2", Invalid),
        ("ping 1.2.3.4 repeat 0", Invalid),
        ("show version |", Incomplete),
        ("show interfaces g0/0/0", Invalid),
    ],
)
def test_faults(line: str, fault: type[Fault]) -> None:
    with pytest.raises(fault):
        parse(EXEC, line)


@pytest.mark.parametrize(("line", "column"), [("xyz", 0), ("show zoo", 5), ("sh  ip intx", 10), ("show version x", 13)])
def test_column(line: str, column: int) -> None:
    with pytest.raises(Invalid) as caught:
        parse(EXEC, line)
    assert caught.value.column == column


@settings(max_examples=50)
@given(st.text(max_size=80))
def test_any_line_is_a_match_or_a_fault(line: str) -> None:
    for tree in (EXEC, *MODES.values()):
        try:
            parse(tree, line)
            help_rows(tree, line)
        except Fault:
            pass


def test_help_and_completion() -> None:
    words = [word for word, _ in help_rows(EXEC, "show ", USER)]
    assert "running-config" not in words
    assert help_rows(EXEC, "show ip r") == [("route", "IP routing table")]
    assert [word for word, _ in help_rows(EXEC, "ping 1.2.3.4 repeat ")] == ["<1-2147483647>"]
    assert [word for word, _ in help_rows(EXEC, "show ver ")] == ["|", "<cr>"]
    assert complete(EXEC, "sh") == "show "
    assert complete(EXEC, "e") == "e"
    assert complete(EXEC, "show xyz ab") == "show xyz ab"


ALPHABET = st.text("ab.*+?|()^$", max_size=12)


@given(ALPHABET, st.text("ab", max_size=8))
def test_patterns_agree_with_re(source: str, line: str) -> None:
    try:
        expected = re.compile(source)
        pattern = Pattern(source)
    except (re.error, BadPattern):
        return
    if re.search(r"[*+?][*+?]|[(|^$][*+?]|^[*+?]", source):
        return  # possessive and lazy repeats, and repeats of nothing, mean something else to IOS
    assert pattern.found_in(line) == bool(expected.search(line))


def test_patterns() -> None:
    assert Pattern("_10_").found_in("as 10 x")
    assert Pattern("_10_").found_in("10")
    assert not Pattern("_10_").found_in("110")
    assert Pattern(r"1\.1").found_in("1.1")
    assert not Pattern("[^a-c]").found_in("abc")
    assert Pattern("[]x]").found_in("]")
    for bad in ("(", ")", "[a", "a\\", "(" * 100 + ")" * 100):
        with pytest.raises(BadPattern):
            Pattern(bad)


def test_keys() -> None:
    keys = KeyDecoder()
    assert keys.feed(b"a\r\nb\rc\n\r\0") == ["a", ENTER, "b", ENTER, "c", ENTER, ENTER]
    assert keys.feed(b"\x1b") + keys.feed(b"[A\x1bOB\x1b[1;5Cx") == [UP, DOWN, "x"]
    assert keys.feed(b"\xc3") + keys.feed(b"\xa9\xff") == ["é", "\N{REPLACEMENT CHARACTER}"]


def test_configuration_round_trip() -> None:
    lines = "hostname Core\ninterface lo5\nip address 5.5.5.5 255.255.255.255\n"
    lines += "int g0/3\ndescription a  b\nno shut\n"
    lines += "ip route 0.0.0.0 0.0.0.0 Lo5 250\nline vty 0 4\n login\n"
    router, unknown = power_on_state("r", 7, lines)
    assert unknown == []
    text = configuration(router)
    again, unknown = power_on_state("r", 7, text)
    assert unknown == []
    assert configuration(again) == text
    assert (again.hostname, again.stack.interfaces["GigabitEthernet0/3"].enabled) == ("Core", True)
    assert "ip route 0.0.0.0 0.0.0.0 Loopback5 250\n" in text


LINES = (
    "hostname Core",
    "no hostname",
    "interface g0/1",
    "interface lo3",
    "no interface lo3",
    "default interface g0/1",
    "description to  the core!",
    "no description",
    "ip address 10.0.5.1 255.255.255.0",
    "ip address 10.1.0.1 255.255.255.254",
    "no ip address",
    "ip ospf cost 7",
    "shutdown",
    "no shutdown",
    "ip route 0.0.0.0 0.0.0.0 10.0.5.2 20",
    "ip route 9.0.0.0 255.0.0.0 lo3",
    "ip host a 1.2.3.4",
    "no ip routing",
    "ip routing",
    "router ospf 4",
    "network 10.0.0.0 0.255.255.255 area 3",
    "no network 10.0.0.0 0.255.255.255 area 3",
    "router-id 4.4.4.4",
    "passive-interface default",
    "no passive-interface default",
    "passive-interface g0/1",
    "passive-interface lo3",
    "no passive-interface g0/1",
    "no router ospf 4",
    "banner motd #x ^C y#",
    "banner motd ^Cz^C",
    "line vty 3 9",
    "line con 0",
    "exec-timeout 1 2",
    "no login",
    "login local",
    "transport input none",
    "exit",
    "end",
)


@settings(max_examples=150)
@given(st.lists(st.sampled_from(LINES) | st.text(max_size=20), max_size=30))
def test_what_runs_boots_again(lines: list[str]) -> None:
    router, _ = power_on_state("r", 1, "")
    editor = Configurator(router)
    for line in lines:
        if editor.wants_text:
            editor.add_text(line)
            continue
        with suppress(Fault, Refused):
            editor.apply(line)
    text = configuration(router)
    again, unknown = power_on_state("r", 1, text)
    assert unknown == []
    assert configuration(again) == text


def test_unknown_saved_lines_are_reported() -> None:
    _, unknown = power_on_state("r", 7, "router bgp 1\ninterface g0/0\nip address 1.1.1.1 255.0.255.0\nend\n")
    assert unknown == ["router bgp 1", "ip address 1.1.1.1 255.0.255.0"]


@pytest.mark.parametrize(
    ("line", "refusal"),
    [
        ("ip address 10.0.0.0 255.255.255.0", "Bad mask /24 for address 10.0.0.0"),
        ("ip address 10.0.0.1 255.0.255.0", "Bad mask 0xFF00FF00 for address 10.0.0.1"),
        ("ip address 10.0.9.1 255.255.0.0", "% 10.0.0.0 overlaps with GigabitEthernet0/1"),
        ("ip route 10.0.0.1 255.255.255.0 10.1.1.1", "%Inconsistent address and mask"),
        ("no ip route 10.7.0.0 255.255.255.0", "%No matching route to delete"),
        ("hostname 1x", "% Hostname contains one or more illegal characters."),
    ],
)
def test_refusals(line: str, refusal: str) -> None:
    router, _ = power_on_state("r", 1, "interface g0/1\nip address 10.0.5.1 255.255.255.0\n")
    editor = Configurator(router)
    editor.apply("interface g0/0")
    with pytest.raises(Refused) as caught:
        editor.apply(line)
    assert str(caught.value) == refusal


def _stack(node_id: str, *addresses: str, forwards: bool = True) -> Stack:
    stack = Stack(node_id, forwards, 255)
    for index, address in enumerate(addresses):
        stack.interfaces[f"e{index}"] = Interface(f"e{index}", f"{index:012x}", IPv4Interface(address))
    return stack


def _static(stack: Stack, network: str, gateway: str | None, interface: str | None = None) -> None:
    via = IPv4Address(gateway) if gateway else None
    stack.statics.append(StaticRoute(IPv4Network(network), via, interface))


def _pair(one: Stack, other: Stack, far: str = "e0") -> Network:
    network = Network([(Plug(one.node_id, "e0"), Plug(other.node_id, far))])
    network.attach(one)
    network.attach(other)
    return network


def test_lines_are_up_only_between_powered_enabled_ends() -> None:
    a, b = _stack("a", "10.0.0.1/24"), _stack("b", "10.0.0.2/24")
    network = _pair(a, b)
    port = a.interfaces["e0"]
    assert network.is_up(a, port)
    b.interfaces["e0"].enabled = False
    assert not network.is_up(a, port)
    b.interfaces["e0"].enabled = True
    network.detach("b")
    assert network.table(a) == []
    assert probe(network, a, IPv4Address("10.0.0.2")).outcome is Outcome.NO_ROUTE


def test_arp_needs_a_common_subnet() -> None:
    a, b = _stack("a", "10.0.0.1/24"), _stack("b", "10.0.1.2/24")
    _static(a, "10.0.1.0/24", None, "e0")
    answer = probe(_pair(a, b), a, IPv4Address("10.0.1.2"))
    assert (answer.outcome, answer.address) == (Outcome.NO_ARP, IPv4Address("10.0.1.2"))


def test_routers_answer_arp_for_what_they_route_to() -> None:
    a, b = _stack("a", "10.0.0.1/24"), _stack("b", "10.0.0.2/24", "2.2.2.2/32")
    b.interfaces["Loopback0"] = Interface("Loopback0", "", IPv4Interface("3.3.3.3/32"))
    network = _pair(a, b)
    _static(a, "3.3.3.3/32", None, "e0")
    assert probe(network, a, IPv4Address("3.3.3.3")).outcome is Outcome.REPLY


def test_longest_match_distance_and_recursion() -> None:
    a, b = _stack("a", "10.0.0.1/24"), _stack("b", "10.0.0.2/24")
    network = _pair(a, b)
    _static(a, "0.0.0.0/0", "10.0.0.2")
    _static(a, "20.0.0.0/8", "30.0.0.1")
    _static(a, "30.0.0.0/8", "10.0.0.2")
    hop = network.resolve(a, IPv4Address("20.1.1.1"))
    assert hop is not None
    assert hop.address == IPv4Address("10.0.0.2")
    a.learned.append(Route("O", IPv4Network("20.0.0.0/8"), "e0", IPv4Address("10.0.0.9"), 110, 20))
    assert [route.source for route in network.table(a) if route.network == IPv4Network("20.0.0.0/8")] == ["S"]
    a.statics.clear()
    assert network.resolve(a, IPv4Address("20.1.1.1")).address == IPv4Address("10.0.0.9")


def test_statics_through_each_other_are_not_installed() -> None:
    a, b = _stack("a", "10.0.0.1/24"), _stack("b", "10.0.0.2/24")
    network = _pair(a, b)
    _static(a, "20.0.0.0/8", "30.0.0.1")
    _static(a, "30.0.0.0/8", "20.0.0.1")
    assert {route.source for route in network.table(a)} == {"C", "L"}


def test_hosts_do_not_forward() -> None:
    a, b = _stack("a", "10.0.0.1/24"), _stack("b", "10.0.0.2/24", forwards=False)
    network = _pair(a, b)
    _static(a, "20.0.0.0/8", "10.0.0.2")
    assert probe(network, a, IPv4Address("20.0.0.1")).outcome is Outcome.SILENCE
