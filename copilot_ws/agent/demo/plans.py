"""What the demo model does about each request: plans that ask for tools, replayed over their answers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from ipaddress import IPv4Address
from typing import Any

from copilot_ws.agent.demo import build, change_words, configure, ospf, words
from copilot_ws.agent.demo.changes import Change, HowTo
from copilot_ws.agent.demo.console import addresses, hops, ping_count
from copilot_ws.agent.demo.intents import (
    Declined,
    Help,
    Intent,
    Overview,
    Probe,
    Several,
    Show,
    Status,
    Thanks,
    Unknown,
    command_for,
)
from copilot_ws.agent.demo.lab import Device, Lab
from copilot_ws.agent.demo.steps import (
    Answers,
    Plan,
    Reply,
    Unanswerable,
    chosen,
    look_around,
    read_devices,
    ready,
    why_not,
)
from copilot_ws.agent.demo.turn import Call, Round, Turn
from copilot_ws.agent.demo.understand import understand


def reply(turn: Turn, tools: Collection[str]) -> Reply:
    """The next model answer of a turn.

    Nothing is kept between calls: the plan runs from its start over what the tools have answered so far.
    """
    plan = _plan(understand(turn.requests))
    rounds = list(turn.rounds)
    try:
        wanted = next(plan)
        while (answers := _answers(wanted.calls, rounds)) is not None:
            wanted = plan.send(answers)
    except StopIteration as end:
        return Reply(str(end.value))
    except Unanswerable as end:
        return Reply(str(end))
    missing = [call.name for call in wanted.calls if call.name not in tools]
    return Reply(_without(missing, turn)) if missing else wanted


def _plan(intent: Intent) -> Plan:
    return PLANS[type(intent)](intent)


def _answers(calls: tuple[Call, ...], rounds: list[Round]) -> Answers | None:
    """What the tools answered to these calls; a round is known by its tools, as arguments may be edited."""
    tools = [call.name for call in calls]
    for at, asked in enumerate(rounds):
        if [call.name for call in asked.calls] == tools:
            del rounds[: at + 1]
            return asked.answers
    return None


def _without(missing: Sequence[str], turn: Turn) -> str:
    tools = " and ".join(map(words.code, dict.fromkeys(missing)))
    done = dict.fromkeys(call.name for asked in turn.rounds for call in asked.calls)
    so_far = f"I have used {' and '.join(map(words.code, done))} so far, and cannot go on." if done else ""
    return " ".join(filter(None, [f"For this I need {tools}, which I cannot use here.", so_far]))


def _say(text: str) -> Callable[[Any], Plan]:
    def plan(_: Intent) -> Plan:
        return text
        yield  # a plan without a step is a generator all the same

    return plan


def _overview(intent: Overview) -> Plan:
    lab = yield from look_around()
    if intent.devices:
        names = {device.name for device in chosen(lab, intent.devices)}
        return words.link_table([link for link in lab.links if link.touches(names)])
    return words.paragraphs(
        words.lab_line(lab),
        words.device_table(lab) if intent.part != "links" else "",
        words.link_table(lab.links) if intent.part != "nodes" and lab.devices else "",
    )


def _status(intent: Status) -> Plan:
    lab = yield from look_around()
    if not intent.devices:
        return words.state_line(lab, intent.state)
    return "; ".join(map(words.device_state, chosen(lab, intent.devices))) + "."


def _show(intent: Show) -> Plan:
    lab = yield from look_around()
    found, notes = _reachable(lab, intent)
    orders = {device: _commands(intent, device) for device in found}
    commands = dict.fromkeys(command for commands in orders.values() for command in commands)
    said = ", ".join(map(words.code, commands))
    outcomes = yield from read_devices(orders, f"I run {said} on {words.names(found)}.")
    if intent.topic == "addresses":
        parts = [words.address_lines(outcomes[device.name]) for device in found]
    else:
        parts = [words.output(outcomes[device.name], commands) for device, commands in orders.items()]
    return words.paragraphs(*parts, notes)


def _commands(intent: Show, device: Device) -> tuple[str, ...]:
    return (command_for(intent.topic, device.platform),) if intent.topic else intent.commands


def _reachable(lab: Lab, intent: Show) -> tuple[list[Device], str]:
    """The devices that can be asked, and what is to be said of the others."""
    if not intent.devices and not intent.topic:
        raise Unanswerable(words.which_device("On", lab, f"{intent.commands[0]} on"))
    selection = lab.select(intent.devices or "all")
    able = [device for device in selection.devices if device.started and device.has_console]
    notes = [words.no_such_device(selection.unknown, lab)] if selection.unknown else []
    notes += [why_not(device) for device in selection.devices if device not in able]
    if not able:
        raise Unanswerable("\n".join(notes) or words.no_such_device([(intent.devices or "all", "")], lab))
    return able, "\n".join(notes)


def _probe(intent: Probe) -> Plan:
    lab = yield from look_around()
    if not intent.source:
        raise Unanswerable(words.which_device("From", lab, f"{intent.kind} {intent.target} from"))
    source = ready(lab, intent.source)
    if _is_address(intent.target):
        ip, target = intent.target, words.plain(intent.target)
    else:
        device = ready(lab, intent.target)
        ip = yield from _address_of(device)
        target = f"{words.plain(device.name)} ({ip})"
    name = words.plain(source.name)
    orders = {source: [_probe_command(intent, source, ip)]}
    outcome = (yield from read_devices(orders, f"I {words.probe_name(intent.kind)} {target} from {name}."))[source.name]
    if not outcome.output.strip():
        return words.paragraphs(f"I cannot tell: the {intent.kind} did not run.", words.faults(outcome))
    if intent.kind == "ping":
        verdict = words.ping_verdict(name, target, ping_count(outcome.output))
    else:
        verdict = words.trace_verdict(name, target, ip, hops(outcome.output))
    return words.paragraphs(verdict, words.quoted(outcome))


def _address_of(device: Device) -> Generator[Reply, Answers, str]:
    """The address to reach a device at: its first one on a port that is up."""
    orders = {device: [command_for("addresses", device.platform)]}
    outcome = (yield from read_devices(orders, f"I read the addresses of {words.plain(device.name)}."))[device.name]
    if found := addresses(outcome.output):
        return found[0].ip
    raise Unanswerable(words.paragraphs(f"I found no IP address of {words.plain(device.name)}.", words.quoted(outcome)))


def _probe_command(intent: Probe, source: Device, ip: str) -> str:
    if intent.kind == "ping":
        return f"ping -c 5 {ip}" if source.platform == "linux" else f"ping {ip}"
    return f"trace {ip}" if source.platform == "vpcs" else f"traceroute {ip}"


def _is_address(text: str) -> bool:
    try:
        IPv4Address(text)
    except ValueError:
        return False
    return True


def _several(intent: Several) -> Plan:
    """Reading requests one after the other; a change is asked for by itself."""
    if not all(isinstance(part, Probe | Show | Status | Overview) for part in intent.parts):
        return change_words.ONE_AT_A_TIME
    answers = []
    for part in intent.parts:
        try:
            answers.append((yield from _plan(part)))
        except Unanswerable as end:
            answers.append(str(end))
    return words.paragraphs(*answers)


def _cannot(intent: Change) -> Plan:
    return change_words.cannot(intent.what)
    yield


PLANS: Mapping[type[Intent], Callable[[Any], Plan]] = {
    Help: _say(words.HELP),
    Thanks: _say(words.THANKS),
    Declined: _say(words.DECLINED),
    Unknown: _say(words.UNKNOWN),
    Overview: _overview,
    Status: _status,
    Show: _show,
    Probe: _probe,
    Several: _several,
    Change: _cannot,
    HowTo: _say(change_words.HOW_TO),
    **configure.PLANS,
    **ospf.PLANS,
    **build.PLANS,
}
