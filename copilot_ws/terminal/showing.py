"""Draws what a person is asked: each call with its lines, the dangerous ones in red, and what it would change."""

from __future__ import annotations

import json
from collections.abc import Iterator

from rich.text import Text

from copilot_ws.terminal.question import Call, Danger, Lines
from copilot_ws.terminal.wording import visible

DANGER = "bold red"
DIFF_STYLES = (("+++", "bold"), ("---", "bold"), ("@@", "cyan"), ("+", "green"), ("-", "red"))


def call_lines(call: Call, place: str = "") -> list[Text]:
    """The whole call; `place` says which of several it is."""
    return [*_head(call, place), *_body(call), *_preview(call)]


def _head(call: Call, place: str) -> Iterator[Text]:
    level = ("DANGEROUS", DANGER) if call.dangerous else (f"({visible(call.level)})", "yellow")
    yield Text.assemble((f"{place}{visible(call.tool)}  ", "bold yellow"), level)
    if call.description:
        yield Text(f"  {visible(call.description)}", "yellow")


def _body(call: Call) -> Iterator[Text]:
    unplaced = list(call.dangers)
    for device in call.devices:
        yield Text.assemble((f"  {visible(device.device)}", "bold"), (_platform(device), "dim"))
        yield from _numbered(device, unplaced)
    if not call.devices:
        for line in json.dumps(call.arguments, indent=2, ensure_ascii=False).splitlines():
            yield Text(f"  {visible(line)}")
    for danger in unplaced:
        yield Text(f"  ! {danger.words}", DANGER)


def _platform(device: Lines) -> str:
    return f" ({visible(device.platform)})" if device.platform else ""


def _numbered(device: Lines, unplaced: list[Danger]) -> Iterator[Text]:
    """The lines in order; a danger that belongs to one of them is taken out of `unplaced`."""
    width = max(2, len(str(len(device.lines))))
    for number, line in enumerate(device.lines, 1):
        found = [one for one in unplaced if (one.device, one.command.strip()) == (device.device, line.strip())][:1]
        yield Text.assemble((f"  {number:>{width + 2}}  ", "dim"), (visible(line), DANGER if found else ""))
        for danger in found:
            unplaced.remove(danger)
            yield Text(f"  {'':>{width + 2}}  ! {visible(danger.reason)}", DANGER)


def _preview(call: Call) -> Iterator[Text]:
    if call.preview:
        yield Text("  What it would change:", "bold")
        yield from diff_lines(call.preview)
    elif call.devices:
        yield Text("  What it would change could not be worked out.", "dim")


def diff_lines(diff: str) -> list[Text]:
    """A unified diff in its colours."""
    return [Text(f"    {visible(line)}", _style(line)) for line in diff.splitlines()]


def _style(line: str) -> str:
    return next((style for mark, style in DIFF_STYLES if line.startswith(mark)), "dim")
