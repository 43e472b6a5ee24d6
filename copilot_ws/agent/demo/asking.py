"""The step of a plan that changes something: the call, a person's answer to it, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from copilot_ws.agent.demo import change_words, words
from copilot_ws.agent.demo.lab import Device, Outcome, Unreadable, json_object, json_objects, json_text, read_outcomes
from copilot_ws.agent.demo.steps import VPCS_COMMANDS, Answers, Orders, Plan, Reply, read_devices
from copilot_ws.agent.demo.turn import Call

CONFIGURE = "execute_multiple_device_config_commands"


@dataclass(frozen=True, slots=True)
class Ended:
    """One call with the arguments that it ended with; `results` is empty if it did not run, `why` then says so."""

    call: Call
    text: str
    results: tuple[dict[str, Any], ...] = ()
    edited: bool = False
    why: str = ""


def ask(calls: Sequence[Call], text: str) -> Generator[Reply, Answers, list[Ended]]:
    """Makes the calls; those that a person replaced are made again with exactly the person's arguments."""
    calls = list(calls)
    answers = list((yield Reply(text, tuple(calls))))
    while again := {at: new for at, answer in enumerate(answers) if (new := _new_arguments(answer)) is not None}:
        for at, arguments in again.items():
            calls[at] = Call(calls[at].name, arguments)
        told = yield Reply(change_words.REPLACED, tuple(calls[at] for at in again))
        for at, answer in zip(again, told, strict=True):
            answers[at] = answer
    return [_ended(call, answer) for call, answer in zip(calls, answers, strict=True)]


def _new_arguments(answer: str) -> dict[str, Any] | None:
    try:
        told = json_object(answer)
    except Unreadable:
        return None
    new = told.get("new_args")
    return new if told.get("replaced") is True and isinstance(new, dict) else None


def _ended(call: Call, text: str) -> Ended:
    try:
        told = json_object(text)
    except Unreadable:
        return Ended(call, text, why=change_words.not_run({"error": text}))
    executed = told.get("executed_args")
    if edited := isinstance(executed, dict):
        call = Call(call.name, executed)
    results = tuple(json_objects(told.get("results")))
    return Ended(call, text, results, edited, "" if results else change_words.not_run(told))


def configure(orders: Orders, what: str, check: Mapping[str, str]) -> Plan:
    """Asks to send the lines to the devices, and says what they made of them.

    `check`, platform -> command, is run afterwards on the devices that took lines.
    """
    outcomes, told = yield from configure_devices(orders, what)
    checks = {device: [check[device.platform]] for device in took(orders, outcomes) if device.platform in check}
    if not checks:
        return told
    said = ", ".join(dict.fromkeys(words.code(line) for lines in checks.values() for line in lines))
    seen = yield from read_devices(checks, f"I check it with {said} on {words.names(checks)}.")
    return words.paragraphs(told, *(change_words.checked(seen[device.name], lines) for device, lines in checks.items()))


def configure_devices(orders: Orders, what: str) -> Generator[Reply, Answers, tuple[dict[str, Outcome], str]]:
    """The outcomes by device name, and what is to be said of them."""
    ended = yield from ask(_calls(orders), change_words.asking(what))
    outcomes: dict[str, Outcome] = {}
    told: list[str] = []
    for one in ended:
        mine = {} if one.why else read_outcomes(one.text, _names(one.call))
        outcomes |= mine
        told += [one.why, change_words.edited(one.call.args) if one.edited else ""]
        told += map(change_words.device_result, mine.values())
    return outcomes, words.paragraphs(*told)


def took(orders: Orders, outcomes: Mapping[str, Outcome]) -> list[Device]:
    """The devices that took lines."""
    taken = {name for name, outcome in outcomes.items() if outcome.status in ("success", "partial_success")}
    return [device for device in orders if device.name in taken]


def _calls(orders: Orders) -> list[Call]:
    """Hosts have a tool of their own, all other devices share one call."""
    configs = [
        _config(device, "config_commands", lines) for device, lines in orders.items() if device.platform != "vpcs"
    ]
    hosts = [_config(device, "commands", lines) for device, lines in orders.items() if device.platform == "vpcs"]
    calls = [(CONFIGURE, configs), (VPCS_COMMANDS, hosts)]
    return [Call(tool, {"device_configs": found}) for tool, found in calls if found]


def _config(device: Device, key: str, lines: Sequence[str]) -> dict[str, Any]:
    return {"device_name": device.name, key: list(lines)}


def _names(call: Call) -> list[str]:
    return [json_text(config.get("device_name")) for config in json_objects(call.args.get("device_configs"))]


def build(call: Call, text: str, say: Callable[[dict[str, Any]], str]) -> Plan:
    """Makes a call to a tool that builds the lab; `say` tells what came of one item, unless a person changed them."""
    (ended,) = yield from ask([call], text)
    if ended.why:
        return ended.why
    say = say if ended.call == call else _done
    told = [say(result) if result.get("status") == "success" else _failed(result) for result in ended.results]
    return words.paragraphs(change_words.edited(ended.call.args) if ended.edited else "", "\n".join(told))


def _done(result: Mapping[str, Any]) -> str:
    return f"{words.plain(json_text(result.get('name')))}: done."


def _failed(result: Mapping[str, Any]) -> str:
    error = words.plain(json_text(result.get("error"))) or "the tool gives no reason"
    return f"{words.plain(json_text(result.get('name')))}: it failed. {error}"
