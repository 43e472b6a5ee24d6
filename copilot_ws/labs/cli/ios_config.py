"""The IOS-like configuration commands, one tree a mode."""

from __future__ import annotations

from typing import Final

from copilot_ws.labs.cli.arguments import integer, interface, ipv4, rest_of_line, word
from copilot_ws.labs.cli.tree import Node, argument, keyword

GLOBAL: Final = "config"
INTERFACE: Final = "config-if"
LINE: Final = "config-line"

_DISTANCE = argument("distance", integer(1, 255, "Distance metric for this route"))


def _ip_route(ends: bool) -> Node:
    return keyword(
        "route",
        "Establish static routes",
        argument(
            "prefix",
            ipv4("Destination prefix"),
            argument(
                "mask",
                ipv4("Destination prefix mask"),
                argument("gateway", ipv4("Forwarding router's address"), _DISTANCE, ends=True),
                argument(
                    "interface",
                    interface(),
                    argument("gateway", ipv4("Forwarding router's address"), _DISTANCE, ends=True),
                    _DISTANCE,
                    ends=True,
                ),
                ends=ends,
            ),
        ),
    )


_IP_ADDRESS = argument("address", ipv4("IP address"), argument("mask", ipv4("IP subnet mask")))
_EXIT = keyword("exit", "Exit from the current mode")
_END = keyword("end", "Exit from configure mode")

_LINE_NUMBERS = argument(
    "first",
    integer(0, 15, "First Line number"),
    argument("last", integer(0, 15, "Last Line number")),
    ends=True,
)

_GLOBAL: tuple[Node, ...] = (
    _END,
    _EXIT,
    keyword("hostname", "Set system's network name", argument("name", word("This system's network name"))),
    keyword("interface", "Select an interface to configure", argument("interface", interface())),
    keyword("ip", "Global IP configuration subcommands", _ip_route(ends=False)),
    keyword(
        "line",
        "Configure a terminal line",
        *(keyword(name, f"{name} line", _LINE_NUMBERS, slot="line") for name in ("aux", "console", "vty")),
    ),
    keyword(
        "no",
        "Negate a command or set its defaults",
        keyword("hostname", "Set system's network name", argument("name", word("Name")), ends=True),
        keyword("interface", "Select an interface to configure", argument("interface", interface())),
        keyword("ip", "Global IP configuration subcommands", _ip_route(ends=True)),
    ),
)

_INTERFACE: tuple[Node, ...] = (
    keyword(
        "description",
        "Interface specific description",
        argument("text", rest_of_line("Up to 200 characters describing this interface")),
    ),
    _END,
    _EXIT,
    keyword(
        "ip",
        "Interface Internet Protocol config commands",
        keyword("address", "Set the IP address", _IP_ADDRESS),
    ),
    keyword(
        "no",
        "Negate a command or set its defaults",
        keyword("description", "Interface specific description", argument("text", rest_of_line("Text")), ends=True),
        keyword(
            "ip",
            "Interface Internet Protocol config commands",
            keyword("address", "Set the IP address", _IP_ADDRESS, ends=True),
        ),
        keyword("shutdown", "Shutdown the selected interface"),
    ),
    keyword("shutdown", "Shutdown the selected interface"),
)

_LINE: tuple[Node, ...] = (
    _END,
    _EXIT,
    keyword("login", "Enable password checking"),
    keyword("no", "Negate a command or set its defaults", keyword("login", "Enable password checking")),
)

MODES: dict[str, tuple[Node, ...]] = {GLOBAL: _GLOBAL, INTERFACE: _INTERFACE, LINE: _LINE}
"""The commands of each mode; in a mode below `config` those of `config` are tried after its own."""
