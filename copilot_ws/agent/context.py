"""Makes a conversation fit the model that reads it: for one call only, history keeps everything."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from langchain_core.messages import AnyMessage, HumanMessage, SystemMessage, ToolMessage

from copilot_ws.agent.tokens import message_tokens
from copilot_ws.wire.text import shorten

SHORT_OUTPUT = 1000
"""Characters that are left of a tool's output where space is short."""

Count = Callable[[AnyMessage], int]


@dataclass(frozen=True, slots=True)
class Fitted:
    """`messages` as they are sent. `left_out`: how many are not, `shortened`: of how many outputs a part is not."""

    messages: list[AnyMessage]
    left_out: int = 0
    shortened: int = 0


def room(context_tokens: int, max_tokens: int | None, tools: int) -> int:
    """Tokens that the conversation may take: what the tools' (`tools`) and the answer to come (a quarter, or
    `max_tokens`, at most half) leave of the model's context.
    """
    answer = min(max_tokens or context_tokens // 4, context_tokens // 2)
    return max(0, context_tokens - answer - tools)


def fit(messages: Sequence[AnyMessage], budget: int, request_id: str | None, count: Count = message_tokens) -> Fitted:
    """`messages` within `budget` tokens, by leaving out as little as is needed, the oldest first.

    They are well formed (`history.paired`), and so is the result. First outputs of tools are shortened, those of
    the newest calls only as far as half of the budget; then whole turns go, then the calls, with their results, of
    the turn that the request `request_id` began (None: the newest), then the newest outputs are shortened too.
    The system prompt, the request and the newest calls always stay, however small the budget.
    """
    fitting = _Fitting(list(messages), budget, request_id, count)
    return fitting.fit()


def whole_from(messages: Sequence[AnyMessage], sent: Sequence[AnyMessage]) -> str:
    """The id of the oldest message since which `sent` is all of `messages`, unchanged; "" if there is none."""
    found = ""
    for message, other in zip(reversed(messages), reversed(sent), strict=False):
        if message is not other:
            break
        found = message.id or found
    return found


class _Fitting:
    """One conversation on its way into the budget: a list of units, each of which goes or stays whole."""

    def __init__(self, messages: list[AnyMessage], budget: int, request_id: str | None, count: Count) -> None:
        self._count, self._budget = count, budget
        self._units = _units(messages)
        self._sizes = [[count(message) for message in unit] for unit in self._units]
        self._total = sum(map(sum, self._sizes))
        self._request = _place(self._units, request_id)
        self._gone: set[int] = set()
        self._shortened = 0

    def fit(self) -> Fitted:
        newest = len(self._units) - 1
        for at in range(newest):
            self._shorten(at, SHORT_OUTPUT)
        self._shorten(newest, self._share(newest))
        for turn in self._older_turns():
            self._drop(turn)
        self._drop_each(range(self._request + 1, newest))
        self._shorten(newest, SHORT_OUTPUT)
        kept = [message for at, unit in enumerate(self._units) if at not in self._gone for message in unit]
        left_out = sum(len(self._units[at]) for at in self._gone)
        return Fitted(kept, left_out, self._shortened)

    @property
    def _fits(self) -> bool:
        return self._total <= self._budget

    def _share(self, at: int) -> int:
        """Characters for each output of the newest calls, so that together they take half of the budget."""
        outputs = sum(isinstance(message, ToolMessage) for message in self._units[at]) if self._units else 0
        return max(SHORT_OUTPUT, self._budget // max(1, outputs))

    def _older_turns(self) -> Iterator[list[int]]:
        """The turns before the request's, oldest first: a request and what came of it."""
        starts = [at for at, unit in enumerate(self._units[: self._request]) if isinstance(unit[0], HumanMessage)]
        first = next((at for at, unit in enumerate(self._units) if not isinstance(unit[0], SystemMessage)), 0)
        for begin, end in pairwise(sorted({first, *starts, self._request})):
            yield list(range(begin, end))

    def _drop_each(self, places: Sequence[int]) -> None:
        for at in places:
            if not isinstance(self._units[at][0], HumanMessage):
                self._drop([at])

    def _drop(self, places: Sequence[int]) -> None:
        if not self._fits:
            self._gone |= set(places)
            self._total -= sum(sum(self._sizes[at]) for at in places)

    def _shorten(self, at: int, characters: int) -> None:
        """Shortens the unit's outputs, one after the other, as long as something is too long."""
        for number, message in enumerate(self._units[at]) if self._units and at not in self._gone else ():
            text = message.content
            if self._fits or not isinstance(message, ToolMessage) or not isinstance(text, str):
                continue
            cut = json.dumps({"cut_output": shorten(text, characters)}, ensure_ascii=False)
            shorter = message.model_copy(update={"content": cut})
            if len(cut) < len(text) and (size := self._count(shorter)) < self._sizes[at][number]:
                self._total -= self._sizes[at][number] - size
                self._units[at][number], self._sizes[at][number] = shorter, size
                self._shortened += 1


def _units(messages: Sequence[AnyMessage]) -> list[list[AnyMessage]]:
    """What stays together: a message, and with an answer's calls their results."""
    found: list[list[AnyMessage]] = []
    for message in messages:
        if isinstance(message, ToolMessage) and found:
            found[-1].append(message)
        else:
            found.append([message])
    return found


def _place(units: Sequence[Sequence[AnyMessage]], request_id: str | None) -> int:
    """Where the request stands: the message of that id, else the newest of a person."""
    asked = [at for at, unit in enumerate(units) if isinstance(unit[0], HumanMessage)]
    wanted = [at for at in asked if request_id is not None and units[at][0].id == request_id]
    return (wanted or asked or [0])[-1]
