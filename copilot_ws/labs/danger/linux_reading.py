"""The shell commands that only read, with the arguments that keep them so."""

from __future__ import annotations

import re
import shlex
from typing import Final

from copilot_ws.labs.danger import ios

_SAFE: Final = re.compile(r"[A-Za-z0-9 ._:/@,=%+-]*")
_VTYSH: Final = re.compile(r"vtysh(?: +(?:-c) +(?:\"[^\"`$\\]*\"|'[^']*'))+")

_PING_OPTION: Final = r"(?: +-(?:[46nqvO]+|[ciIMQsStTwW] *[\w.:%-]+))*"
_IP_OPTION: Final = r"(?: +-(?:4|6|br|brief|c|color|d|details|s|stats|statistics|o|oneline|j|json|p|pretty))*"
_IP_OBJECT: Final = r"(?:a|addr|address|r|ro|route|ru|rule|n|neigh|neighbour|neighbor|maddr|maddress)"
_IP_VERB: Final = rf"(?:{_IP_OBJECT} +s|(?:{_IP_OBJECT}|l|link) +(?:sh|sho|show|ls|lst|list))"
"""`ip` takes the first verb of an object that a word begins: `s` is `show`, but for a link it is `set`."""
_IP_SHOW: Final = rf"ip{_IP_OPTION} +(?:{_IP_OBJECT}|l|link|{_IP_VERB}(?: +[\w.:/@-]+)*)"
_COMMANDS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        _IP_SHOW,
        rf"ip{_IP_OPTION} +(?:r|ro|route) +get(?: +[\w.:/@-]+)+",
        rf"ping6?(?= .*-c *\d){_PING_OPTION} +[\w.:%]+{_PING_OPTION}",
        r"(?:traceroute6?|tracepath6?)(?: +-(?:[46nITU]+|[mqwp] *\d+))* +[\w.:%-]+",
        r"ss(?: +-[tulnpaxwiemros46H]+)*",
        r"netstat(?: +-[tulnpaxwierosg46]+)*",
        r"uname(?: +-[asnrvmpio]+)*",
        r"ifconfig(?: +-a)?(?: +[\w.:@-]+)?",
        r"route(?: +-(?:n|e|ee|6|en|ne))*",
        r"arp(?: +-[ane]+)*",
        r"sysctl(?: +-a|(?: +-n)?(?: +[a-z0-9_][a-z0-9_./-]*)+)",
        r"uptime(?: +-[ps])?",
        r"cat +/etc/(?:os-release|hosts|resolv\.conf|hostname|issue)",
        r"cat +/proc/(?:version|uptime|loadavg|meminfo|cpuinfo|net/[a-z0-9_]+)",
        r"hostname",
        r"whoami",
        r"id",
        r"pwd",
        r"date",
    )
)


def reads(line: str) -> bool:
    """Whether the line, in plain ASCII, certainly just reads."""
    line = line.strip()
    if _VTYSH.fullmatch(line):
        return all(ios.judge_exec(ios.GENERIC, command).level == "reading" for command in _arguments(line))
    return bool(_SAFE.fullmatch(line)) and any(pattern.fullmatch(line) for pattern in _COMMANDS)


def _arguments(line: str) -> list[str]:
    return [word for word in shlex.split(line)[1:] if word != "-c"]
