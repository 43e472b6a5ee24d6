"""Plans that build the lab: nodes and links are added, started, stopped, renamed and deleted."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any

from copilot_ws.agent.demo import change_words, words
from copilot_ws.agent.demo.asking import build
from copilot_ws.agent.demo.changes import (
    AddLink,
    AddNode,
    DeleteLink,
    DeleteNode,
    End,
    Power,
    PowerAction,
    Rename,
    Templates,
)
from copilot_ws.agent.demo.console import same_port
from copilot_ws.agent.demo.intents import Intent
from copilot_ws.agent.demo.lab import Device, Lab, Link, Template, Unreadable, json_text, read_templates
from copilot_ws.agent.demo.steps import Answers, Plan, Reply, Unanswerable, chosen, look_around
from copilot_ws.agent.demo.turn import Call

TEMPLATES = "get_gns3_templates"
_POWER_TOOLS: Mapping[PowerAction, str] = {
    "start": "start_gns3_node",
    "stop": "stop_gns3_node",
    "suspend": "suspend_gns3_node",
}
_POWER_STATES: Mapping[PowerAction, str] = {"start": "started", "stop": "stopped", "suspend": "suspended"}
_KINDS = {"host": "guest", "pc": "guest", "computer": "guest", "hosts": "guest"}


def _say_state(result: Mapping[str, Any]) -> str:
    return f"{_name(result)} is {words.plain(json_text(result.get('state'))) or 'done'} now."


def _name(result: Mapping[str, Any]) -> str:
    return words.plain(json_text(result.get("name")))


def _power(intent: Power) -> Plan:
    lab = yield from look_around()
    devices, state = chosen(lab, intent.devices), _POWER_STATES[intent.action]
    todo = [device for device in devices if device.status != state]
    if not todo:
        return "\n".join(f"{words.plain(device.name)} is {state} already." for device in devices)
    what = f"{intent.action} {change_words.listed(words.plain(device.name) for device in todo)}"
    text = f"I {what}." if intent.action == "start" else change_words.asking(what)
    call = Call(_POWER_TOOLS[intent.action], {"node_ids": [device.name for device in todo]})
    return (yield from build(call, text, _say_state))


def _rename(intent: Rename) -> Plan:
    lab = yield from look_around()
    device = _one(lab, intent.device)
    if any(other.name.casefold() == intent.name.casefold() for other in lab.devices if other != device):
        return f"There is a device named {words.code(intent.name)} already, so I change nothing."
    call = Call("update_gns3_node_name", {"nodes": [{"node_id": device.name, "name": intent.name}]})
    old, new = words.plain(device.name), words.plain(intent.name)
    return (yield from build(call, f"I rename {old} to {new}.", lambda _: f"{old} is called {new} now."))


def _templates(text: str) -> Generator[Reply, Answers, list[Template]]:
    (answer,) = yield Reply(text, (Call(TEMPLATES),))
    try:
        return read_templates(answer)
    except Unreadable as fault:
        told = words.paragraphs("I could not read the templates:", words.fence(fault.text))
        raise Unanswerable(told) from None


def _list_templates(_: Templates) -> Plan:
    found = yield from _templates("I read the templates.")
    if not found:
        return "There are no templates."
    return words.table(["Template", "Type", "Category"], ([one.name, one.kind, one.category] for one in found))


def _add_node(intent: AddNode) -> Plan:
    if intent.name:
        lab = yield from look_around()
        if any(device.name.casefold() == intent.name.casefold() for device in lab.devices):
            return f"There is a device named {words.code(intent.name)} already, so I add nothing."
    template = _template((yield from _templates("I look at what there is to add.")), intent.kind)
    node = {"template": template.name} | ({"name": intent.name} if intent.name else {})
    named = f" named {words.plain(intent.name)}" if intent.name else ""
    text = f"I add a node{named} from the template {words.plain(template.name)}."
    return (yield from build(Call("create_gns3_node", {"nodes": [node]}), text, _say_created))


def _template(found: Sequence[Template], said: str) -> Template:
    """By its name, else the only one of its type, category or first word."""
    kind = said.casefold()
    tests: tuple[Callable[[Template], bool], ...] = (
        lambda one: one.name.casefold() == kind,
        lambda one: kind in (one.kind.casefold(), one.category.casefold()),
        lambda one: one.category.casefold() == _KINDS.get(kind),
        lambda one: one.name.casefold().split()[:1] == [kind],
    )
    some = next((some for test in tests if (some := [one for one in found if test(one)])), [])
    if len(some) == 1:
        return some[0]
    names = ", ".join(words.code(one.name) for one in some or found) or "none"
    if some:
        example = words.code(f"add a {some[0].name}")
        raise Unanswerable(f"Which one? These templates fit: {names}. For example: {example}")
    raise Unanswerable(f"There is no template for {words.code(said)}, so I add nothing. The templates: {names}.")


def _say_created(result: Mapping[str, Any]) -> str:
    name, ports = _name(result), result.get("ports")
    known = f" Its ports: {', '.join(map(words.plain, map(str, ports)))}." if isinstance(ports, list) and ports else ""
    state = words.plain(json_text(result.get("state"))) or "new"
    return f"{name} is there; it is {state}.{known} To start it: {words.code(f'start {name}')}"


def _add_link(intent: AddLink) -> Plan:
    lab = yield from look_around()
    one, other = _plug(lab, intent.one), _plug(lab, intent.other)
    if one.device == other.device:
        return "A link needs two devices, so I add nothing."
    ends = {"node_a": one.device, "port_a": one.port, "node_b": other.device, "port_b": other.port}
    text = f"I link {_said(one)} to {_said(other)}."
    say = f"{_said(one)} and {_said(other)} are linked now."
    return (yield from build(Call("create_gns3_link", {"links": [ends]}), text, lambda _: say))


def _plug(lab: Lab, end: End) -> End:
    """A free port of a device, by the lab's own names; a host has but one."""
    example = "link PC3 e0 to R1 Gi0/2"
    if not end.device:
        raise Unanswerable(change_words.missing("Which two devices?", lab, example))
    device = _one(lab, end.device)
    name = words.plain(device.name)
    if device.platform == "vpcs" and end.port and not same_port("eth0", end.port):
        raise Unanswerable(f"{name} has no port {words.code(end.port)}, so I add nothing: it has only e0.")
    port = end.port or ("e0" if device.platform == "vpcs" else "")
    used = {port: link for link in lab.links for owner, port in link.ends if owner == device.name}
    if not port:
        told = f" In use: {', '.join(map(words.plain, used))}." if used else ""
        raise Unanswerable(f"Which port of {name}?{told} For example: {words.code(example)}")
    taken = next((link for known, link in used.items() if same_port(known, port)), None)
    if taken:
        raise Unanswerable(f"{name} {words.plain(port)} is in use, so I add nothing: {_link_said(taken)}.")
    return End(device.name, port)


