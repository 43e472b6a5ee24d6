"""How the demo model speaks of changes: what it is about to ask, what came of it, what it cannot do."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from copilot_ws.agent.demo.console import Port
from copilot_ws.agent.demo.lab import Lab, Outcome
from copilot_ws.agent.demo.words import CHANGES, code, faults, fence, output, paragraphs, plain, the_devices

ONE_AT_A_TIME = "One request at a time, please: I do one change, you see what came of it, then the next."

HOW_TO = f"""\
Say what you want and I do it; what configures a device, stops it or deletes something I ask you to confirm first. \
For example:

{CHANGES}"""

REPLACED = "You changed what I asked for; I call it again with exactly your arguments."

_LEGEND = re.compile(r"^Codes:.*\n(?:[ \t]+\S.*\n)*\n?", re.M)
_REJECTED = "A person rejected this call"
_NOT_RUN = {
    "Nobody decided": "Nobody decided in time, so it was not run; nothing was changed.",
    "Not run:": "It was stopped before it ran; nothing was changed.",
}


def cannot(what: str) -> str:
    """`what` is the feature that was asked for, as the person wrote it."""
    about = f"I have no rule for a change of this kind ({code(what)})" if what else "I have no rule for this change"
    return paragraphs(
        f"{about}, so I change nothing: the demo model is a set of rules. I can do, for example:",
        CHANGES,
        "For anything else, connect a real model with `COPILOT_WS_LLM_PROVIDER`, `COPILOT_WS_LLM_MODEL` and "
        "`COPILOT_WS_LLM_API_KEY`.",
    )


def asking(what: str) -> str:
    return f"I ask for your confirmation to {what}."


def missing(question: str, lab: Lab, example: str) -> str:
    """Asks back for a device that was not said."""
    return f"{question} {the_devices(lab)} For example: {code(example)}"


def which_port(device: str, ports: Sequence[Port]) -> str:
    return f"Which interface of {plain(device)}? It has: {port_list(ports)}."


def no_such_port(device: str, said: str, ports: Sequence[Port]) -> str:
    return f"{plain(device)} has no interface {code(said)}, so I change nothing. It has: {port_list(ports)}."


def port_list(ports: Sequence[Port]) -> str:
    return ", ".join(f"{plain(port.name)} ({port.ip})" if port.ip else plain(port.name) for port in ports)


def not_run(answer: Mapping[str, Any]) -> str:
    """Why a call did not do its work, from its answer without results."""
    error = str(answer.get("error") or "")
    if error.startswith(_REJECTED):
        reason = str(answer.get("reason") or "").strip()
        return "You rejected it; nothing was changed." + (f" Your reason: {plain(reason)}" if reason else "")
    if isinstance(sent := answer.get("sent"), dict):
        return paragraphs(f"It was stopped while it ran: {plain(error)}", _sent(sent))
    for start, said in _NOT_RUN.items():
        if error.startswith(start):
            return said
    return f"It was not done: {plain(error) or 'the tool gives no reason'}"


def _sent(sent: Mapping[str, Any]) -> str:
    lines = [f"{device}: {line}" for device, told in sent.items() if isinstance(told, list) for line in told]
    return paragraphs("These lines had been sent:", fence("\n".join(lines))) if lines else "No line had been sent."


def edited(arguments: Mapping[str, Any]) -> str:
    """What a person made of a call before it ran."""
    configs = arguments.get("device_configs")
    if not isinstance(configs, list):
        return paragraphs("A person changed it; this ran:", fence(json.dumps(arguments, indent=2, ensure_ascii=False)))
    lines = [
        f"{config.get('device_name')}: {line}"
        for config in configs
        if isinstance(config, dict)
        for line in config.get("config_commands") or config.get("commands") or []
    ]
    return paragraphs("A person changed the lines; these ran:", fence("\n".join(lines)))


def device_result(outcome: Outcome) -> str:
    """What a device made of its lines, in its own words."""
    name = plain(outcome.device_name)
    if outcome.status == "success":
        return paragraphs(f"Done: {name} took every line.", fence(outcome.output) if outcome.output.strip() else "")
    if outcome.status == "partial_success":
        said = fence(outcome.output) if outcome.output.strip() else ""
        return paragraphs(f"{name} took only a part of the lines.", said, plain(outcome.error))
    return paragraphs(fence(outcome.output) if outcome.output.strip() else "", faults(outcome))


def checked(outcome: Outcome, commands: Sequence[str]) -> str:
    """What a device says after a change, without the list of codes that comes before a routing table."""
    return output(replace(outcome, output=_LEGEND.sub("", outcome.output)), commands)


def listed(names: Iterable[str]) -> str:
    """`R1, R2 and R3`."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
