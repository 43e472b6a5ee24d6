"""The question that is open in this terminal: events open, narrow and close it, a person answers it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rich.text import Text

from copilot_ws.terminal import editor
from copilot_ws.terminal.deciding import Dialogue, Request, Skipped
from copilot_ws.terminal.keyboard import EndOfInput, Typist
from copilot_ws.terminal.question import Question
from copilot_ws.terminal.showing import call_lines
from copilot_ws.terminal.view import View
from copilot_ws.wire.tasks import TaskSet


class Asking:
    """At most one dialogue at a time. Without a person at the keyboard questions are only shown.

    `elsewhere` says how to decide in another place; `skip` is called when the person leaves it at that.
    """

    def __init__(
        self, view: View, typist: Typist | None, request: Request, skip: Callable[[], None], elsewhere: str
    ) -> None:
        self._view, self._typist, self._request = view, typist, request
        self._skip, self._elsewhere = skip, elsewhere
        self._tasks = TaskSet()
        self._question: Question | None = None
        self._dialogue: Dialogue | None = None
        self._free = asyncio.Event()
        self._free.set()

    @property
    def possible(self) -> bool:
        """Whether there is a person here who can be asked."""
        return self._typist is not None and self._typist.present

    async def free(self) -> None:
        """Returns when no editor has the terminal."""
        await self._free.wait()

    async def required(self, status: Mapping[str, Any], *, postponed: bool = False) -> None:
        """A prompt waits. `postponed`: the person has a message that can be sent only after it."""
        known = self._question
        if known is not None and known.id == status["hitl_session_id"] and known.remaining:
            return
        await self.dismiss()
        self._question = question = Question(status)
        if self._typist is None or not self._typist.present:
            self._only_show(question)
            return
        self._dialogue = Dialogue(question, self._view, self._typist, self._request, self._edit)
        self._tasks.spawn(self._talk(self._dialogue, postponed), name="ask a person")

    def resolved(self, event: Mapping[str, Any]) -> None:
        """Some of the calls are decided, here or elsewhere."""
        question = self._question
        if question is None or question.id != event["hitl_session_id"]:
            return
        question.narrow(event["remaining"])
        mine = [one for one in event["decisions"] if one["tool_call_id"] in question.mine]
        if mine and (note := question.noted([one["tool_call_id"] for one in mine], mine[0]["decision"])):
            self._view.note(note)
        self._tell([question.told(one) for one in event["decisions"] if one not in mine])

    def _tell(self, news: Sequence[str]) -> None:
        if self._dialogue is not None and news:
            self._dialogue.overtake()
        for text in news:
            self._view.warning(text)

    async def dismiss(self) -> None:
        """Nothing is asked any more."""
        self._question = self._dialogue = None
        await self._tasks.cancel_all()

    def _only_show(self, question: Question) -> None:
        left = question.time_left
        self._view.show([Text(f"The copilot asks for a person's decision{f' ({left})' if left else ''}:", "yellow")])
        for call in question.remaining:
            self._view.show(call_lines(call, question.place(call)))
        self._view.warning(self._elsewhere)

    async def _talk(self, dialogue: Dialogue, postponed: bool) -> None:
        try:
            await dialogue.decide(postponed=postponed)
        except Skipped:
            self._skip()
        except EndOfInput:
            self._typist = None
            self._view.warning(self._elsewhere)
        else:
            self._view.waiting()
        finally:
            if self._dialogue is dialogue:
                self._dialogue = None

    async def _edit(self, text: str) -> str:
        self._free.clear()
        try:
            return await editor.edit(text)
        finally:
            self._free.set()
