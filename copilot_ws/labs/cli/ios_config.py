"""The IOS-like configuration commands, one tree a mode."""

from __future__ import annotations

from typing import Final

from copilot_ws.labs.cli.arguments import integer, interface, ipv4, rest_of_line, word
from copilot_ws.labs.cli.tree import Node, argument, keyword

GLOBAL: Final = "config"
INTERFACE: Final = "config-if"
LINE: Final = "config-line"
ROUTER: Final = "config-router"

DO: Final = "do"

_NO = "Negate a command or set its defaults"
_IP = "Global IP configuration subcommands"
_INTERFACE_NAME = argument("interface", interface())
_DISTANCE = argument("distance", integer(1, 255, "Distance metric for this route"))

_ANYWHERE: tuple[Node, ...] = (
    keyword("default", "Set a command to its defaults", keyword("interface", "Select an interface", _INTERFACE_NAME)),
    keyword(DO, "To run exec commands in config mode", argument("command", rest_of_line("Exec Command"))),
    keyword("end", "Exit from configure mode"),
    keyword("exit", "Exit from the current mode"),
)


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


def _ip_host(ends: bool) -> Node:
    address = argument("address", ipv4("Host IP address"))
    return keyword(
        "host", "Add an entry to the ip hostname table", argument("name", word("Name of host"), address, ends=ends)
    )


_ROUTING = keyword("routing", "Enable IP routing")
_LOOKUP = (
    keyword("domain", "IP DNS Resolver", keyword("lookup", "Enable IP Domain Name System hostname translation")),
    keyword("domain-lookup", "Enable IP Domain Name System hostname translation"),
)
_OSPF = keyword(
    "ospf",
    "Open Shortest Path First (OSPF)",
    argument("process", integer(1, 65535, "Process ID")),
)
_ROUTER = keyword("router", "Enable a routing process", _OSPF)
_SECRETS = keyword(
    "enable",
    "Modify enable password parameters",
    keyword("password", "Assign the privileged level password", argument("text", rest_of_line("The password"))),
    keyword("secret", "Assign the privileged level secret", argument("text", rest_of_line("The secret"))),
)
_NO_SECRETS = keyword(
    "enable",
    "Modify enable password parameters",
    keyword("password", "Assign the privileged level password", argument("text", rest_of_line("Text")), ends=True),
    keyword("secret", "Assign the privileged level secret", argument("text", rest_of_line("Text")), ends=True),
)


def _line(name: str, last: int) -> Node:
    number = argument(
        "first",
        integer(0, last, "First Line number"),
        argument("last", integer(0, last, "Last Line number")),
        ends=True,
    )
    return keyword(name, f"{name} line", number, slot="line")


_GLOBAL: tuple[Node, ...] = (
    *_ANYWHERE,
    keyword(
        "banner",
        "Define a login banner",
        keyword(
            "motd",
            "Set Message of the Day banner",
            argument("text", rest_of_line("c banner-text c, where 'c' is a delimiting character")),
        ),
    ),
    _SECRETS,
    keyword("hostname", "Set system's network name", argument("name", word("This system's network name"))),
    keyword("interface", "Select an interface to configure", _INTERFACE_NAME),
    keyword("ip", _IP, _ip_host(ends=False), _ip_route(ends=False), _ROUTING),
    keyword("line", "Configure a terminal line", _line("aux", 0), _line("console", 0), _line("vty", 15)),
    keyword(
        "no",
        _NO,
        keyword("banner", "Define a login banner", keyword("motd", "Set Message of the Day banner")),
        _NO_SECRETS,
        keyword("hostname", "Set system's network name", argument("name", word("Name")), ends=True),
        keyword("interface", "Select an interface to configure", _INTERFACE_NAME),
        keyword("ip", _IP, *_LOOKUP, _ip_host(ends=True), _ip_route(ends=True), _ROUTING),
        keyword("line", "Configure a terminal line", _line("vty", 15)),
        _ROUTER,
    ),
    _ROUTER,
)

_IP_ADDRESS = argument("address", ipv4("IP address"), argument("mask", ipv4("IP subnet mask")))
_IP_IF = "Interface Internet Protocol config commands"
_COST = argument("cost", integer(1, 65535, "Cost"))


