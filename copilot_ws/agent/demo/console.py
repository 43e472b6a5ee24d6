"""What console output means: addresses, ping counts, hops, as IOS, VPCS, FRRouting and Linux print them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from statistics import fmean

_IP = r"(?:\d{1,3}\.){3}\d{1,3}"

_VPCS_ADDRESS = re.compile(rf"^[ \t]*IP/MASK[ \t]*:[ \t]*(?P<ip>{_IP}/\d+)", re.M)
_VPCS_GATEWAY = re.compile(rf"^[ \t]*GATEWAY[ \t]*:[ \t]*(?P<ip>{_IP})", re.M)
_BRIEF_LINE = re.compile(
    rf"^(?P<port>[A-Za-z][\w./:-]*)[ \t]+(?P<ip>{_IP})[ \t]+\w+[ \t]+\w+[ \t]+"
    r"(?P<state>administratively down|up|down)\b(?P<protocol>[ \t]+\w+)?",
    re.M,
)
_PORT_LINE = re.compile(
    rf"^(?P<port>[A-Za-z][\w./:-]*)[ \t]+(?P<ip>{_IP}|unassigned)[ \t]+\w+[ \t]+\w+[ \t]+"
    r"(?P<state>administratively down|up|down)[ \t]+(?P<protocol>up|down)\b",
    re.M,
)
_NEIGHBOR = re.compile(rf"^(?P<id>{_IP})[ \t]+\d+[ \t]+(?P<state>[A-Z0-9-]+)/", re.M)
_FRR_LINE = re.compile(rf"^(?P<port>[A-Za-z]\S*)[ \t]+(?P<state>up|down)[ \t]+\S+[ \t]+(?P<ip>{_IP}/\d+)", re.M)
_LINUX_LINE = re.compile(rf"^[ \t]+inet (?P<ip>{_IP}/\d+).*[ \t](?P<port>\S+)[ \t]*$", re.M)

_IOS_RATE = re.compile(
    r"Success rate is \d+ percent \((?P<received>\d+)/(?P<sent>\d+)\)(?:.*?= \d+/(?P<average>\d+)/)?"
)
_LINUX_RATE = re.compile(r"^(?P<sent>\d+) packets transmitted, (?P<received>\d+) (?:packets )?received", re.M)
_LINUX_TIMES = re.compile(r"min/avg/max(?:/\w+)? = [\d.]+/(?P<average>[\d.]+)/")
_VPCS_REPLY = re.compile(rf"^\d+ bytes from {_IP} icmp_seq=\d+ ttl=\d+ time=(?P<time>[\d.]+) ms", re.M)
_VPCS_LOSS = re.compile(rf"^(?:{_IP} icmp_seq=\d+ timeout|\*{_IP} icmp_seq=\d+ .*)", re.M)
_COMPLAINT = re.compile(r"^(?:%.*|.*(?:not reachable|unreachable|cannot resolve|no gateway).*)$", re.I | re.M)
_NO_TRY = re.compile(r"not reachable|unreachable|no gateway", re.I)

_HOP = re.compile(rf"^[ \t]*(?P<number>\d{{1,3}})[ \t]+(?:\*?(?:\S+ \()?(?P<ip>{_IP})|\*).*$", re.M)


@dataclass(frozen=True, slots=True)
class Address:
    """An address of a device, with its prefix length where the device tells it."""

    text: str
    port: str = ""
    up: bool = True
    gateway: str = ""

    @property
    def ip(self) -> str:
        return self.text.partition("/")[0]


@dataclass(frozen=True, slots=True)
class PingCount:
    """`sent` is 0 if the device gave up before its first try; `complaint` is its own line about that."""

    sent: int
    received: int
    average: float | None = None
    complaint: str = ""


def addresses(output: str) -> list[Address]:
    """The IPv4 addresses of a device, those of ports that are up first."""
    gateway = _VPCS_GATEWAY.search(output)
    via = gateway["ip"] if gateway and gateway["ip"] != "0.0.0.0" else ""
    found = [Address(match["ip"], gateway=via) for match in _VPCS_ADDRESS.finditer(output)]
    for match in _BRIEF_LINE.finditer(output):
        up = match["state"] == "up" and (match["protocol"] or "up").strip() == "up"
        found.append(Address(match["ip"], match["port"], up))
    found += [Address(match["ip"], match["port"], match["state"] == "up") for match in _FRR_LINE.finditer(output)]
    found += [Address(match["ip"], match["port"]) for match in _LINUX_LINE.finditer(output)]
    usable = [address for address in found if not address.ip.startswith(("0.", "127."))]
    return sorted(usable, key=lambda address: not address.up)


@dataclass(frozen=True, slots=True)
class Port:
    """An interface of a router; `ip` is empty if it has no address."""

    name: str
    ip: str
    up: bool

    @property
    def virtual(self) -> bool:
        """Whether it is up without being told so."""
        return self.name.lower().startswith(("lo", "tu", "nv"))


def ports(output: str) -> list[Port]:
    """What `show ip interface brief` lists, with or without addresses."""
    return [
        Port(
            match["port"],
            "" if match["ip"] == "unassigned" else match["ip"],
            match["state"] == match["protocol"] == "up",
        )
        for match in _PORT_LINE.finditer(output)
    ]


def same_port(one: str, other: str) -> bool:
    """Whether two names mean one interface: `Gi0/2`, `gigabitethernet 0/2`, `GigabitEthernet0/2`."""
    (kind, number), (other_kind, other_number) = map(_port_parts, (one, other))
    return number == other_number and (kind.startswith(other_kind) or other_kind.startswith(kind))


def _port_parts(name: str) -> tuple[str, str]:
    kind = re.match(r"[a-z-]*", name.lower())
    letters = kind[0] if kind else ""
    return letters, name[len(letters) :].strip()


def neighbors(output: str) -> list[tuple[str, str]]:
    """The OSPF neighbors, as (router id, state)."""
    return [(match["id"], match["state"]) for match in _NEIGHBOR.finditer(output)]


def ping_count(output: str) -> PingCount | None:
    """How many replies came; None if the output does not say."""
    complaint = _COMPLAINT.search(output)
    said = complaint.group().strip() if complaint else ""
    if rate := _IOS_RATE.search(output):
        return PingCount(int(rate["sent"]), int(rate["received"]), _number(rate["average"]), said)
    if rate := _LINUX_RATE.search(output):
        spent = _LINUX_TIMES.search(output)
        average = _number(spent["average"]) if spent else None
        return PingCount(int(rate["sent"]), int(rate["received"]), average, said)
    times = [float(reply["time"]) for reply in _VPCS_REPLY.finditer(output)]
    lost = sum(1 for _ in _VPCS_LOSS.finditer(output))
    if times or lost:
        return PingCount(len(times) + lost, len(times), fmean(times) if times else None, said)
    return PingCount(0, 0, complaint=said) if _NO_TRY.search(said) else None


def hops(output: str) -> list[str]:
    """The routers on a trace's way, nearest first; "*" where none answered."""
    return [match["ip"] or "*" for match in _HOP.finditer(output)]


def _number(text: str | None) -> float | None:
    return None if text is None else float(text)
