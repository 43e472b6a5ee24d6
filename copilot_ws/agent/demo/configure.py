"""Plans that configure devices: addresses, routes, interfaces, names, and saving what is configured."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Mapping
from typing import Any

from copilot_ws.agent.demo import change_words, checks, words
from copilot_ws.agent.demo.asking import configure
from copilot_ws.agent.demo.changes import (
    ClearAddress,
    Describe,
    Hostname,
    PortState,
    Save,
    SetAddress,
    StaticRoute,
)
from copilot_ws.agent.demo.console import Port, ports, same_port
from copilot_ws.agent.demo.intents import Intent
from copilot_ws.agent.demo.lab import Device, Lab
from copilot_ws.agent.demo.running import static_routes
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

BRIEF = "show ip interface brief"
ROUTES = "show running-config | include ip route"
CHECK_ADDRESSES = {"ios": BRIEF, "vpcs": "show ip"}

_HOSTNAME = re.compile(r"[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?")
_LOOPBACK = re.compile(r"lo[a-z]*(\d+)", re.I)
_PORT_EXAMPLE = "set the address of R1 Gi0/2 to 10.9.9.1/24"


def one_device(lab: Lab, text: str, example: str) -> Device:
    if not text:
        raise Unanswerable(change_words.missing("On which device?", lab, example))
    return ready(lab, text)


def router(lab: Lab, text: str, example: str) -> Device:
    device = one_device(lab, text, example)
    if device.platform != "ios":
        raise Unanswerable(not_a_router(device))
    return device


def not_a_router(device: Device) -> str:
    if device.platform == "vpcs":
        return (
            f"{words.plain(device.name)} is a VPCS host, so I change nothing: I can give it an address and a gateway. "
            f"For example: {words.code(f'give {device.name} the address 10.0.1.20/24 with gateway 10.0.1.1')}."
        )
    platform = words.code(device.platform)
    return (
        f"{words.plain(device.name)} is of platform {platform}: I can configure IOS-like routers and VPCS hosts only."
    )


def find_port(device: Device, said: str, *, may_be_new: bool = False) -> Generator[Reply, Answers, Port]:
    """The router's own interface that is meant; a loopback may not be there yet."""
    outcomes = yield from read_devices({device: [BRIEF]}, f"I read the interfaces of {words.plain(device.name)}.")
    outcome = outcomes[device.name]
    known = ports(outcome.output)
    if not known:
        told = f"I could not read the interfaces of {words.plain(device.name)}, so I change nothing."
        raise Unanswerable(words.paragraphs(told, words.quoted(outcome)))
    if not said:
        raise Unanswerable(change_words.which_port(device.name, known))
    if found := next((port for port in known if same_port(port.name, said)), None):
        return found
    if may_be_new and (loopback := _LOOPBACK.fullmatch(said)):
        return Port(f"Loopback{loopback[1]}", "", up=True)
    raise Unanswerable(change_words.no_such_port(device.name, said, known))


def _set_address(intent: SetAddress) -> Plan:
    lab = yield from look_around()
    device = one_device(lab, intent.device, _PORT_EXAMPLE)
    name = words.plain(device.name)
    if not intent.address:
        example = "10.0.1.20/24 with gateway 10.0.1.1" if device.platform == "vpcs" else "10.9.9.1/24"
        raise Unanswerable(f"Which address is {name} to have? For example: {words.code(example)}")
    address = checks.host(intent.address)
    if device.platform == "vpcs":
        return (yield from _set_host_address(device, intent))
    if device.platform != "ios":
        raise Unanswerable(not_a_router(device))
    port = yield from find_port(device, intent.port, may_be_new=True)
    lines = [f"interface {port.name}", f"ip address {address.ip} {address.netmask}"]
    lines += [] if port.virtual else ["no shutdown"]
    before = f" in place of {port.ip}" if port.ip and port.ip != str(address.ip) else ""
    what = f"set {address} on {name} {words.plain(port.name)}{before}"
    return (yield from configure({device: lines}, what, CHECK_ADDRESSES))


def _set_host_address(device: Device, intent: SetAddress) -> Plan:
    name, address = words.plain(device.name), checks.host(intent.address)
    if intent.port and not same_port("eth0", intent.port):
        raise Unanswerable(f"{name} has no interface {words.code(intent.port)}, so I change nothing: it has only e0.")
    if not intent.gateway:
        what = f"set {address} on {name}, without a gateway"
        return (yield from configure({device: [f"ip {address}"]}, what, CHECK_ADDRESSES))
    gateway = checks.gateway(intent.gateway, address)
    what = f"set {address} with the gateway {gateway} on {name}"
    return (yield from configure({device: [f"ip {address} {gateway}"]}, what, CHECK_ADDRESSES))


def _clear_address(intent: ClearAddress) -> Plan:
    lab = yield from look_around()
    device = router(lab, intent.device, "remove the address from R1 Gi0/2")
    port = yield from find_port(device, intent.port)
    if not port.ip:
        return f"{words.plain(device.name)} {words.plain(port.name)} has no address: there is nothing to remove."
    what = f"remove the address {port.ip} from {words.plain(device.name)} {words.plain(port.name)}"
    return (yield from configure({device: [f"interface {port.name}", "no ip address"]}, what, CHECK_ADDRESSES))


