"""The answers of a run that takes another one back. They are worked out from the copies that were kept.

No model is asked, neither for the lines nor for the last words: going back works without a key, a network or a budget.
"""

from __future__ import annotations

import asyncio
import json
import logging
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage
from langchain_core.messages.tool import ToolCall

from copilot_ws.agent.history import BY_US, PROVIDER, new_id, to_message
from copilot_ws.agent.tools.read import CONFIGURE, VPCS
from copilot_ws.core.ports import DeviceCopy, Job, Sink
from copilot_ws.labs.base import Lab, Node, Platform
from copilot_ws.labs.console import ConsoleError, Consoles
from copilot_ws.labs.shown import NotShown, shown_configuration
from copilot_ws.labs.way_back import WayBack, way_back
from copilot_ws.wire.times import utcnow

log = logging.getLogger(__name__)

MOST_LINES = {CONFIGURE: 500, VPCS: 50}
"""That the tool takes for one device."""
MOST_DEVICES = 50
"""Of one call."""

NOT_SAVED = "Start-up configurations were not touched: save what is to survive a restart of the device."


@dataclass(slots=True)
class Device:
    """What goes back on one device; `notes` are for the person, of what does not, or goes further than expected."""

    name: str
    platform: Platform
    lines: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def tool(self) -> str:
        return VPCS if self.platform == "vpcs" else CONFIGURE


@dataclass(frozen=True, slots=True)
class Undoer:
    """Answers in the place of a model: first a call with the lines that lead back, then what came of it."""

    lab: Lab
    consoles: Consoles
    job: Job
    sink: Sink

    async def answer(self, messages: Sequence[AnyMessage]) -> AIMessage:
        """The next answer; it stands in history."""
        begun = utcnow()
        calls: list[ToolCall] = []
        if not any(isinstance(message, AIMessage) for message in messages):
            text, calls = await self._opening()
        elif again := list(_replaced(messages)):
            text, calls = "Again with the arguments that a person gave.", again
        else:
            text = await self._closing()
        return self._say(begun, text, calls)

    def _say(self, begun: str, text: str, calls: Sequence[ToolCall]) -> AIMessage:
        answer = AIMessage(text, id=new_id(), tool_calls=list(calls), response_metadata={PROVIDER: BY_US})
        message = to_message(answer, begun, {})
        self.sink.content(message.id, text)
        for call in calls:
            self.sink.tool_call(message.id, str(call["id"]), call["name"], "", complete=False)
        for call in calls:
            arguments = json.dumps(call["args"])
            self.sink.tool_call(message.id, str(call["id"]), call["name"], arguments, complete=True)
        self.sink.message(message)
        return answer

    # the way back

    async def _opening(self) -> tuple[str, list[ToolCall]]:
        devices = await self._devices()
        changing = [device for device in devices if device.lines]
        notes = [note for device in devices for note in device.notes]
        same = [device.name for device in devices if not device.lines and not device.notes]
        said = [f"This takes back what that run changed on {_names(d.name for d in changing)}."] if changing else []
        if same:
            said.append(f"{_names(same)} {_is(same)} configured as before that run: nothing to take back there.")
        return "\n".join([*said, *notes]), list(_calls(changing))

    async def _devices(self) -> list[Device]:
        """Each device that the run changed, in the order of its changes."""
        assert self.job.undoes is not None
        copies: dict[str, list[DeviceCopy]] = {}
        for copy in await self.job.copies.of_run(self.job.undoes):
            copies.setdefault(copy.node_id, []).append(copy)
        nodes = {node.node_id: node for node in await self.lab.nodes(self.job.caller, self.job.project.project_id)}
        slots = asyncio.Semaphore(self.job.limits.max_parallel_tools)

        async def one(node_id: str, of_node: list[DeviceCopy]) -> Device:
            async with slots:
                return await self._device(nodes.get(node_id), of_node, list(nodes.values()))

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(*item), name=f"way back of {item[0]}") for item in copies.items()]
        return [task.result() for task in tasks]

    async def _device(self, node: Node | None, copies: Sequence[DeviceCopy], nodes: Sequence[Node]) -> Device:
        first, last = copies[0], copies[-1]
        if node is None:
            return Device(first.device_name, first.platform, notes=[f"{first.device_name} is not there any more."])
        only = sum(other.name == node.name for other in nodes) == 1
        device = Device(node.name if only else node.node_id, node.platform)
        if first.before is None:
            device.notes.append(f"{node.name} is left out: no copy of its configuration was kept, {first.missing}.")
            return device
        try:
            present = await self._present(node)
        except (ConsoleError, NotShown) as fault:
            device.notes.append(f"{node.name} is left out, its present configuration cannot be read: {fault}")
            return device
        try:
            back = await asyncio.to_thread(way_back, node.platform, present, first.before)
        except Exception:  # whatever the library makes of an odd configuration, the other devices go back
            log.exception("the way back of a device failed")
            device.notes.append(f"{device.name} is left out: the way back cannot be worked out; the fault is logged.")
            return device
        _take(device, back, changed_since=last.after is not None and last.after != present)
        return device

    async def _present(self, node: Node) -> str:
        async with self.consoles.hold(node, self.job.user_id) as console:
            return await shown_configuration(console, node.platform)

    # what came of it

    async def _closing(self) -> str:
        """By the copies around the lines that were sent: nobody has to believe the tool's word."""
        assert self.job.undoes is not None
        wanted: dict[str, DeviceCopy] = {}
        for copy in await self.job.copies.of_run(self.job.undoes):
            wanted.setdefault(copy.node_id, copy)
        reached = {copy.node_id: copy for copy in await self.job.copies.of_run(self.job.run_id)}
        if not reached:
            return "Nothing was sent: the devices are configured as they were."
        said = [await asyncio.to_thread(_came_of, wanted.get(node_id), copy) for node_id, copy in reached.items()]
        return "\n".join([*said, NOT_SAVED])


