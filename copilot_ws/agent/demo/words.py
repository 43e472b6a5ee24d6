"""How the demo model says things: short markdown, in which everything from the lab is data."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from copilot_ws.agent.demo.console import Address, PingCount, addresses
from copilot_ws.agent.demo.intents import ProbeKind, State
from copilot_ws.agent.demo.lab import Device, Lab, Link, Outcome

MAX_LINE = 500  # characters
MAX_QUOTE = 6000  # characters of one output in an answer; the tool's own result has the rest

_MARKDOWN = re.compile(r"[\\`*\[\]<>|#~]|^[-+=]|(?<!\w)_|_(?!\w)")
_STATE_NAMES: dict[State, str] = {"started": "running", "stopped": "stopped", "suspended": "suspended"}

EXAMPLES = """\
- What is in this lab?
- Can PC1 reach PC2?
- Set the address of R1 Gi0/2 to 10.9.9.1/24"""

CHANGES = """\
- Set the address of R1 Gi0/2 to 10.9.9.1/24, or: create loopback 10 with 1.1.1.1/32 on R1
- Give PC1 the address 10.0.1.20/24 with gateway 10.0.1.1
- Add a static route to 10.0.9.0/24 via 10.0.12.2 on R1
- Configure OSPF on all routers
- Shut down interface Gi0/2 on R1
- Set the hostname, or the description of an interface
- Save the configuration of R1
- Add a VPCS named PC3, link PC3 e0 to R1 Gi0/2, start, stop, suspend, rename or delete a device"""

HELP = f"""\
Hello, I am the embedded demo model of copilot-ws: a set of rules, not a language model. \
I need no key and no network.

I read the topology, run `show` commands on devices, ping and trace. For example:

- What is in this lab?
- show ip route on R1
- Can PC1 reach PC2?
- Trace from PC1 to PC2

I also change things. What configures a device, stops it or deletes something is done only after you confirm it:

{CHANGES}"""

THANKS = "You are welcome."
DECLINED = "All right."

UNKNOWN = f"""\
I do not understand this: I am the embedded demo model, a set of rules for simple requests. \
I can answer, for example:

{EXAMPLES}

For anything else, connect a real model with `COPILOT_WS_LLM_PROVIDER`, `COPILOT_WS_LLM_MODEL` and \
`COPILOT_WS_LLM_API_KEY`."""


def plain(text: str) -> str:
    """A name or an error from the lab, as one line that cannot be markup."""
    line = " ".join(text.split())
    return _MARKDOWN.sub(r"\\\g<0>", line if len(line) <= MAX_LINE else f"{line[:MAX_LINE]}...")


def code(text: str) -> str:
    """A short text as inline code."""
    return f"`{' '.join(text.split()).replace('`', chr(39))}`"


def fence(text: str) -> str:
    """Console output as a block that it cannot end by itself."""
    text = text.strip("\n")
    if (cut := len(text) - MAX_QUOTE) > 0:
        text = f"{text[:MAX_QUOTE]}\n... {cut} more characters in the tool's result"
    longest = max((len(ticks) for ticks in re.findall(r"`+", text)), default=0)
    ticks = "`" * max(3, longest + 1)
    return f"{ticks}text\n{text}\n{ticks}"


def names(devices: Iterable[Device]) -> str:
    return ", ".join(plain(device.name) for device in devices)


def paragraphs(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *([plain(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def device_table(lab: Lab) -> str:
    if not lab.devices:
        return "The lab has no devices."
    rows = ([device.name, device.node_type, device.platform, device.status] for device in lab.devices)
    return table(["Device", "Type", "Platform", "Status"], rows)


def link_table(links: Sequence[Link]) -> str:
    if not links:
        return "There are no links."
    rows = ([end for pair in (*link.ends, ("", ""), ("", ""))[:2] for end in pair] for link in links)
    return table(["From", "Port", "To", "Port"], rows)


def lab_line(lab: Lab) -> str:
    title = f"The lab {plain(lab.name)}" if lab.name else "The lab"
    return f"{title} has {_count(len(lab.devices), 'device')} and {_count(len(lab.links), 'link')}."


def state_line(lab: Lab, state: State | None) -> str:
    """Which devices are in a state; without one, how many run and which do not."""
    wanted = state or "started"
    found = [device for device in lab.devices if device.status == wanted]
    name, total = _STATE_NAMES[wanted], len(lab.devices)
    if not total:
        return "The lab has no devices."
    if found and len(found) == total:
        return (
            f"All {_count(total, 'device')} are {name}: {names(found)}." if total > 1 else f"{names(found)} is {name}."
        )
    if state is not None and state != "started":
        return (
            f"{len(found)} of {_count(total, 'device')} {name}: {names(found)}." if found else f"No device is {name}."
        )
    others = "; ".join(device_state(device) for device in lab.devices if device not in found)
    running = f"{len(found)} of {_count(total, 'device')} {name}" + (f": {names(found)}" if found else "")
    return f"{running}. {others}."


def device_state(device: Device) -> str:
    state = {"started": "running"}.get(device.status, device.status)
    return f"{plain(device.name)} is {plain(state) or 'in an unknown state'}"


def no_such_device(unknown: Sequence[tuple[str, str]], lab: Lab) -> str:
    """Which words name no device, what was perhaps meant, and what there is."""
    said = " ".join(
        f"There is no device named {code(word)}." + (f" Did you mean {plain(near)}?" if near else "")
        for word, near in unknown
    )
    return f"{said} {the_devices(lab)}".strip()


def the_devices(lab: Lab) -> str:
    return f"The lab has: {names(lab.devices)}." if lab.devices else "The lab has no devices."


def which_device(preposition: str, lab: Lab, request: str) -> str:
    """Asks back for a device; `request` is what to say, without its name."""
    example = f" For example: {code(f'{request} {lab.devices[0].name}')}" if lab.devices else ""
    return f"{preposition} which device? {the_devices(lab)}{example}"


def output(outcome: Outcome, commands: Sequence[str]) -> str:
    """One device's answer under its name, with everything that went wrong."""
    said = f"{plain(outcome.device_name)}, {', '.join(map(code, commands))}:"
    return paragraphs(f"**{said}**", fence(outcome.output) if outcome.output.strip() else "", faults(outcome))


