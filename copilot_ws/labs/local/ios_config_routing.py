"""The commands that configure routing: static routes, OSPF, and whether there is any."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network

from copilot_ws.labs.cli.ios_config import ROUTER
from copilot_ws.labs.cli.tree import Match
from copilot_ws.labs.local.ios_edit import Command, Edit, Place, given, prefix_length
from copilot_ws.labs.local.router import Refused
from copilot_ws.labs.local.stack import OspfNetwork, OspfProcess, StaticRoute

_DISCONTIGUOUS = "OSPF: Invalid address/mask combination (discontiguous mask)"


def _route(edit: Edit, match: Match) -> None:
    stack, network = edit.router.stack, _destination(match)
    route = StaticRoute(network, match.address("gateway"), match.text("interface"), match.number("distance", 1))
    if route.interface is not None and route.interface not in stack.interfaces:
        raise match.invalid("interface")
    if any(port.address and port.address.ip == route.gateway for port in stack.interfaces.values()):
        raise Refused("%Invalid next hop address (it's this router)")
    same = (route.network, route.gateway, route.interface)
    statics = [old for old in stack.statics if (old.network, old.gateway, old.interface) != same]
    stack.statics = [*statics, route]


def _no_route(edit: Edit, match: Match) -> None:
    stack, network = edit.router.stack, _destination(match)
    way = (match.address("gateway"), match.text("interface"))
    there = [route for route in stack.statics if route.network == network]
    gone = [route for route in there if way in ((None, None), (route.gateway, route.interface))]
    if not gone:
        raise Refused("%No matching route to delete")
    stack.statics = [route for route in stack.statics if route not in gone]


def _destination(match: Match) -> IPv4Network:
    address, prefix = given(match, "prefix"), prefix_length(given(match, "mask"))
    if prefix is None:
        raise Refused("%Inconsistent address and mask")
    network = IPv4Network((address, prefix), strict=False)
    if network.network_address != address:
        raise Refused("%Inconsistent address and mask")
    return network


def _ip_routing(edit: Edit, match: Match) -> None:
    edit.router.stack.routing = edit.router.stack.forwards = True


def _no_ip_routing(edit: Edit, match: Match) -> None:
    """Takes the routing processes with it, as IOS does; static routes come back with `ip routing`."""
    edit.router.stack.routing = edit.router.stack.forwards = False
    edit.router.stack.ospf.clear()


def _ospf(edit: Edit, match: Match) -> None:
    if not edit.router.stack.routing:
        raise Refused("IP routing not enabled")
    number = match.number("process", 1)
    edit.router.stack.ospf.setdefault(number, OspfProcess(number))
    edit.place = Place(ROUTER, process=number)


def _no_ospf(edit: Edit, match: Match) -> None:
    edit.router.stack.ospf.pop(match.number("process", 1), None)


def _router_id(edit: Edit, match: Match) -> None:
    if not int(given(match, "address")):
        raise Refused("% OSPF: router-id 0.0.0.0 is not allowed")
    edit.process.router_id = given(match, "address")


def _no_router_id(edit: Edit, match: Match) -> None:
    edit.process.router_id = None


def _network(edit: Edit, match: Match) -> None:
    wanted = _ospf_network(match)
    others = [old for old in edit.process.networks if (old.address, old.wildcard) != (wanted.address, wanted.wildcard)]
    edit.process.networks = [*others, wanted]


def _no_network(edit: Edit, match: Match) -> None:
    gone = _ospf_network(match)
    edit.process.networks = [network for network in edit.process.networks if network != gone]


def _ospf_network(match: Match) -> OspfNetwork:
    """A subnet mask in the place of the wildcard is taken for its inverse, as IOS does."""
    address, wildcard = given(match, "address"), int(given(match, "wildcard"))
    if prefix_length(IPv4Address(wildcard)) and wildcard != 0xFFFFFFFF:
        wildcard ^= 0xFFFFFFFF
    if wildcard & (wildcard + 1):
        raise Refused(_DISCONTIGUOUS)
    area = match.values["area"]
    return OspfNetwork(IPv4Address(int(address) & ~wildcard), IPv4Address(wildcard), int(area))


def _passive_default(edit: Edit, match: Match) -> None:
    edit.process.passive_default = True
    edit.process.passive.clear()


def _no_passive_default(edit: Edit, match: Match) -> None:
    edit.process.passive_default = False
    edit.process.active.clear()


def _passive(edit: Edit, match: Match) -> None:
    name, process = edit.interface(match).name, edit.process
    process.active.discard(name)
    if not process.passive_default:
        process.passive.add(name)


def _no_passive(edit: Edit, match: Match) -> None:
    name, process = edit.interface(match).name, edit.process
    process.passive.discard(name)
    if process.passive_default:
        process.active.add(name)


COMMANDS: dict[str, Command] = {
    "ip route": _route,
    "ip routing": _ip_routing,
    "network area": _network,
    "no ip route": _no_route,
    "no ip routing": _no_ip_routing,
    "no network area": _no_network,
    "no passive-interface": _no_passive,
    "no passive-interface default": _no_passive_default,
    "no router ospf": _no_ospf,
    "no router-id": _no_router_id,
    "passive-interface": _passive,
    "passive-interface default": _passive_default,
    "router ospf": _ospf,
    "router-id": _router_id,
}
