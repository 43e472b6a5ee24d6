"""The kinds of nodes that the embedded lab has: their ports, and how GNS3 names them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from copilot_ws.labs.base import Port, Template
from copilot_ws.labs.cli.arguments import short_interface
from copilot_ws.labs.local import router, vpcs_state

EmbeddedPlatform = Literal["ios", "vpcs"]


@dataclass(frozen=True, slots=True)
class Kind:
    """`ports`, all on adapter 0, are (long, short) names; saved configurations end in `startup_suffix`.

    `template` is what such nodes are made of, `prefix` how their names begin if nobody names them.
    """

    node_type: str
    template: Template
    prefix: str
    symbol: str
    startup_suffix: str
    ports: tuple[tuple[str, str], ...]

    def port_shapes(self) -> list[Port]:
        return [
            Port(name=name, short_name=short, adapter_number=0, port_number=number)
            for number, (name, short) in enumerate(self.ports)
        ]


KINDS: dict[EmbeddedPlatform, Kind] = {
    "ios": Kind(
        node_type="dynamips",
        template=Template(
            template_id="5b0d5c2e-8f43-4c1e-9a57-0d6b8e2f7a31",
            name="Router (IOS-like)",
            template_type="dynamips",
            category="router",
        ),
        prefix="R",
        symbol=":/symbols/router.svg",
        startup_suffix=".cfg",
        ports=tuple((name, short_interface(name)) for name in router.PORTS),
    ),
    "vpcs": Kind(
        node_type="vpcs",
        template=Template(
            template_id="19021f99-e36f-394d-b4a1-8aaa902ab9cc",
            name="VPCS",
            template_type="vpcs",
            category="guest",
        ),
        prefix="PC",
        symbol=":/symbols/vpcs_guest.svg",
        startup_suffix=".vpc",
        ports=((vpcs_state.PORT, "e0"),),
    ),
}
