"""The shapes that travel in requests and answers (contract section 4)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    ValidationInfo,
    field_validator,
)

from copilot_ws.wire.errors import InvalidArgument
from copilot_ws.wire.limits import Controls, Iterations, RunLimits, ToolCalls

SessionId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.\-]{1,64}$")]
GivenId = Annotated[str, StringConstraints(min_length=1, max_length=128)]
T = TypeVar("T", bound=BaseModel)


class Request(BaseModel):
    """Arguments of a command: unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class ChatRequest(Request):
    message: str
    session_id: SessionId | None = None
    stream: bool = True
    mode: Literal["text"] = "text"
    temperature: float | None = Field(None, ge=0, le=2)
    max_tokens: int | None = Field(None, ge=1)
    max_iterations: Iterations | None = None
    max_tool_calls: ToolCalls | None = None
    controls: Controls | None = None
    client_message_id: GivenId | None = None
    replaces_message_id: GivenId | None = None
    on_busy: Literal["reject", "enqueue", "interrupt"] = "reject"

    def limits(self) -> RunLimits:
        """The limits that this request asks for; what stands beside `controls` wins over what stands in it."""
        found = RunLimits()
        found.change(self.controls or Controls())
        found.change(Controls(max_iterations=self.max_iterations, max_tool_calls=self.max_tool_calls))
        return found

    @field_validator("message")
    @classmethod
    def _speaks(cls, message: str, info: ValidationInfo) -> str:
        if not message.strip():
            raise ValueError("a message is not blank")
        most = (info.context or {}).get("max_message")
        if most is not None and len(message) > most:
            raise ValueError(f"a message has at most {most} characters, this one has {len(message)}")
        return message


def validated(schema: type[T], data: Any, *, strict: bool = True, max_message: int | None = None) -> T:
    """`data` as `schema`; not `strict`: numbers may be written as text, as in a URL.

    Raises `InvalidArgument` whose details name each wrong field.
    """
    try:
        return schema.model_validate(data, strict=strict, context={"max_message": max_message})
    except ValidationError as wrong:
        faults = [
            {
                "field": ".".join(str(part) for part in fault["loc"]) or None,
                "message": fault["msg"].removeprefix("Value error, "),
            }
            for fault in wrong.errors(include_url=False, include_input=False, include_context=False)
        ]
        first = faults[0]
        where = f"{first['field']}: " if first["field"] else ""
        raise InvalidArgument(f"{where}{first['message']}", faults) from None


UNKNOWN = "unknown"


def add_bill(sums: dict[str, Any], bill: dict[str, Any]) -> None:
    """Adds one bill to another; a sum with an unknown part is unknown."""
    for key, value in bill.items():
        before = sums.get(key, 0)
        sums[key] = UNKNOWN if UNKNOWN in (before, value) else before + value


@dataclass(slots=True)
class Usage:
    """Tokens of one run: `input_tokens` of the last call (it holds the history), `output_tokens` of all."""

    input_tokens: int = 0
    output_tokens: int = 0
    llm_calls: int = 0
    billed: dict[str, dict[str, Any]] = field(default_factory=dict)

    def add(self, model: str, input_tokens: int, output_tokens: int, cost_usd: float | None) -> None:
        """Counts one model call; a provider that reports nothing counts as 0 tokens. A cost of None is unknown."""
        self.llm_calls += 1
        self.input_tokens = input_tokens or self.input_tokens  # a call that broke off does not undo the last one's
        self.output_tokens += output_tokens
        call = {"input_tokens": input_tokens, "output_tokens": output_tokens, "calls": 1}
        add_bill(self.billed.setdefault(model, {}), {**call, "cost_usd": UNKNOWN if cost_usd is None else cost_usd})

    @property
    def cost_usd(self) -> float | None:
        """What the calls cost together; None where a price is not known, or nothing was called."""
        costs = [bill["cost_usd"] for bill in self.billed.values()]
        return None if not costs or UNKNOWN in costs else float(sum(costs))

    def shape(self) -> dict[str, float]:
        """As events tell it; without a cost that is not known."""
        tokens: dict[str, float] = {
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "total_tokens": self.input_tokens + self.output_tokens,
            "llm_calls": self.llm_calls,
        }
        return tokens if self.cost_usd is None else {**tokens, "cost_usd": self.cost_usd}


Role = Literal["user", "assistant", "tool"]


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation.

    `shape` is its OpenAIMessage (contract section 4); `native` what a model provider wants back
    and that shape has no place for. Both are JSON.
    """

    shape: dict[str, Any]
    native: dict[str, Any] = field(default_factory=dict)

    @property
    def id(self) -> str:
        return str(self.shape["id"])

    @property
    def role(self) -> Role:
        role: Role = self.shape["role"]
        return role

    @property
    def metadata(self) -> dict[str, Any]:
        return self.shape.get("metadata") or {}

    def noting(self, **facts: Any) -> Message:
        """The same message with these facts in its metadata."""
        return Message({**self.shape, "metadata": {**self.metadata, **facts}}, self.native)

    @property
    def counts(self) -> bool:
        """Whether it is one of its session's `message_count`: an answer that broke off is not."""
        return not self.metadata.get("incomplete")

    @property
    def call_ids(self) -> list[str]:
        return [call["id"] for call in self.shape.get("tool_calls") or []]
