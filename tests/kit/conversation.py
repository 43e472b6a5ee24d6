"""What holds for every conversation: well-formed histories, one result per call, events that fold into history."""

from __future__ import annotations

import copy
import itertools
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]


def assert_valid(messages: Sequence[Json]) -> None:
    """Each call has exactly one tool message, directly after the answer that made it; ids are unique."""
    waiting: list[str] = []
    for message in messages:
        assert isinstance(message["content"], str)
        if message["role"] == "tool":
            assert message["tool_call_id"] in waiting, f"a result of no call: {message}"
            waiting.remove(message["tool_call_id"])
            continue
        assert not waiting, f"calls without a result: {waiting}"
        waiting = [call["id"] for call in message.get("tool_calls", ())]
    assert not waiting, f"calls without a result: {waiting}"
    repeated = [found for found, times in Counter(message["id"] for message in messages).items() if times > 1]
    assert not repeated


@dataclass(frozen=True)
class Turn:
    """The events of one run, as one client got them."""

    session_id: str
    run_id: str
    message_id: str
    events: list[Json]

    def of(self, kind: str) -> list[Json]:
        return [event for event in self.events if event["type"] == kind]

    @property
    def done(self) -> Json:
        (done,) = self.of("done")
        return done

    @property
    def outcome(self) -> str:
        return str(self.done["outcome"])

    @property
    def text(self) -> str:
        return "".join(event["content"] for event in self.of("content"))

    @property
    def thoughts(self) -> str:
        return "".join(event["content"] for event in self.of("reasoning"))

    @property
    def error_code(self) -> str | None:
        return next((event["code"] for event in self.of("error")), None)

    @property
    def results(self) -> dict[str, Json]:
        """`tool_end` by call id. Every call that was shown has completed once and ended once, and no other has."""
        shown = {event["tool_call"]["id"] for event in self.of("tool_call")}
        complete = Counter(
            e["tool_call"]["id"] for e in self.of("tool_call") if e["tool_call"]["function"].get("complete")
        )
        ended = Counter(event["tool_call_id"] for event in self.of("tool_end"))
        assert complete == ended == Counter(shown)
        return {event["tool_call_id"]: event for event in self.of("tool_end")}

    @property
    def statuses(self) -> list[str]:
        return [result["status"] for result in self.results.values()]


def told(messages: Iterable[Json]) -> list[tuple[Any, ...]]:
    """What a conversation says, without ids and times that events do not carry; results of a batch in no order."""
    found: list[tuple[Any, ...]] = []
    for is_tool, group in itertools.groupby(messages, lambda message: message["role"] == "tool"):
        if is_tool:
            found += sorted((message["tool_call_id"], message["content"]) for message in group)
        else:
            found += [(message["role"], message["content"], _calls(message)) for message in group]
    return found


def _calls(message: Json) -> list[tuple[str, str, str]]:
    calls = message.get("tool_calls", ())
    return [(call["id"], call["function"]["name"], call["function"]["arguments"]) for call in calls]


def fold(messages: Sequence[Json], events: Iterable[Json]) -> list[Json]:
    """`messages` as a client shows them after `events`: what the page's reducer does, in a few lines."""
    shown = copy.deepcopy(list(messages))
    by_id = {message["id"]: message for message in shown}

    def assistant(message_id: str) -> Json:
        if message_id not in by_id:
            by_id[message_id] = {"id": message_id, "role": "assistant", "content": ""}
            shown.append(by_id[message_id])
        return by_id[message_id]

    for event in events:
        kind = event["type"]
        if kind == "run_started" and event["message_id"] not in by_id:
            if "replaces_message_id" in event:
                _cut_back(shown, event["replaces_message_id"])
            by_id[event["message_id"]] = {"id": event["message_id"], "role": "user", "content": event["message"]}
            shown.append(by_id[event["message_id"]])
        elif kind == "content":
            assistant(event["message_id"])["content"] += event["content"]
        elif kind == "tool_call":
            calls = assistant(event["message_id"]).setdefault("tool_calls", [])
            _put(calls, event["tool_call"], "id")
        elif kind == "tool_end":
            result = {"role": "tool", "tool_call_id": event["tool_call_id"], "content": event["tool_output"]}
            _put(shown, result, "tool_call_id")
    return shown


def _cut_back(shown: list[Json], message_id: str) -> None:
    """A replaced message goes with all that follows it."""
    del shown[next(place for place, message in enumerate(shown) if message.get("id") == message_id) :]


def _put(things: list[Json], new: Json, key: str) -> None:
    """Replaces the thing that has the same key, in its place."""
    place = next((n for n, thing in enumerate(things) if thing.get(key) == new[key]), len(things))
    things[place : place + 1] = [new]
