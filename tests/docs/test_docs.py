"""The documentation names everything that a client or an operator meets, and its commands exist."""

from __future__ import annotations

import argparse
import importlib
import os
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import copilot_ws
from copilot_ws.__main__ import _parser
from copilot_ws.agent import faults
from copilot_ws.commands import CHAT
from copilot_ws.settings import PREFIX, Settings
from copilot_ws.wire.errors import CopilotError
from copilot_ws.wire.events import EVENT_TYPES, FRAME_TYPES

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "copilot_ws"
README = (ROOT / "README.md").read_text()
PROTOCOL = (ROOT / "docs" / "protocol.md").read_text()
SETTINGS = (ROOT / "docs" / "settings.md").read_text()
DOCUMENTS = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]

SPEAKS = ("core", "transport", "wire")  # the packages that make events and frames
NO_EVENTS = {"function"}  # `"type": "function"` is part of a tool call
SOCKET_CODES = {"bad_frame", "id_reuse", "unknown_command", "token_expired", "internal", "interrupted"}


def headings(text: str) -> list[str]:
    return re.findall(r"^#{2,4} (.+)$", text, re.MULTILINE)


def sources(*packages: str) -> Iterator[str]:
    for package in packages:
        for path in sorted((PACKAGE / package).rglob("*.py")):
            if path.name != "events.py":  # the list itself
                yield path.read_text()


def published() -> set[str]:
    """Every `type` that the code writes into an event or a frame."""
    found: set[str] = set()
    for text in sources(*SPEAKS):
        found.update(re.findall(r'"type": "(\w+)"', text))
        found.update(re.findall(r'"((?:session|project|topology)_(?:created|updated|deleted))"', text))
        found.update(re.findall(r'self\._merge\("(\w+)"', text))
    return found - NO_EVENTS


def error_codes() -> set[str]:
    for module in pkgutil.walk_packages(copilot_ws.__path__, "copilot_ws."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    found = {CopilotError.code} | {kind.code for kind in subclasses(CopilotError)} | set(faults._WORDS)
    for text in sources("."):
        found.update(re.findall(r'LlmError\(\s*"(\w+)"', text))
        found.update(re.findall(r'"code": "(\w+)"', text))
    return found | SOCKET_CODES


def subclasses(kind: type[CopilotError]) -> Iterator[type[CopilotError]]:
    for child in kind.__subclasses__():
        if child.__module__.startswith("copilot_ws."):
            yield child
        yield from subclasses(child)


@pytest.mark.parametrize("command", sorted(CHAT))
def test_every_command_has_a_heading(command: str) -> None:
    assert headings(PROTOCOL).count(command) == 1


@pytest.mark.parametrize("kind", sorted(EVENT_TYPES))
def test_every_event_has_a_heading(kind: str) -> None:
    assert headings(PROTOCOL).count(kind) == 1


def test_the_list_of_events_is_what_the_code_publishes() -> None:
    assert published() == EVENT_TYPES | FRAME_TYPES


def test_every_error_code_stands_in_a_table() -> None:
    documented = set(re.findall(r"^\| `(\w+)` \|", PROTOCOL, re.MULTILINE))
    assert error_codes() - documented == set()


def dangers() -> set[str]:
    """Why a person is asked a second time, as the rules and the tools say it."""
    rules = re.findall(r'Rule\(\s*"dangerous",\s*"([^"]+)"', "\n".join(sources("labs/danger")))
    tools = re.findall(r'(?:GONE|reason) = "([^"]+)"', "\n".join(sources("agent/tools")))
    return {*rules, *tools}


def test_the_page_says_every_error_code_and_every_danger_in_chinese() -> None:
    text = (ROOT / "static" / "js" / "i18n" / "zh_server.js").read_text()
    assert error_codes() <= set(re.findall(r"^    (\w+): ", text, re.MULTILINE))
    assert dangers() <= set(re.findall(r'^    "(.+)": "', text, re.MULTILINE))
    assert len(dangers()) > 50


@pytest.mark.parametrize("code", ["1000", "1001", "1008", "1009", "1011", "4401", "4403", "4408"])
def test_every_close_code_stands_in_a_table(code: str) -> None:
    assert re.search(rf"^\| {code} \|", PROTOCOL, re.MULTILINE)


@pytest.mark.parametrize("name", sorted(Settings.model_fields))
def test_every_setting_is_in_the_table_with_its_default(name: str) -> None:
    row = re.search(rf"^\| `{PREFIX}{name.upper()}` \| (.*?) \|", SETTINGS, re.MULTILINE)
    assert row is not None
    default = Settings.model_fields[name].default
    if isinstance(default, int | float) or (isinstance(default, str) and default):
        assert row[1] == f"`{default:g}`".replace("+", "") if isinstance(default, float) else f"`{default}`"


def test_no_setting_is_documented_that_does_not_exist() -> None:
    everywhere = "\n".join(path.read_text() for path in DOCUMENTS)
    named = set(re.findall(rf"{PREFIX}([A-Z0-9_]*[A-Z0-9])", everywhere))
    assert named - {name.upper() for name in Settings.model_fields} == set()


# the README's commands


def shell_lines() -> list[str]:
    blocks = re.findall(r"^```sh\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines() if line and not line.startswith("#")]


def options_of(command: str) -> set[str]:
    commands = next(a for a in _parser()._actions if isinstance(a, argparse._SubParsersAction))
    return {option for action in commands.choices[command]._actions for option in action.option_strings}


def test_the_readme_has_its_two_commands() -> None:
    assert {"scripts/start", "scripts/test"} <= set(shell_lines())


@pytest.mark.parametrize("line", shell_lines())
def test_a_line_of_the_readme_names_what_exists(line: str) -> None:
    for script in re.findall(r"(?<!\S)scripts/\w+", line):
        assert os.access(ROOT / script, os.X_OK)
    for path in re.findall(r"(?<!\S)(?:tests|docs|static)/\S+", line):
        assert (ROOT / path).exists()
    if match := re.search(r"copilot-ws (\w+)(.*)", line):
        command, rest = match.groups()
    elif match := re.search(r"scripts/start(.*)", line):
        command, rest = "serve", match[1]
    else:
        return
    assert set(re.findall(r"(?<!\S)(--[a-z0-9-]+)", rest)) <= options_of(command)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", path.read_text()):
        if target.startswith("https://"):
            continue
        file, _, anchor = target.partition("#")
        linked = (path.parent / file) if file else path
        assert linked.exists(), target
        if anchor:
            anchors = {re.sub(r"[^\w-]", "", title.lower().replace(" ", "-")) for title in headings(linked.read_text())}
            assert anchor in anchors, target