def _said(end: End) -> str:
    return f"{words.plain(end.device)} {words.plain(end.port)}".strip()


def _link_said(link: Link) -> str:
    return " - ".join(_said(End(*end)) for end in link.ends)


def _delete_node(intent: DeleteNode) -> Plan:
    lab = yield from look_around()
    names = [device.name for device in chosen(lab, intent.devices)]
    text = change_words.asking(f"delete {change_words.listed(map(words.plain, names))}")
    return (yield from build(Call("delete_gns3_node", {"node_ids": names}), text, _say_deleted))


def _say_deleted(result: Mapping[str, Any]) -> str:
    return f"{_name(result)} is deleted."


def _delete_link(intent: DeleteLink) -> Plan:
    lab = yield from look_around()
    if not (intent.one.device and intent.other.device):
        raise Unanswerable(
            change_words.missing("Between which two devices?", lab, "remove the link between PC1 and R1")
        )
    one, other = (End(_one(lab, end.device).name, end.port) for end in (intent.one, intent.other))
    found = [link for link in lab.links if _joins(link, one, other)]
    if not found:
        return f"There is no link between {_said(one)} and {_said(other)}, so I delete nothing."
    if len(found) > 1:
        told = "; ".join(map(_link_said, found))
        return f"There are {len(found)} links between {_said(one)} and {_said(other)}: {told}. Say the ports as well."
    sure = sum(_joins(link, End(one.device), End(other.device)) for link in lab.links) == 1
    link = {"node_a": one.device, "node_b": other.device} if sure else {"link_id": found[0].link_id}
    text = change_words.asking(f"delete the link {_link_said(found[0])}")
    said = f"The link {_link_said(found[0])} is deleted."
    return (yield from build(Call("delete_gns3_link", {"links": [link]}), text, lambda _: said))


def _joins(link: Link, one: End, other: End) -> bool:
    return any(
        _is_end(ends[0], one) and _is_end(ends[-1], other) for ends in (link.ends, link.ends[::-1]) if len(ends) == 2
    )


def _is_end(end: tuple[str, str], meant: End) -> bool:
    return end[0] == meant.device and (not meant.port or same_port(end[1], meant.port))


def _one(lab: Lab, text: str) -> Device:
    devices = chosen(lab, text)
    if len(devices) > 1:
        raise Unanswerable(f"One device at a time, please: {words.code(text)} are {len(devices)}.")
    return devices[0]


PLANS: Mapping[type[Intent], Callable[[Any], Plan]] = {
    Power: _power,
    Rename: _rename,
    Templates: _list_templates,
    AddNode: _add_node,
    AddLink: _add_link,
    DeleteNode: _delete_node,
    DeleteLink: _delete_link,
}
