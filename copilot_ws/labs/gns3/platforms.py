"""Which command line a GNS3 node speaks: by its tag, its type, what it is made of, and the prompt that was seen."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from copilot_ws.labs.base import Platform

_BY_TYPE: Final[dict[str, Platform]] = {
    "vpcs": "vpcs",
    "dynamips": "ios",
    "iou": "ios",
    "docker": "linux",
}
_TAG: Final = re.compile(r"\s*device[_ -]?type\s*[:=]\s*(?P<name>[\w-]+)\s*", re.I)
_DEVICE_TYPES: Final[tuple[tuple[re.Pattern[str], Platform], ...]] = (
    (re.compile(r"vpcs"), "vpcs"),
    (re.compile(r"cisco_(?:ios|xe)|cisco_s\d|(?:gns3_)?ios\b"), "ios"),
    (re.compile(r"linux|alpine|ubuntu|debian|centos"), "linux"),
)
"""Names of Netmiko's, which GNS3 3.1 uses (`cisco_ios_telnet`, `gns3_vpcs_telnet`); the first that fits counts."""

_MADE_OF: Final[tuple[tuple[re.Pattern[str], Platform], ...]] = (
    (
        re.compile(r"ios-?v(?!rt)|vios|csr-?1000|c8000v|cat(?:alyst)?-?[89]\d{3}v?|ios-?xe|isrv|\bc?7200\b|\bc?3725\b"),
        "ios",
    ),
    (re.compile(r"\bfrr|quagga|vyos|arista|veos|nx-?os|n9k|xrv|asav|junos|vsrx|vmx|mikrotik|chr\b|cumulus"), "generic"),
    (re.compile(r"alpine|ubuntu|debian|centos|fedora|rocky|kali|linux|toolbox|ipterm|webterm|netshoot"), "linux"),
)
_IMAGES: Final = ("image", "hda_disk_image", "kernel_image", "path")

_SHELL_PROMPT: Final = re.compile(r"\[?[\w.-]+@[\w.-]+[: \]~/].*[$#%>]|[~/][\w./~-]* ?[$#]|[$#]")
_DEVICE_PROMPT: Final = re.compile(r"\w[\w.:/-]{0,62}(?:\([\w.:/ -]{1,40}\))?[>#]")


def platform_of(node: Mapping[str, Any], template: str, prompt: str) -> Platform:
    """`node` as GNS3 shows it, `template` the name of what it was made of, `prompt` what its console showed last.

    A VPCS process is one whatever its tags say: some lines must never be sent to it.
    """
    kind = str(node.get("node_type"))
    if kind == "vpcs":
        return "vpcs"
    named = _device_type(node)
    if named is not None:
        return named
    guess = _guess(kind, _made_of(node, template))
    return guess if guess in ("ios", "vpcs") else _as_seen(guess, prompt)


def _device_type(node: Mapping[str, Any]) -> Platform | None:
    """What a person or a template has said (GNS3 3.1; 3.0 has neither)."""
    tags = [found["name"] for tag in node.get("tags") or () if (found := _TAG.fullmatch(str(tag)))]
    for name in [*tags, node.get("netmiko_device_type") or ""]:
        if name:
            return _first(_DEVICE_TYPES, name.lower()) or "generic"
    return None


def _guess(kind: str, made_of: str) -> Platform:
    if kind in ("dynamips", "iou"):
        return "ios"
    return _first(_MADE_OF, made_of) or _BY_TYPE.get(kind, "generic")


def _made_of(node: Mapping[str, Any], template: str) -> str:
    properties = node.get("properties") or {}
    images = [str(properties.get(name) or "") for name in _IMAGES]
    return " ".join((template, *images)).lower()


def _first(table: tuple[tuple[re.Pattern[str], Platform], ...], text: str) -> Platform | None:
    return next((platform for pattern, platform in table if pattern.search(text)), None)


def _as_seen(guess: Platform, prompt: str) -> Platform:
    """A router may run in a container, and anything in QEMU: the prompt tells a shell from a router."""
    if _SHELL_PROMPT.fullmatch(prompt):
        return "linux"
    return "generic" if _DEVICE_PROMPT.fullmatch(prompt) else guess
