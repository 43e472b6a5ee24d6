"""What the view has been told of an answer, from events or from the history: nothing of it twice."""

from __future__ import annotations

from typing import Any

from copilot_ws.terminal.client import Frame
from copilot_ws.terminal.turn import Message, missing
from copilot_ws.terminal.view import View


class Transcript:
    """Shows texts, calls and their ends, each once."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._said: dict[str, str] = {}
        self._called: set[str] = set()
        self._ended: set[str] = set()

    def show(self, kind: str, event: Frame) -> None:
        """An event."""
        match kind:
            case "content":
                self._say(event["message_id"], event["content"])
            case "reasoning":
                self._view.thought(event["content"])
            case "tool_call" if event["tool_call"]["function"].get("complete"):
                self._call(event["tool_call"])
            case "tool_start":
                self._view.tool_started(event["tool_call_id"], event["tool_name"])
            case "tool_progress":
                device = event.get("device_name") or ""
                self._view.tool_progress(event["tool_call_id"], device, event["done"], event["total"], event["message"])
            case "tool_end":
                self._end(event["tool_call_id"], event["tool_output"], event)
            case "llm_retry":
                self._view.retried(event["message"], event["delay_seconds"], event["attempt"], event["of"])
            case "limit_reached":
                self._view.warning(event["message"])

    def recall(self, message: Message) -> None:
        """A message of the history, which may go on where the events have ended."""
        metadata = message.get("metadata") or {}
        if message["role"] == "assistant":
            rest = missing(message["content"], self._said.get(message["id"], ""))
            if rest:
                self._say(message["id"], rest)
            for call in message.get("tool_calls") or ():
                self._call(call)
        elif message["role"] == "tool" and not metadata.get("partial"):
            self._end(message["tool_call_id"], message["content"], metadata)

    def _say(self, message_id: str, text: str) -> None:
        self._said[message_id] = self._said.get(message_id, "") + text
        self._view.answer(message_id, text)

    def _call(self, call: dict[str, Any]) -> None:
        if call["id"] not in self._called:
            self._called.add(call["id"])
            self._view.tool_called(call["id"], call["function"]["name"], call["function"]["arguments"])

    def _end(self, call_id: str, output: str, how: dict[str, Any]) -> None:
        """`how`: the event, or the message's metadata."""
        if call_id not in self._ended:
            self._ended.add(call_id)
            status, took = how.get("status", "unknown"), how.get("duration_ms")
            self._view.tool_ended(call_id, status, took, output, how.get("executed_args"))
