"""The kinds of nodes that the embedded lab has: their ports, and how GNS3 names them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from copilot_ws.labs.cli.arguments import short_interface
from copilot_ws.labs.local import router, vpcs_state

EmbeddedPlatform = Literal["ios", "vpcs"]


@dataclass(frozen=True, slots=True)
class Kind:
    """`ports`, all on adapter 0, are (long, short) names; saved configurations end in `startup_suffix`."""

    node_type: str
    symbol: str
    startup_suffix: str
    ports: tuple[tuple[str, str], ...]


KINDS: dict[EmbeddedPlatform, Kind] = {
    "ios": Kind(
        node_type="dynamips",
        symbol=":/symbols/router.svg",
        startup_suffix=".cfg",
        ports=tuple((name, short_interface(name)) for name in router.PORTS),
    ),
    "vpcs": Kind(
        node_type="vpcs",
        symbol=":/symbols/vpcs_guest.svg",
        startup_suffix=".vpc",
        ports=((vpcs_state.PORT, "e0"),),
    ),
}