def _static_route(intent: StaticRoute) -> Plan:
    lab = yield from look_around()
    verb = "remove the" if intent.remove else "add a"
    device = router(lab, intent.device, f"{verb} static route to 10.0.9.0/24 via 10.0.12.2 on R1")
    if not intent.network:
        raise Unanswerable(f"To which network? For example: {words.code('to 10.0.9.0/24 via 10.0.12.2')}")
    network = checks.network(intent.network)
    if intent.remove:
        lines = yield from _routes_to_remove(device, intent)
        what = f"remove the static route to {network} on {words.plain(device.name)}"
    elif not intent.via or not intent.via[0].isdigit():
        raise Unanswerable(f"Via which next hop? Say its address, for example: {words.code('via 10.0.12.2')}")
    else:
        via = checks.address(intent.via)
        lines = [f"ip route {network.network_address} {network.netmask} {via}"]
        what = f"add a static route to {network} via {via} on {words.plain(device.name)}"
    return (yield from configure({device: lines}, what, {"ios": "show ip route static"}))


def _routes_to_remove(device: Device, intent: StaticRoute) -> Generator[Reply, Answers, list[str]]:
    """The router's own lines with `no`: none is removed that it does not have."""
    network, name = checks.network(intent.network), words.plain(device.name)
    outcome = (yield from read_devices({device: [ROUTES]}, f"I read the static routes of {name}."))[device.name]
    found = static_routes(outcome.output, str(network.network_address), str(network.netmask))
    mine = [line for line in found if not intent.via or intent.via in line.split()]
    if not mine:
        via = f" via {words.plain(intent.via)}" if intent.via else ""
        told = f"I see no static route to {network}{via} on {name}, so I change nothing."
        raise Unanswerable(words.paragraphs(told, words.quoted(outcome)))
    return [f"no {line}" for line in mine]


def _port_state(intent: PortState) -> Plan:
    lab = yield from look_around()
    verb = "bring up" if intent.up else "shut down"
    device = router(lab, intent.device, f"{verb} interface Gi0/2 on R1")
    port = yield from find_port(device, intent.port)
    lines = [f"interface {port.name}", "no shutdown" if intent.up else "shutdown"]
    what = f"{verb} {words.plain(device.name)} {words.plain(port.name)}" + (f" ({port.ip})" if port.ip else "")
    return (yield from configure({device: lines}, what, CHECK_ADDRESSES))


def _hostname(intent: Hostname) -> Plan:
    lab = yield from look_around()
    device = router(lab, intent.device, "set the hostname of R1 to Core1")
    if not intent.name:
        raise Unanswerable(
            f"Which hostname is {words.plain(device.name)} to have? For example: {words.code('to Core1')}"
        )
    if not _HOSTNAME.fullmatch(intent.name):
        raise Unanswerable(
            f"{words.code(intent.name)} is not a hostname, so I change nothing: "
            "letters, digits and hyphens, a letter first, at most 63."
        )
    what = f"set the hostname of {words.plain(device.name)} to {intent.name}"
    return (yield from configure({device: [f"hostname {intent.name}"]}, what, {}))


def _describe(intent: Describe) -> Plan:
    lab = yield from look_around()
    device = router(lab, intent.device, "set the description of R1 Gi0/1 to 'to R2'")
    if not intent.text:
        raise Unanswerable(f"Which description? For example: {words.code(chr(39) + 'to R2' + chr(39))}")
    if "?" in intent.text:
        raise Unanswerable(
            "A description cannot hold a question mark, so I change nothing: IOS takes it as a call for help."
        )
    port = yield from find_port(device, intent.port)
    what = f"set the description of {words.plain(device.name)} {words.plain(port.name)} to {words.code(intent.text)}"
    lines = [f"interface {port.name}", f"description {intent.text}"]
    return (yield from configure({device: lines}, what, {}))


def _save(intent: Save) -> Plan:
    lab = yield from look_around()
    if not intent.devices:
        raise Unanswerable(change_words.missing("Of which device?", lab, "save the configuration of R1"))
    devices = chosen(lab, intent.devices)
    able = [device for device in devices if device.platform in _SAVING and device.started and device.has_console]
    notes = [_cannot_save(device) for device in devices if device not in able]
    if not able:
        raise Unanswerable("\n".join(notes))
    what = f"save the configuration of {change_words.listed(words.plain(device.name) for device in able)}"
    told = yield from configure({device: [_SAVING[device.platform]] for device in able}, what, {})
    return words.paragraphs(told, "\n".join(notes))


_SAVING = {"ios": "do write memory", "vpcs": "save"}


def _cannot_save(device: Device) -> str:
    return not_a_router(device) if device.platform not in _SAVING else why_not(device)


PLANS: Mapping[type[Intent], Callable[[Any], Plan]] = {
    SetAddress: _set_address,
    ClearAddress: _clear_address,
    StaticRoute: _static_route,
    PortState: _port_state,
    Hostname: _hostname,
    Describe: _describe,
    Save: _save,
}
