"""The demo model's answer to a request for a conversation's title: its first words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from copilot_ws.agent.demo.understand import strip_politeness

MAX_READ = 1000  # characters
MAX_WORDS = 6
MAX_LENGTH = 60
FALLBACK = "Lab conversation"

_REQUEST = re.compile(r"\b(?:write|give|generate|create|suggest|make|find|invent)\b[^\n]{0,80}\btitle\b", re.I)
_SPEAKER = re.compile(r"^\s*(?:user|human|person|question|first message)\s*:\s*", re.I | re.M)
_NEXT_SPEAKER = re.compile(r"^\s*(?:assistant|ai|copilot|answer|bot)\s*:", re.I | re.M)


def wants_title(messages: Sequence[BaseMessage]) -> bool:
    """Whether the last thing that the server or the person says asks for a title."""
    spoken = [message for message in messages if isinstance(message, HumanMessage | SystemMessage)]
    return bool(spoken) and _asks(spoken[-1])


def title(messages: Sequence[BaseMessage]) -> str:
    """At most six words of the person's first message."""
    humans = [message for message in messages if isinstance(message, HumanMessage)]
    own = [str(message.text) for message in humans if not _asks(message)]
    return _short(own[0] if own else _told(str(humans[0].text)) if humans else "")


def _asks(message: BaseMessage) -> bool:
    return bool(_REQUEST.search(str(message.text)[:MAX_READ]))


def _told(request: str) -> str:
    """The conversation that stands in the request itself, below its first paragraph."""
    return request.strip().partition("\n")[2]


def _short(text: str) -> str:
    text = text[:MAX_READ]
    start = _SPEAKER.search(text)
    said = _NEXT_SPEAKER.split(text[start.end() :] if start else text)[0]
    words = strip_politeness(" ".join(said.split())).split()[:MAX_WORDS]
    short = " ".join(words)[:MAX_LENGTH].rstrip(" \t.,;:!?-'\"`")
    return short[:1].upper() + short[1:] or FALLBACK
