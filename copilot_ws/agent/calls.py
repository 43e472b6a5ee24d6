"""Puts the tool calls of one answer together from their fragments, in whatever order a provider sends them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from copilot_ws.agent.history import new_id, parsed_arguments
from copilot_ws.wire.text import clean


@dataclass(slots=True)
class CallParts:
    """One tool call while its fragments come in. `given` is the provider's own id, if it gave one."""

    id: str
    given: str | None
    name: str
    arguments: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(self.arguments)

    def parsed(self) -> dict[str, Any] | None:
        return parsed_arguments(self.text)


class CallAssembler:
    """Puts fragments of parallel calls together.

    Providers differ: fragments are told apart by id, by index, or only by order; some give every
    parallel call index 0, some repeat the id on each fragment, some send no id at all.
    """

    def __init__(self, taken: set[str]) -> None:
        self.calls: list[CallParts] = []
        self._lanes: dict[Any, CallParts] = {}
        self._taken = taken

    def feed(self, fragment: dict[str, Any]) -> tuple[CallParts, bool]:
        """The call that this fragment belongs to, and whether it is new."""
        given, name = fragment.get("id") or None, fragment.get("name") or ""
        lane = fragment.get("index")
        call = self._known(given, name, lane)
        new = call is None
        if call is None:
            call = CallParts(self._fresh(given), given, clean(name))
            self.calls.append(call)
        elif not call.name:
            call.name = clean(name)
        self._lanes[lane] = call
        arguments = fragment.get("args")
        if isinstance(arguments, dict):
            arguments = json.dumps(arguments)
        if arguments:
            call.arguments.append(arguments)
        return call, new

    def _known(self, given: str | None, name: str, lane: Any) -> CallParts | None:
        if given is not None:
            return next((call for call in self.calls if call.given == given), None)
        current = self._lanes.get(lane)
        if current is None or (name and current.name and current.parsed() is not None and current.arguments):
            return None  # a name after whole arguments opens the next call of a provider without ids
        return current

    def _fresh(self, given: str | None) -> str:
        """An id that no other call of this run has: some providers count from 0 in each answer."""
        call_id = clean(given) if given else f"call_{new_id()}"
        while call_id in self._taken:
            call_id = f"{call_id}_{new_id()[:8]}"
        self._taken.add(call_id)
        return call_id
