"""A call's arguments as a text that a person can edit, and back."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, NoReturn

from copilot_ws.terminal.question import Call
from copilot_ws.terminal.wording import cut, visible

DEVICES = "device_configs"
KEYS = ("config_commands", "commands")
EXPLAIN_LINES = (
    "Below each [DEVICE] stands what is sent to it, one command a line; blank lines do not count.",
    "Other comments than these are left out only above the first [DEVICE]: below it a # belongs to the command.",
)
EXPLAIN_JSON = ("These are the call's arguments, as JSON.",)
EXPLAIN_BOTH = ("Save and leave the editor to go on; without a change nothing happens.",)
_HEADER = re.compile(r"\[(.*)\]\s*$")


class Unreadable(Exception):
    """The text does not say which arguments are meant; the words are for the person who wrote it."""


def as_text(call: Call) -> str:
    """Lines under `[DEVICE]` headers where the arguments are of that kind and lose nothing by it, else JSON."""
    key = _key(call.arguments)
    explain = EXPLAIN_JSON if key is None else EXPLAIN_LINES
    comments = [f"# {line}" for line in (_title(call), *explain, *EXPLAIN_BOTH)]
    body = _as_json(call.arguments) if key is None else _as_lines(call.arguments, key)
    return "\n".join((*comments, "", body))


def _title(call: Call) -> str:
    return f"{visible(call.tool)}: {cut(visible(call.description))}"


def as_arguments(text: str, call: Call) -> dict[str, Any]:
    """The arguments that `text`, once made by `as_text`, stands for now. Raises `Unreadable`."""
    key = _key(call.arguments)
    if key is None:
        return _from_json(text)
    ours = {f"# {line}" for line in (_title(call), *EXPLAIN_LINES, *EXPLAIN_BOTH)}
    lines = ["" if line in ours else line for line in text.splitlines()]
    return {**call.arguments, DEVICES: _from_lines(lines, key)}


# lines under headers


def _key(arguments: dict[str, Any]) -> str | None:
    """The name under which every device has its lines; None if lines under headers could not say it all."""
    items = arguments.get(DEVICES)
    if not isinstance(items, list) or not items:
        return None
    return next((key for key in KEYS if all(_plain(item, key) for item in items)), None)


def _plain(item: Any, key: str) -> bool:
    if not isinstance(item, dict) or set(item) != {"device_name", key} or not isinstance(item[key], list):
        return False
    if not all(isinstance(text, str) for text in (item["device_name"], *item[key])):
        return False
    lines = [line for command in item[key] for line in command.splitlines()]
    return bool(item["device_name"].strip()) and all(line.isprintable() for line in (item["device_name"], *lines))


def _as_lines(arguments: dict[str, Any], key: str) -> str:
    sections = []
    for item in arguments[DEVICES]:
        lines = [line.strip() for command in item[key] for line in command.splitlines() if line.strip()]
        sections.append("".join(f"{line}\n" for line in (f"[{item['device_name']}]", *map(_guarded, lines))))
    return "\n".join(sections)


def _guarded(line: str) -> str:
    """A blank keeps a command that looks like a header from being one."""
    return f" {line}" if _HEADER.match(line) else line


def _from_lines(lines: Sequence[str], key: str) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    for number, line in enumerate(lines, 1):
        if header := _HEADER.match(line):
            items.append({"device_name": header[1].strip(), key: []})
        elif line.strip() and items:
            items[-1][key].append(line.strip())
        elif line.strip() and not line.startswith("#"):
            raise Unreadable(f"Line {number} stands above the first [DEVICE]: {cut(visible(line), 60)}")
    return _checked(items, key)


def _checked(items: list[dict[str, Any]], key: str) -> list[dict[str, Any]]:
    if not items:
        raise Unreadable("No [DEVICE] is left. To run nothing, reject the call.")
    for item in items:
        if not item["device_name"]:
            raise Unreadable("A [DEVICE] has no name.")
        if not item[key]:
            raise Unreadable(f"[{item['device_name']}] has no commands: give it some, or take its header out too.")
    return items


# JSON


def _as_json(arguments: dict[str, Any]) -> str:
    """Characters that an editor might hide are written as escapes."""
    text = json.dumps(arguments, indent=2, ensure_ascii=False)
    if not all(line.isprintable() for line in text.split("\n")):
        text = json.dumps(arguments, indent=2)
    return f"{text}\n"


def _from_json(text: str) -> dict[str, Any]:
    """Comments above the object become blank lines, so that the numbers of lines stay."""
    lines = text.splitlines()
    begin = next((number for number, line in enumerate(lines) if line.strip() and not line.startswith("#")), 0)
    try:
        found = json.loads("\n" * begin + "\n".join(lines[begin:]), parse_constant=_no_json)
    except json.JSONDecodeError as fault:
        raise Unreadable(f"This is no JSON: line {fault.lineno}, column {fault.colno}: {fault.msg}") from None
    except (ValueError, RecursionError) as fault:
        raise Unreadable(f"This is no JSON: {fault}") from None
    if not isinstance(found, dict):
        raise Unreadable("The arguments have to be one JSON object: {...}")
    return found


def _no_json(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number")
