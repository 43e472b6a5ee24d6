"""hitl.*: what waits for a person, and the person's decisions."""

from __future__ import annotations

from typing import Any, Literal, TypeVar

from pydantic import Field, model_validator

from copilot_ws.commands.registry import ChatCommand, ChatContext, Route
from copilot_ws.commands.sessions import ONE, OneSession
from copilot_ws.core.hitl import Change, Verdict

ChoiceT = TypeVar("ChoiceT", bound="Choice")


class Choice(OneSession):
    """Either every call that is left, or these."""

    tool_call_ids: list[str] | None = Field(None, min_length=1, max_length=1000)
    hitl_session_id: str | None = None


class Confirm(Choice):
    confirm_all: bool = False
    acknowledge_dangerous: bool = False

    @model_validator(mode="after")
    def _one_way(self) -> Confirm:
        return _either(self, self.confirm_all, "confirm_all")


class Reject(Choice):
    reject_all: bool = False
    reason: str | None = Field(None, max_length=4000)

    @model_validator(mode="after")
    def _one_way(self) -> Reject:
        return _either(self, self.reject_all, "reject_all")


def _either(choice: ChoiceT, every: bool, name: str) -> ChoiceT:
    if every == (choice.tool_call_ids is not None):
        raise ValueError(f"give either {name} or tool_call_ids")
    return choice


class Modify(OneSession):
    tool_call_id: str
    modified_args: dict[str, Any]
    hitl_session_id: str | None = None
    apply: Literal["direct", "regenerate"] = "regenerate"
    acknowledge_dangerous: bool = False


async def status(context: ChatContext, arguments: OneSession) -> dict[str, Any]:
    await context.workspace.session(context.user_id, arguments.session_id)
    return context.workspace.desk.status(arguments.session_id)


async def confirm(context: ChatContext, arguments: Confirm) -> dict[str, Any]:
    await context.workspace.session(context.user_id, arguments.session_id)
    given = (arguments.tool_call_ids, arguments.hitl_session_id)
    said = Verdict("confirmed", context.user_id, *given, acknowledged=arguments.acknowledge_dangerous)
    return await context.workspace.desk.decide(arguments.session_id, said)


async def reject(context: ChatContext, arguments: Reject) -> dict[str, Any]:
    await context.workspace.session(context.user_id, arguments.session_id)
    given = (arguments.tool_call_ids, arguments.hitl_session_id)
    said = Verdict("rejected", context.user_id, *given, reason=arguments.reason)
    return await context.workspace.desk.decide(arguments.session_id, said)


async def modify(context: ChatContext, arguments: Modify) -> dict[str, Any]:
    await context.workspace.session(context.user_id, arguments.session_id)
    change = Change(
        context.user_id,
        arguments.tool_call_id,
        arguments.modified_args,
        arguments.hitl_session_id,
        arguments.apply,
        arguments.acknowledge_dangerous,
    )
    return await context.workspace.desk.modify(arguments.session_id, change)


async def history(context: ChatContext, arguments: OneSession) -> list[dict[str, Any]]:
    await context.workspace.session(context.user_id, arguments.session_id)
    return await context.workspace.ledger.history(arguments.session_id)


COMMANDS = (
    ChatCommand("hitl.status", OneSession, status, (Route("GET", f"{ONE}/hitl-status"),)),
    ChatCommand("hitl.confirm", Confirm, confirm, (Route("POST", f"{ONE}/hitl/confirm"),)),
    ChatCommand("hitl.reject", Reject, reject, (Route("POST", f"{ONE}/hitl/reject"),)),
    ChatCommand("hitl.modify", Modify, modify, (Route("POST", f"{ONE}/hitl/modify"),)),
    ChatCommand("hitl.history", OneSession, history, (Route("GET", f"{ONE}/hitl/history"),)),
)
