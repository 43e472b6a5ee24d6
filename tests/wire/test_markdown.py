"""A conversation as Markdown: readable, and nothing in it gets out of its quote or its fence."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from copilot_ws.wire import markdown

Json = dict[str, Any]
HOSTILE = st.text("`~#>-=*_+<!/[]()|&\\ \t\n\r\x0b\u2028\u0085\0ax1.é路", max_size=40)


def session(title: str = "A lab") -> Json:
    return {
        "title": title,
        "created_at": "2026-11-30T15:06:28.340000+00:00",
        "last_message_at": "2026-11-30T15:07:00.000000+00:00",
        "message_count": 4,
        "total_tokens": 120,
    }


def message(role: str, content: str, **more: Any) -> Json:
    return {"id": "m", "role": role, "content": content, "created_at": "2026-11-30T15:06:30.000000+00:00", **more}


def asked(name: str, arguments: str) -> Json:
    function = {"name": name, "arguments": arguments}
    return message("assistant", "", tool_calls=[{"id": "c", "type": "function", "function": function}])


def result(content: str, **metadata: Any) -> Json:
    return message("tool", content, tool_call_id="c", name="look", metadata={"status": "success", **metadata})


def blocks(text: str) -> list[Token]:
    """The blocks of the document itself, without what is inside of quotes."""
    return [token for token in MarkdownIt().parse(text) if token.level == 0 and token.nesting >= 0]


def plain(token: Token) -> str:
    return "".join(child.content for child in token.children or ())


def headings(text: str) -> list[str]:
    tokens = MarkdownIt().parse(text)
    return [
        plain(tokens[place + 1])
        for place, token in enumerate(tokens)
        if token.type == "heading_open" and token.level == 0
    ]


def test_reads_as_a_conversation() -> None:
    output = json.dumps({"results": [{"device_name": "R1", "output": "Gi0/0 is up\nGi0/1 is down", "errors": []}]})
    arguments = json.dumps({"device_configs": [{"device_name": "R1", "commands": ["show ip int brief"]}]})
    changed = {"device_configs": [{"device_name": "R2", "commands": ["show clock"]}]}
    document = markdown.conversation(
        session(),
        [
            message("user", "Look at\nR1."),
            asked("look", arguments),
            result(output, duration_ms=1200, executed_args=changed),
            message("assistant", "Fine.", metadata={"reasoning": "Hm."}),
        ],
    )
    assert document == EXPECTED


EXPECTED = """# A lab

Begun 2026-11-30 15:06:28 UTC, last message 2026-11-30 15:07:00 UTC, 4 messages, 120 tokens.

## You, 2026-11-30 15:06:30 UTC

> Look at
> R1.

## Copilot, 2026-11-30 15:06:30 UTC

### Tool ` look `

Arguments:

```text
device_configs:
  -
    device_name: R1
    commands:
      - show ip int brief
```

A person changed them before it ran, to:

```text
device_configs:
  -
    device_name: R2
    commands:
      - show clock
```

Result: success after 1200 ms

```text
results:
  -
    device_name: R1
    output:
      Gi0/0 is up
      Gi0/1 is down
    errors:
```

## Copilot, 2026-11-30 15:06:30 UTC

Thoughts:

> Hm.

Answer:

> Fine.
"""


def test_says_how_a_turn_ended_after_its_answer() -> None:
    limits = [{"limit": "max_tool_calls", "value": 1, "message": "This run may run 1 tools (max_tool_calls)."}]
    error = {"code": "llm_timeout", "message": "The model is # silent."}
    text = markdown.conversation(
        session(),
        [
            message("user", "one", metadata={"outcome": "failed", "limits": limits, "error": error}),
            message("assistant", "So far"),
            message("user", "two", metadata={"outcome": "stopped"}),
            message("user", "three", metadata={"outcome": "completed"}),
        ],
    )
    paragraphs = [line for line in text.splitlines() if line and not line.startswith(("#", "Begun"))]
    assert paragraphs == [
        "> one",
        "> So far",
        r"Limit: This run may run 1 tools (max\_tool\_calls).",
        r"Error: The model is \# silent.",
        "> two",
        "Stopped.",
        "> three",
    ]


def test_says_what_is_not_whole() -> None:
    partial = message("assistant", "Half", metadata={"partial": True})
    broken = message("assistant", "Half", metadata={"incomplete": True})
    text = markdown.conversation(session(), [partial, broken, asked("look", "")])
    assert "(still being written)" in text
    assert "(broke off here)" in text
    assert "No result yet." in text


@given(HOSTILE)
def test_nothing_that_is_said_gets_out_of_its_quote(said: str) -> None:
    text = markdown.conversation(session(), [message("user", said), message("assistant", said)])
    assert [heading.split(",")[0] for heading in headings(text)] == ["A lab", "You", "Copilot"]
    assert {token.type for token in blocks(text)} <= {"heading_open", "inline", "paragraph_open", "blockquote_open"}


@given(HOSTILE, HOSTILE)
def test_nothing_that_a_tool_prints_gets_out_of_its_fence(arguments: str, output: str) -> None:
    text = markdown.conversation(
        session(), [asked("look", arguments), result(json.dumps({"output": output, "x": [output]}))]
    )
    assert [token.type for token in blocks(text) if token.type == "fence"] == ["fence", "fence"]
    assert [heading.split(",")[0] for heading in headings(text)] == ["A lab", "Copilot", "Tool look"]


@given(HOSTILE.filter(str.strip), HOSTILE)
def test_titles_and_names_are_one_line_of_text(title: str, name: str) -> None:
    text = markdown.conversation(session(title), [asked(name, "{}"), result("{}")])
    found = headings(text)
    assert len(found) == 3
    assert "".join(found[0].split()) == "".join(title.replace("\0", "\ufffd").split())
