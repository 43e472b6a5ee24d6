"""How many tokens a conversation takes: an estimate, set right by what the provider counted in earlier calls."""

from __future__ import annotations

import json
import math
import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, SystemMessage

from copilot_ws.agent.history import PROVIDER

SENT = "copilot_sent"
"""The key of `response_metadata` that tells what an answer's request was: `{model, tokens, whole_from}`.

`tokens` by our estimate; from message `whole_from` on (an id) the conversation was sent as it stands.
"""

_MESSAGE_TOKENS = 8
_WORDS = (string.ascii_letters + " ").encode()
_ASCII = bytes(range(128))
# Counted tokens to estimated ones. Below: a count that leaves out what was cached, or none at all; above: more than
# a token a byte. Such a count says nothing.
_PLAUSIBLE = (1 / 3, 3.0)
_BELIEVED = 3
_MOST = 10**9


def reported(tokens: int) -> int:
    """A provider's figure; one that no call can have counts as none: it must not spoil the sums for good."""
    return tokens if 0 <= tokens < _MOST else 0


def estimate(text: str) -> int:
    """Tokens of a text, rather too many than too few; no tokenizer, for those of most models need the network.

    English takes about 4 characters a token (counted: 3), numbers, punctuation and addresses about 2 (1.5),
    Chinese, Japanese and Korean about 1 (two thirds), Cyrillic, Greek and Arabic about 2 (1).
    """
    raw = text.encode("utf-8", "replace")
    others = raw.translate(None, _WORDS)
    foreign = len(others.translate(None, _ASCII))
    return math.ceil((len(raw) - len(others)) / 3 + (len(others) - foreign) / 1.5 + foreign / 2)


def message_tokens(message: AnyMessage) -> int:
    """Tokens of one message with its calls, by `estimate`."""
    content = message.content if isinstance(message.content, str) else json.dumps(message.content, ensure_ascii=False)
    calls = message.tool_calls if isinstance(message, AIMessage) else []
    asked = sum(estimate(f"{call['name']}{call['id']}{json.dumps(call['args'])}") for call in calls)
    return _MESSAGE_TOKENS + estimate(content) + asked


def tools_tokens(tools: Sequence[dict[str, Any]]) -> int:
    """Tokens of the tools' descriptions, by `estimate`."""
    return estimate(json.dumps(list(tools)))


@dataclass(frozen=True, slots=True)
class Measure:
    """Counts tokens for one model. `ratio`: counted tokens to estimated ones, in what the provider counted last.

    What it has not counted yet, messages whose ids are not in `counted`, is estimated on the safe side.
    """

    ratio: float = 1.0
    counted: frozenset[str] = frozenset()

    def message(self, message: AnyMessage) -> int:
        """Tokens of one message with its calls."""
        known = isinstance(message, SystemMessage) or message.id in self.counted
        return math.ceil(message_tokens(message) * (self.ratio if known else max(self.ratio, 1.0)))

    def tools(self, tools: Sequence[dict[str, Any]]) -> int:
        """Tokens of the tools' descriptions."""
        return math.ceil(tools_tokens(tools) * self.ratio)


def measure(conversation: Sequence[AnyMessage], provider: str, model: str) -> Measure:
    """What the answers in a conversation tell about how this model counts.

    The largest ratio of the last three holds, so that one that is too low by mistake makes no call too long.
    """
    counts = list(_counts(conversation, provider, model))[-_BELIEVED:]
    if not counts:
        return Measure()
    end, whole_from, _ = counts[-1]
    ids = [str(message.id) for message in conversation[:end]]
    counted = ids[ids.index(whole_from) :] if whole_from in ids else []
    return Measure(max(ratio for *_, ratio in counts), frozenset(counted))


def _counts(conversation: Sequence[AnyMessage], provider: str, model: str) -> Iterator[tuple[int, str, float]]:
    """Where this model's answers stand, since where all was sent, and the ratio: of each that has a plausible one."""
    for at, message in enumerate(conversation):
        sent = message.response_metadata.get(SENT)
        if not isinstance(message, AIMessage) or message.usage_metadata is None or sent is None:
            continue
        ratio = message.usage_metadata["input_tokens"] / sent["tokens"]
        same_model = (message.response_metadata.get(PROVIDER), sent["model"]) == (provider, model)
        if same_model and _PLAUSIBLE[0] <= ratio <= _PLAUSIBLE[1]:
            yield at, sent["whole_from"], ratio