def _ospf_cost(ends: bool) -> Node:
    return keyword("ospf", "OSPF interface commands", keyword("cost", "Interface cost", _COST, ends=ends))


_INTERFACE: tuple[Node, ...] = (
    *_ANYWHERE,
    keyword(
        "description",
        "Interface specific description",
        argument("text", rest_of_line("Up to 200 characters describing this interface")),
    ),
    keyword("duplex", "Configure duplex operation", keyword("auto", "Enable AUTO duplex configuration")),
    keyword("ip", _IP_IF, keyword("address", "Set the IP address", _IP_ADDRESS), _ospf_cost(ends=False)),
    keyword(
        "no",
        _NO,
        keyword("description", "Interface specific description", argument("text", rest_of_line("Text")), ends=True),
        keyword("ip", _IP_IF, keyword("address", "Set the IP address", _IP_ADDRESS, ends=True), _ospf_cost(ends=True)),
        keyword("shutdown", "Shutdown the selected interface"),
    ),
    keyword("shutdown", "Shutdown the selected interface"),
    keyword("speed", "Configure speed operation", keyword("auto", "Enable AUTO speed configuration")),
)

_NETWORK = keyword(
    "network",
    "Enable routing on an IP network",
    argument(
        "address",
        ipv4("Network number"),
        argument(
            "wildcard",
            ipv4("OSPF wild card bits"),
            keyword(
                "area",
                "Set the OSPF area ID",
                argument("area", integer(0, 4294967295, "OSPF area ID as a decimal value")),
                argument("area", ipv4("OSPF area ID in IP address format")),
            ),
        ),
    ),
)
_PASSIVE = keyword(
    "passive-interface",
    "Suppress routing updates on an interface",
    keyword("default", "Suppress routing updates on all interfaces"),
    _INTERFACE_NAME,
)
_ROUTER_ID = "router-id for this OSPF process"

_ROUTER_MODE: tuple[Node, ...] = (
    *_ANYWHERE,
    _NETWORK,
    keyword(
        "no",
        _NO,
        _NETWORK,
        _PASSIVE,
        keyword("router-id", _ROUTER_ID, argument("address", ipv4("OSPF router-id")), ends=True),
    ),
    _PASSIVE,
    keyword("router-id", _ROUTER_ID, argument("address", ipv4("OSPF router-id in IP address format"))),
)

_MINUTES = argument(
    "minutes", integer(0, 35791, "Timeout in minutes"), argument("seconds", integer(0, 2147483, "Seconds")), ends=True
)
_LINE_SETTINGS: tuple[Node, ...] = (
    keyword("exec-timeout", "Set the EXEC timeout", _MINUTES),
    keyword("logging", "Modify message logging facilities", keyword("synchronous", "Synchronized message output")),
    keyword("login", "Enable password checking", keyword("local", "Local password checking", slot="how"), ends=True),
    keyword("password", "Set a password", argument("text", rest_of_line("The line password"))),
    keyword(
        "privilege",
        "Change privilege level for line",
        keyword("level", "Assign default privilege level", argument("level", integer(0, 15, "Privilege level"))),
    ),
    keyword(
        "transport",
        "Define transport protocols for line",
        keyword("input", "Which protocols to use when connecting", argument("text", rest_of_line("Protocols"))),
    ),
)

_LINE: tuple[Node, ...] = (
    *_ANYWHERE,
    *_LINE_SETTINGS,
    keyword(
        "no",
        _NO,
        keyword("exec-timeout", "Set the EXEC timeout"),
        keyword("logging", "Modify message logging facilities", keyword("synchronous", "Synchronized message output")),
        keyword("login", "Enable password checking"),
        keyword("password", "Set a password"),
        keyword("privilege", "Change privilege level for line", keyword("level", "Assign default privilege level")),
        keyword("transport", "Define transport protocols for line", keyword("input", "Which protocols to use")),
    ),
)

MODES: dict[str, tuple[Node, ...]] = {GLOBAL: _GLOBAL, INTERFACE: _INTERFACE, LINE: _LINE, ROUTER: _ROUTER_MODE}
"""The commands of each mode; in a mode below `config` those of `config` are tried after its own."""
