"""Shows as a unified diff what a person changed in a call's arguments."""

from __future__ import annotations

import difflib
import json
from typing import Any


def summary(before: dict[str, Any], after: dict[str, Any]) -> str:
    """Per device where the arguments are lines for devices, else of the arguments as JSON; "" if they are equal."""
    old, new = _lines_by_device(before), _lines_by_device(after)
    if old is None or new is None:
        return _diff("arguments", _as_json(before), _as_json(after))
    return "".join(_diff(name, old.get(name, []), new.get(name, [])) for name in {**old, **new})


def _lines_by_device(arguments: dict[str, Any]) -> dict[str, list[str]] | None:
    configs = arguments.get("device_configs")
    if not isinstance(configs, list) or not all(isinstance(item, dict) for item in configs):
        return None
    found: dict[str, list[str]] = {}
    for item in configs:
        lines = item.get("config_commands", item.get("commands"))
        if not isinstance(lines, list):
            return None
        found.setdefault(str(item.get("device_name")), []).extend(str(line) for line in lines)
    return found


def _as_json(arguments: dict[str, Any]) -> list[str]:
    return json.dumps(arguments, indent=2, ensure_ascii=False).splitlines()


def _diff(name: str, before: list[str], after: list[str]) -> str:
    lines = difflib.unified_diff(before, after, f"{name} (asked)", f"{name} (changed)", lineterm="")
    return "".join(f"{line}\n" for line in lines)
