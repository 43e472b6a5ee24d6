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
    keyword(
        "ospf",
        "OSPF information",
        keyword("interface", "Interface information", keyword("brief", "Display brief summary")),
        keyword("neighbor", "Neighbor list"),
        ends=True,
    ),
    keyword("protocols", "IP routing protocol process parameters and statistics"),
    keyword(
        "route",
        "IP routing table",
        argument("address", ipv4("Network to display information about")),
        keyword("connected", "Connected routes", slot="source"),
        keyword("ospf", "Open Shortest Path First (OSPF)", slot="source"),
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
        keyword("debugging", "State of each debugging option", level=PRIVILEGED),
        keyword("flash:", "display information about flash: file system"),
        keyword("history", "Display the session command history"),
        keyword("hosts", "IP domain-name, lookup style, nameservers, and host table"),
        _SHOW_INTERFACES,
        _SHOW_IP,
        keyword("privilege", "Show current privilege level"),
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

_CLEAR = keyword(
    "clear",
    "Reset functions",
    keyword("arp-cache", "Clear the entire ARP cache"),
    keyword("counters", "Clear counters on one or all interfaces", argument("interface", interface()), ends=True),
    keyword(
        "ip",
        "IP",
        keyword("ospf", "OSPF clear commands", keyword("process", "Reset OSPF process")),
        keyword("route", "Delete route table entries", keyword("*", "Delete all routes")),
    ),
    level=PRIVILEGED,
)

_DEBUG_TOPICS = (
    keyword("all", "Enable all debugging"),
    keyword(
        "ip",
        "IP information",
        keyword("icmp", "ICMP transactions", slot="topic"),
        keyword("ospf", "OSPF information", slot="topic"),
        keyword("packet", "General IP debugging and IPSO security transactions", slot="topic"),
        keyword("routing", "Routing table events", slot="topic"),
    ),
)

_FILE = argument("file", rest_of_line("File to be deleted"))
_STARTUP = keyword("startup-config", "Contents of startup configuration")

_FILES: tuple[Node, ...] = (
    keyword(
        "copy",
        "Copy from one file to another",
        keyword("running-config", "Copy from current system configuration", _STARTUP),
        level=PRIVILEGED,
    ),
    keyword(
        "delete",
        "Delete a file",
        keyword("/force", "Force delete", _FILE, slot="force"),
        keyword("/recursive", "Recursive delete", _FILE, slot="recursive"),
        _FILE,
        level=PRIVILEGED,
    ),
    keyword("dir", "List files on a filesystem", argument("file", rest_of_line("Directory or file name")), ends=True),
    keyword(
        "erase",
        "Erase a filesystem",
        keyword("nvram:", "Filesystem to be erased"),
        _STARTUP,
        level=PRIVILEGED,
    ),
    keyword(
        "format",
        "Format a filesystem",
        argument("filesystem", word("Filesystem to be formatted")),
        level=PRIVILEGED,
    ),
    keyword(
        "write",
        "Write running configuration to memory, network, or terminal",
        keyword("erase", "Erase NV memory"),
        keyword("memory", "Write to NV memory"),
        keyword("terminal", "Write to terminal"),
        ends=True,
        level=PRIVILEGED,
    ),
)

_RELOAD = keyword(
    "reload",
    "Halt and perform a cold restart",
    keyword("at", "Reload at a specific time/date", argument("time", rest_of_line("Time to reload"))),
    keyword("cancel", "Cancel pending reload"),
    keyword(
        "in", "Reload after a time interval", argument("time", rest_of_line("Delay before reload (mmm or hhh:mm)"))
    ),
    argument("reason", rest_of_line("Reason for reload")),
    ends=True,
    level=PRIVILEGED,
)

_CONFIGURE = keyword(
    "configure",
    "Enter configuration mode",
    keyword("terminal", "Configure from the terminal"),
    ends=True,
    level=PRIVILEGED,
)

EXEC: tuple[Node, ...] = (
    _CLEAR,
    _CONFIGURE,
    keyword("debug", "Debugging functions (see also 'undebug')", *_DEBUG_TOPICS, level=PRIVILEGED),
    keyword("disable", "Turn off privileged commands"),
    keyword("enable", "Turn on privileged commands"),
    keyword("exit", "Exit from the EXEC"),
    *_FILES,
    keyword("logout", "Exit from the EXEC"),
    keyword(
        "no",
        "Disable debugging functions",
        keyword("debug", "Disable debugging functions", *_DEBUG_TOPICS),
        level=PRIVILEGED,
    ),
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
    _RELOAD,
    SHOW,
    _TERMINAL,
    keyword(
        "traceroute",
        "Trace route to destination",
        argument("target", ipv4("Trace route to destination address")),
        argument("name", word("Trace route to destination hostname")),
    ),
    keyword("undebug", "Disable debugging functions (see also 'debug')", *_DEBUG_TOPICS, level=PRIVILEGED),
)
