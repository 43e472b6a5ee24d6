"""What a person may ask the demo model to change, in the person's own words; an empty field was not said."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from typing import Literal

PowerAction = Literal["start", "stop", "suspend"]


@dataclass(frozen=True, slots=True)
class SetAddress:
    device: str = ""
    port: str = ""
    address: str = ""
    gateway: str = ""


@dataclass(frozen=True, slots=True)
class ClearAddress:
    device: str = ""
    port: str = ""


@dataclass(frozen=True, slots=True)
class StaticRoute:
    device: str = ""
    network: str = ""
    via: str = ""
    remove: bool = False


@dataclass(frozen=True, slots=True)
class Ospf:
    devices: str = ""
    area: str = "0"


@dataclass(frozen=True, slots=True)
class PortState:
    up: bool
    device: str = ""
    port: str = ""


@dataclass(frozen=True, slots=True)
class Hostname:
    device: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class Describe:
    device: str = ""
    port: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Save:
    devices: str = ""


@dataclass(frozen=True, slots=True)
class Power:
    action: PowerAction
    devices: str = ""


@dataclass(frozen=True, slots=True)
class Rename:
    device: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class AddNode:
    """`kind` is a template's name, or a word such as "router"."""

    kind: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class End:
    """One end of a link."""

    device: str = ""
    port: str = ""


@dataclass(frozen=True, slots=True)
class AddLink:
    one: End = End()
    other: End = End()


@dataclass(frozen=True, slots=True)
class DeleteNode:
    devices: str = ""


@dataclass(frozen=True, slots=True)
class DeleteLink:
    one: End = End()
    other: End = End()


@dataclass(frozen=True, slots=True)
class Templates:
    """What new nodes can be made of."""


@dataclass(frozen=True, slots=True)
class HowTo:
    """A question about a change, which is no order to make it."""


@dataclass(frozen=True, slots=True)
class Change:
    """A change that the demo model cannot make; `what` is its word for it, if a rule knows it."""

    what: str = ""


Order = (
    SetAddress
    | ClearAddress
    | StaticRoute
    | Ospf
    | PortState
    | Hostname
    | Describe
    | Save
    | Power
    | Rename
    | AddNode
    | AddLink
    | DeleteNode
    | DeleteLink
)


def lacks(order: Order) -> bool:
    """Whether something that may be needed was not said, so that the answer to the order was a question."""
    match order:
        case AddNode():
            return False
        case SetAddress(device, port, address):
            return "" in (device, port, address)
        case AddLink(one, other):
            return "" in (*astuple(one), *astuple(other))
        case DeleteLink(one, other):
            return "" in (one.device, other.device)
    return "" in astuple(order)