def _take(device: Device, back: WayBack, *, changed_since: bool) -> None:
    device.lines = back.lines
    if len(back.lines) > MOST_LINES[device.tool]:
        device.lines = []
        device.notes.append(f"{device.name} is left out: {len(back.lines)} lines are more than can be sent at once.")
    if back.left_out:
        device.notes.append(f"{device.name}: these cannot be typed in and stay: {'; '.join(back.left_out)}")
    if device.lines and changed_since:
        device.notes.append(f"{device.name} has been changed since that run as well: that is taken back too.")


def _came_of(wanted: DeviceCopy | None, reached: DeviceCopy) -> str:
    name = reached.device_name
    if wanted is None or wanted.before is None:
        return f"{name} was changed."
    if reached.after is None:
        return f"What {name} is configured as now is not known: check it."
    back = way_back(wanted.platform, reached.after, wanted.before)
    if not back.lines and not back.left_out:
        return f"{name} is configured as before that run."
    return f"{name} still differs: {'; '.join([*back.lines, *back.left_out])}"


def _calls(devices: Sequence[Device]) -> Iterator[ToolCall]:
    for tool, field_name in ((CONFIGURE, "config_commands"), (VPCS, "commands")):
        of_tool = [device for device in devices if device.tool == tool]
        for start in range(0, len(of_tool), MOST_DEVICES):
            some = of_tool[start : start + MOST_DEVICES]
            yield _call(tool, [{"device_name": device.name, field_name: device.lines} for device in some])


def _call(tool: str, configs: list[dict[str, Any]]) -> ToolCall:
    return ToolCall(id=f"call_{uuid.uuid4().hex[:24]}", name=tool, args={"device_configs": configs})


def _replaced(messages: Sequence[AnyMessage]) -> Iterator[ToolCall]:
    """The last answer's calls that a person gave back with other arguments: they are made with exactly those."""
    last = next(place for place in range(len(messages) - 1, -1, -1) if isinstance(messages[place], AIMessage))
    for message in messages[last + 1 :]:
        try:
            output = json.loads(str(message.text))
        except ValueError:
            continue
        if isinstance(message, ToolMessage) and isinstance(output, dict) and output.get("replaced") is True:
            yield ToolCall(id=f"call_{uuid.uuid4().hex[:24]}", name=message.name or "", args=output["new_args"])


def _names(names: Any) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else str(last)


def _is(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"
