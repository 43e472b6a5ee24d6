"""The IOS-like exec commands: one tree, whose nodes carry the privilege level they need."""

from __future__ import annotations

from copilot_ws.labs.cli.arguments import integer, interface, ipv4, rest_of_line, word
from copilot_ws.labs.cli.tree import PRIVILEGED, Node, argument, keyword, with_tail

PIPE_SLOT = "filter"
PATTERN = "pattern"


def _filter(name: str, help: str) -> Node:
    return keyword(name, help, argument(PATTERN, rest_of_line("Regular Expression")), slot=PIPE_SLOT)


PIPE = keyword(
    "|",
    "Output modifiers",
    _filter("begin", "Begin with the line that matches"),
    _filter("exclude", "Exclude lines that match"),
    _filter("include", "Include lines that match"),
    _filter("section", "Filter a section of output"),
    slot="|",
)

_SHOW_IP = keyword(
    "ip",
    "IP information",
    keyword("arp", "IP ARP table"),
    keyword(
        "interface",
        "IP interface status and configuration",
        keyword("brief", "Brief summary of IP status and configuration"),
    ),
    keyword("protocols", "IP routing protocol process parameters and statistics"),
    keyword(
        "route",
        "IP routing table",
        argument("address", ipv4("Network to display information about")),
        keyword("connected", "Connected routes", slot="source"),
        keyword("static", "Static routes", slot="source"),
        ends=True,
    ),
)

_SHOW_INTERFACES = keyword(
    "interfaces",
    "Interface status and configuration",
    keyword("description", "Show interface description"),
    argument("interface", interface()),
    ends=True,
)

_SHOW_RUNNING = keyword(
    "running-config",
    "Current operating configuration",
    keyword("interface", "Show interface configuration", argument("interface", interface())),
    ends=True,
    level=PRIVILEGED,
)

SHOW = with_tail(
    keyword(
        "show",
        "Show running system information",
        keyword("arp", "ARP table"),
        keyword("clock", "Display the system clock"),
        keyword("history", "Display the session command history"),
        _SHOW_INTERFACES,
        _SHOW_IP,
        keyword("protocols", "Active network routing protocols"),
        _SHOW_RUNNING,
        keyword("startup-config", "Contents of startup configuration", level=PRIVILEGED),
        keyword("users", "Display information about terminal lines"),
        keyword("version", "System hardware and software status"),
    ),
    PIPE,
)

_PING_OPTIONS = (
    keyword("repeat", "specify repeat count", argument("repeat", integer(1, 2147483647, "Repeat count")), slot="_"),
    keyword("size", "specify datagram size", argument("size", integer(36, 18024, "Datagram size")), slot="_"),
    keyword(
        "source",
        "specify source address or name",
        argument("source", ipv4("Source address")),
        argument("source", interface()),
        slot="_",
    ),
    keyword(
        "timeout",
        "specify timeout interval",
        argument("timeout", integer(0, 3600, "Timeout in seconds")),
        slot="_",
    ),
)

_TERMINAL = keyword(
    "terminal",
    "Set terminal line parameters",
    keyword(
        "length",
        "Set number of lines on a screen",
        argument("length", integer(0, 512, "Number of lines on screen (0 for no pausing)")),
    ),
    keyword(
        "width",
        "Set width of the display terminal",
        argument("width", integer(0, 512, "Number of characters on a screen line")),
    ),
)

EXEC: tuple[Node, ...] = (
    keyword("disable", "Turn off privileged commands"),
    keyword("enable", "Turn on privileged commands"),
    keyword("exit", "Exit from the EXEC"),
    keyword("logout", "Exit from the EXEC"),
    keyword(
        "ping",
        "Send echo messages",
        argument("target", ipv4("Ping destination address"), ends=True, options=_PING_OPTIONS),
        keyword(
            "ip",
            "IP echo",
            argument("target", ipv4("Ping destination address"), ends=True, options=_PING_OPTIONS),
            slot="_",
        ),
        argument("name", word("Ping destination hostname"), ends=True, options=_PING_OPTIONS),
    ),
    SHOW,
    _TERMINAL,
    keyword(
        "traceroute",
        "Trace route to destination",
        argument("target", ipv4("Trace route to destination address")),
        argument("name", word("Trace route to destination hostname")),
    ),
)
