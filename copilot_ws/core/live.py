"""A run while it goes: what it says becomes events of the feed and messages of the history, in step."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from copilot_ws.core.feed import Event, Feed
from copilot_ws.core.ports import Outcome, Stop, ToolStatus
from copilot_ws.wire.limits import RunLimits
from copilot_ws.wire.models import Message, Usage
from copilot_ws.wire.times import utcnow

audit = logging.getLogger("copilot_ws.audit")
"""One line for each run with its parameters, and one for each limit that it reaches."""

# Measured: merging for 20 ms, with the first piece at once, takes most of the cost per token off a stream.
MERGE_SECONDS = 0.02

Save = Callable[[Sequence[Message]], Awaitable[None]]


class LiveRun:
    """The `Sink` of one run. Everything but `save` is synchronous: an event and the history that it
    stands for change in one step, so a reader sees both or neither.
    """

    def __init__(
        self, run_id: str, session_id: str, user_id: str, feed: Feed, save: Save, answered: asyncio.Event
    ) -> None:
        self.run_id, self.session_id, self.user_id = run_id, session_id, user_id
        self.feed = feed
        self.started_at = utcnow()
        self.begun = time.monotonic()
        self.first_seq = feed.seq + 1
        self.stop = Stop()
        self.limits = RunLimits()
        self.usage_so_far = Usage()
        self.outcome: Outcome | None = None
        self.error: dict[str, str] | None = None
        self.undoable = False
        self.duration_ms: int | None = None
        self.messages: list[Message] = []
        self.session: dict[str, Any] | None = None
        self.ended = asyncio.Event()
        self.answered = answered
        """Set while the run waits for a person, and when it has ended."""
        self._saved = 0
        self._saved_as: Message | None = None
        """The user's message as it stands in the database."""
        self._save = save
        self._partial: dict[str, Any] | None = None
        self._partial_text: list[str] = []
        self._partial_thoughts: list[str] = []
        self._partial_calls: dict[str, dict[str, Any]] = {}
        self._started: set[str] = set()
        self._pending: dict[tuple[str, str], Event] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._last_flush = 0.0

    # what the rest of the core uses

    def take_up(self, messages: Sequence[Message], usage: Usage) -> None:
        """The messages that stand in the database already, the person's first, and what they cost."""
        self.messages = list(messages)
        self._saved, self._saved_as = len(self.messages), self.messages[0]
        self.usage_so_far = usage

    def tell_session(self, kind: str, session: dict[str, Any], status: str) -> None:
        """`session_created` or `session_updated`, which belong to no run."""
        self._flush()
        self.feed.publish({"type": kind, "session_id": self.session_id, "session": {**session, "status": status}})

    def publish(self, event: Event) -> None:
        """Sends an event of this run after everything that was said before it."""
        self._flush()
        self._publish(event)

    def _publish(self, event: Event) -> None:
        kind = event.pop("type")
        self.feed.publish({"type": kind, "session_id": self.session_id, "run_id": self.run_id, **event})

    def history(self) -> list[dict[str, Any]]:
        """The run's OpenAIMessages so far, the one that is still streaming with `metadata.partial`.

        They hold exactly the events up to the feed's present number.
        """
        self._flush()
        shapes = [message.shape for message in self.messages]
        if (partial := self.partial()) is not None:
            shapes.append(partial.shape)
        return shapes + self._running_calls(shapes)

    def _running_calls(self, shapes: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """A partial tool message for each call without a result yet: history never shows one unanswered."""
        open_calls: dict[str, str] = {}
        for shape in shapes:
            for call in shape.get("tool_calls") or ():
                open_calls[call["id"]] = call["function"]["name"]
            open_calls.pop(shape.get("tool_call_id", ""), None)
        partial = {"role": "tool", "content": "", "created_at": self.started_at}
        return [
            {
                **partial,
                "id": f"running-{call_id}",
                "name": name,
                "tool_call_id": call_id,
                "metadata": {"partial": True, **({"started": True} if call_id in self._started else {})},
            }
            for call_id, name in open_calls.items()
        ]

    def partial(self) -> Message | None:
        """The message that is still streaming, as far as it has come."""
        if self._partial is None:
            return None
        metadata: dict[str, Any] = {"partial": True}
        if self._partial_thoughts:
            metadata["reasoning"] = "".join(self._partial_thoughts)
        shape = {**self._partial, "content": "".join(self._partial_text), "metadata": metadata}
        if self._partial_calls:
            shape["tool_calls"] = list(self._partial_calls.values())
        return Message(shape)

    def _in_order(self) -> int:
        """How many messages may be written: what stands after a result that is still to come waits for it."""
        waiting: list[str] = []
        for place, message in enumerate(self.messages):
            if message.role == "tool" and waiting and message.shape["tool_call_id"] != waiting.pop(0):
                return place
            waiting += message.call_ids
        return len(self.messages)

    def close(self) -> None:
        self._flush()

    # the Sink

    def content(self, message_id: str, text: str) -> None:
        self._streaming(message_id)
        self._partial_text.append(text)
        self._merge("content", message_id, text)

    def reasoning(self, message_id: str, text: str) -> None:
        self._streaming(message_id)
        self._partial_thoughts.append(text)
        self._merge("reasoning", message_id, text)

    def tool_call(self, message_id: str, call_id: str, name: str, arguments: str, complete: bool) -> None:
        self._streaming(message_id)
        function: dict[str, Any] = {"name": name, "arguments": arguments}
        call: dict[str, Any] = {"id": call_id, "type": "function", "function": function}
        self._partial_calls[call_id] = {**call, "function": dict(function)}
        if complete:
            call["complete"] = function["complete"] = True
        event = {"type": "tool_call", "tool_call": call, "message_id": message_id}
        if arguments and not complete:
            self._pending[("tool_call", call_id)] = event
            self._arm()
        else:
            self._pending.pop(("tool_call", call_id), None)
            self.publish(event)

    def message(self, message: Message) -> None:
        self._flush()
        self._partial = None
        self.messages.append(message)

    def tool_start(self, call_id: str, name: str) -> None:
        self._started.add(call_id)
        self.publish({"type": "tool_start", "tool_name": name, "tool_call_id": call_id})

    def tool_progress(self, call_id: str, name: str, device: str | None, done: int, total: int, text: str) -> None:
        event: Event = {"type": "tool_progress", "tool_name": name, "tool_call_id": call_id}
        if device is not None:
            event["device_name"] = device
        self.publish({**event, "done": done, "total": total, "message": text})

    def tool_end(self, message: Message, status: ToolStatus, duration_ms: int) -> None:
        shape = message.shape
        event = {"type": "tool_end", "tool_name": shape["name"], "tool_call_id": shape["tool_call_id"]}
        if "executed_args" in message.metadata:
            event["executed_args"] = message.metadata["executed_args"]
        self.publish({**event, "tool_output": shape["content"], "status": status, "duration_ms": duration_ms})
        self.messages.insert(self._place_of(message), message)

    def usage(self, model: str, input_tokens: int, output_tokens: int, cost_usd: float | None, cut: bool) -> None:
        self.usage_so_far.add(model, input_tokens, output_tokens, cost_usd)
        event: Event = {"type": "usage", "usage": self.usage_so_far.shape()}
        self.publish({**event, "cut": True} if cut else event)

    def llm_retry(self, attempt: int, of: int, delay_seconds: float, code: str, text: str) -> None:
        pause = {"attempt": attempt, "of": of, "delay_seconds": round(delay_seconds, 2)}
        self.publish({"type": "llm_retry", **pause, "code": code, "message": text})

    def limit_reached(self, limit: str, value: float, text: str) -> None:
        reached = {"limit": limit, "value": value, "message": text}
        self.publish({"type": "limit_reached", **reached})
        audit.info("run %s session %s user %s: reached %s", self.run_id, self.session_id, self.user_id, reached)
        said = self.messages[0]
        self.messages[0] = said.noting(limits=[*said.metadata.get("limits", ()), reached])

    async def save(self) -> None:
        begun, end = self._saved, self._in_order()
        said = self.messages[0]
        noted = [said] if said is not self._saved_as else []
        if noted or end > begun:
            await self._save([*noted, *self.messages[begun:end]])
            self._saved, self._saved_as = max(self._saved, end), said

    # merging

    def _streaming(self, message_id: str) -> None:
        if self._partial is None or self._partial["id"] != message_id:
            self._partial = {"id": message_id, "role": "assistant", "created_at": utcnow()}
            self._partial_text, self._partial_thoughts, self._partial_calls = [], [], {}

    def _place_of(self, result: Message) -> int:
        """Results stand in the order of their calls, whichever ends first."""
        call_id = result.shape["tool_call_id"]
        for place, message in enumerate(self.messages):
            if call_id in (ids := message.call_ids):
                earlier = set(ids[: ids.index(call_id)])
                return place + 1 + sum(m.shape.get("tool_call_id") in earlier for m in self.messages[place + 1 :])
        return len(self.messages)

    def _merge(self, kind: str, message_id: str, text: str) -> None:
        waiting = self._pending.get((kind, message_id))
        if waiting is not None:
            waiting["content"] += text
            return
        self._pending[(kind, message_id)] = {"type": kind, "content": text, "message_id": message_id}
        self._arm()

    def _arm(self) -> None:
        if self._timer is not None:
            return
        loop = asyncio.get_running_loop()
        wait = self._last_flush + MERGE_SECONDS - loop.time()
        self._timer = loop.call_later(wait, self._flush) if wait > 0 else loop.call_soon(self._flush)  # type: ignore[assignment]

    def _flush(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._pending:
            self._last_flush = asyncio.get_running_loop().time()
            pending, self._pending = self._pending, {}
            for event in pending.values():
                self._publish(event)
