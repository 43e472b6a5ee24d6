"""The talk with a person about one question: what is shown, what may be answered, and what is sent for it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from rich.text import Text

from copilot_ws.agent.changes import summary
from copilot_ws.terminal.client import Refused
from copilot_ws.terminal.editable import Unreadable, as_arguments, as_text
from copilot_ws.terminal.editor import EditorFailed
from copilot_ws.terminal.keyboard import Interrupted, Typist
from copilot_ws.terminal.question import Call, Danger, Question, dangers_of
from copilot_ws.terminal.server import Problem
from copilot_ws.terminal.showing import DANGER, call_lines, diff_lines
from copilot_ws.terminal.view import View
from copilot_ws.terminal.wording import clock

Request = Callable[..., Awaitable[Any]]
Edit = Callable[[str], Awaitable[str]]

DECISIONS = {"c": "confirm", "r": "reject", "e": "edit", "d": "diff", "s": "skip"}
ALL = {"a": "all"}
EDITED = {"r": "run", "m": "model", "e": "edit", "b": "back"}
AGAIN = {"e": "edit", "b": "back"}
POSTPONED = {"d": "decide", "i": "interrupt", "s": "skip"}


class Skipped(Exception):
    """The person leaves the question to somebody else, or to later."""


class Overtaken(Exception):
    """What the person is asked about has been decided meanwhile."""


class Dialogue:
    """Asks one person until nothing of the question is left.

    `request` sends a command and returns its result, `edit` lets the person edit a text.
    """

    def __init__(self, question: Question, view: View, typist: Typist, request: Request, edit: Edit) -> None:
        self._question, self._view, self._typist = question, view, typist
        self._request, self._edit = request, edit
        self._about: set[str] = set()
        self._drafts: dict[str, str] = {}

    def overtake(self) -> None:
        """Others have decided about some of the calls: if the person is asked about one of them, no longer."""
        if self._overtaken:
            self._view.withdrawn()
            self._typist.interrupt()

    @property
    def _overtaken(self) -> bool:
        return not self._about <= {call.id for call in self._question.remaining}

    async def decide(self, *, postponed: bool) -> None:
        """`postponed`: a message waits until all is decided. Raises `Skipped`, `EndOfInput`."""
        self._show_all()
        while remaining := self._question.remaining:
            try:
                if postponed:
                    await self._go_on_with_message(remaining)
                    postponed = False
                else:
                    await self._decide_one(remaining[0], remaining)
            except Overtaken:
                pass
            except Refused as refused:
                self._view.error(explained(refused))
                await self._look_again()
            except Problem as problem:
                self._view.error(str(problem))

    def _show_all(self) -> None:
        left = self._question.time_left
        self._say(f"The copilot asks for your decision{f' ({left})' if left else ''}:")
        for call in self._question.remaining:
            self._view.show(call_lines(call, self._question.place(call)))

    async def _look_again(self) -> None:
        """What is left of the question, as the server knows it."""
        try:
            status = await self._request("hitl.status", session_id=self._question.session_id)
        except Refused:
            status = {"hitl_session_id": None, "pending_tools": []}
        same = status["hitl_session_id"] == self._question.id
        self._question.narrow([tool["tool_call_id"] for tool in status["pending_tools"]] if same else [])

    # what is done

    async def _go_on_with_message(self, calls: Sequence[Call]) -> None:
        self._about = {call.id for call in calls}
        self._say("Your message cannot be sent before this is decided.")
        choice = await self._choose("[d]ecide and then send it, [i]nterrupt this run and send it, [s]kip", POSTPONED)
        if choice == "skip":
            raise Skipped
        if choice == "interrupt":
            self._question.mine.update(self._about)
            await self._request("chat.stop", session_id=self._question.session_id)
            self._question.narrow([])

    async def _decide_one(self, call: Call, remaining: Sequence[Call]) -> None:
        self._about = {call.id}
        several = len(remaining) > 1
        menu = f"[c]onfirm, [r]eject, [e]dit, [d]iff again, {'[a]ll confirm, ' if several else ''}[s]kip"
        match await self._choose(menu, DECISIONS | (ALL if several else {}), self._question.place(call)):
            case "confirm":
                await self._confirm([call])
            case "all":
                await self._confirm(self._question.remaining)
            case "reject":
                await self._reject(call)
            case "edit":
                await self._change(call)
            case "diff":
                self._view.show(call_lines(call, self._question.place(call)))
            case "skip":
                raise Skipped

    async def _confirm(self, calls: Sequence[Call]) -> None:
        self._about = {call.id for call in calls}
        dangers = [danger for call in calls if call.dangerous for danger in _dangers(call)]
        await self._submit("hitl.confirm", dangers, tool_call_ids=[call.id for call in calls])

    async def _reject(self, call: Call) -> None:
        reason = (await self._type("Why? (for the model; may be left empty) ")).strip()
        await self._send("hitl.reject", tool_call_ids=[call.id], reason=reason or None)

    async def _change(self, call: Call) -> None:
        """Edits until something is sent, or the person goes back; what was written is there the next time."""
        again = True
        while again:
            text = self._drafts.get(call.id) or as_text(call)
            try:
                text = self._drafts[call.id] = await self._edit(text)
                arguments = as_arguments(text, call)
            except EditorFailed as failed:
                self._view.error(str(failed))
                return
            except Unreadable as fault:
                again = await self._wrong(str(fault))
                continue
            if text == as_text(call) or arguments == call.arguments:
                self._view.note("Nothing was changed.")
                return
            again = await self._changed(call, arguments)

    async def _changed(self, call: Call, arguments: dict[str, Any]) -> bool:
        """Whether to edit again."""
        self._view.show(diff_lines(summary(call.arguments, arguments)))
        menu = "[r]un it like this, let the [m]odel call it again like this, [e]dit again, [b]ack"
        choice = await self._choose(menu, EDITED)
        if choice in ("edit", "back"):
            return choice == "edit"
        try:
            apply = "direct" if choice == "run" else "regenerate"
            await self._submit("hitl.modify", [], tool_call_id=call.id, modified_args=arguments, apply=apply)
        except Refused as refused:
            if refused.code != "invalid_argument":
                raise
            return await self._wrong(explained(refused))
        except Problem as problem:
            return await self._wrong(str(problem))
        return False

    async def _wrong(self, fault: str) -> bool:
        """Whether to edit again."""
        self._view.error(fault)
        return await self._choose("[e]dit again, [b]ack (your text is kept)", AGAIN) == "edit"

    # what is sent

    async def _submit(self, name: str, dangers: Sequence[Danger], **arguments: Any) -> None:
        """Sends what may be dangerous, as the person or the server finds, only after the second step."""
        if dangers and not await self._deliberately(dangers):
            return
        try:
            await self._send(name, **arguments, acknowledge_dangerous=bool(dangers))
        except Refused as refused:
            if refused.code != "confirmation_required" or dangers:
                raise
            named = [danger for one in refused.details or () for danger in dangers_of(one["dangerous_commands"])]
            if await self._deliberately(named or [Danger("", "", str(refused))]):
                await self._send(name, **arguments, acknowledge_dangerous=True)

    async def _deliberately(self, dangers: Sequence[Danger]) -> bool:
        self._view.show([Text("This is dangerous:", DANGER), *(Text(f"  ! {one.words}", DANGER) for one in dangers)])
        if (await self._type("Type yes in full to have it done all the same: ")).strip() == "yes":
            return True
        self._view.note("Not confirmed.")
        return False

    async def _send(self, name: str, **arguments: Any) -> None:
        mine = self._about - self._question.mine
        self._question.mine |= mine
        session = {"session_id": self._question.session_id, "hitl_session_id": self._question.id}
        try:
            result = await self._request(name, **session, **arguments)
        except BaseException:
            self._question.mine -= mine
            raise
        self._question.narrow(result["remaining"])
        if note := self._question.noted(self._about, result["status"]):
            self._view.note(note)

    # what is typed

    async def _choose(self, menu: str, choices: Mapping[str, str], about: str = "") -> str:
        """One of `choices`, by its letter or its word."""
        while True:
            left = self._question.time_left
            typed = (await self._type(f"{about}{menu}{f' ({left})' if left else ''}? ")).strip().lower()
            if (choice := choices.get(typed, typed)) in choices.values():
                return choice
            if typed:
                self._view.note(f"Type one of: {', '.join(choices)}.")

    async def _type(self, prompt: str) -> str:
        """A line. Raises `Overtaken` if what it is about has been decided, now or while it is typed."""
        if self._overtaken:
            raise Overtaken
        self._typist.drop_typed()
        self._view.ask(prompt)
        try:
            line = await self._typist.line()
        except Interrupted:
            raise Overtaken from None
        else:
            self._view.answered()
            return line
        finally:
            self._view.withdrawn()

    def _say(self, text: str) -> None:
        self._view.show([Text(text, "bold yellow")])


def _dangers(call: Call) -> Sequence[Danger]:
    """A call may be dangerous as a whole, as deleting is."""
    return call.dangers or [Danger("", call.tool, call.description)]


def explained(refused: Refused) -> str:
    """Why the server has refused something: which fields are wrong, or who was faster and when."""
    details = refused.details
    if refused.code == "already_resolved" and isinstance(details, dict) and "by" in details:
        at = clock(str(details.get("decided_at") or ""))
        return f"Too late: it was {details['decision']} by {details['by']}{f' at {at}' if at else ''}."
    if refused.code == "invalid_argument" and isinstance(details, list):
        faults = [f"{one['field']}: {one['message']}" for one in details if one.get("field") and one.get("message")]
        return "; ".join(faults) or str(refused)
    return str(refused)