def faults(outcome: Outcome) -> str:
    """What of a device's commands failed or was refused; empty if nothing was."""
    lines = [f"{code(command)} was not run: {plain(reason)}" for command, reason in outcome.blocked]
    if outcome.error or (outcome.status == "failed" and not lines):
        lines.append(f"{plain(outcome.device_name)} failed: {plain(outcome.error) or 'the tool gives no reason'}")
    if not lines and not outcome.output.strip():
        lines.append("The device printed nothing.")
    return "\n".join(lines)


def address_lines(outcome: Outcome) -> str:
    """A device's addresses, or its own words if there are none in them."""
    found = addresses(outcome.output)
    if not found:
        return paragraphs(f"{plain(outcome.device_name)}: I see no IP address.", quoted(outcome))
    listed = ", ".join(_address(address) for address in found)
    return paragraphs(f"{plain(outcome.device_name)}: {listed}", faults(outcome))


def quoted(outcome: Outcome) -> str:
    return paragraphs(fence(outcome.output) if outcome.output.strip() else "", faults(outcome))


def ping_verdict(source: str, target: str, count: PingCount | None) -> str:
    if count is None:
        return f"I cannot tell from its answer whether {source} reaches {target}."
    if count.received == 0:
        replies = f", 0 of {count.sent} replies" if count.sent else ""
        return f"No: {source} does not reach {target}{replies}." + _complaint(count)
    time = f", about {_ms(count.average)}" if count.average is not None else ""
    if count.received == count.sent:
        return f"Yes: {source} reaches {target}, {count.received} of {count.sent} replies{time}."
    return f"Partly: {source} reaches {target}, but only {count.received} of {count.sent} replies came{time}."


def trace_verdict(source: str, target: str, ip: str, way: Sequence[str]) -> str:
    if not way:
        return f"I cannot tell from its answer which way {source} takes to {target}."
    path = " → ".join(way[:30])
    if way[-1] == ip:
        return f"{source} reaches {target} in {_count(len(way), 'hop')}: {path}."
    last = next((hop for hop in reversed(way) if hop != "*"), "")
    return f"The trace from {source} does not get to {target}" + (f": the last answer is from {last}." if last else ".")


def probe_name(kind: ProbeKind) -> str:
    return "ping" if kind == "ping" else "trace the way to"


def _address(address: Address) -> str:
    notes = [
        plain(address.port),
        "" if address.up else "down",
        f"gateway {address.gateway}" if address.gateway else "",
    ]
    said = ", ".join(note for note in notes if note)
    return f"{address.text} ({said})" if said else address.text


def _complaint(count: PingCount) -> str:
    return f" The console says: {code(count.complaint)}" if count.complaint else ""


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _ms(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0") + " ms" if value < 10 else f"{value:.0f} ms"
