"""GNS3's JSON as the shapes of `labs.base`; what GNS3 says beyond them is kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar
from uuid import UUID

from pydantic import ValidationError

from copilot_ws.labs.base import Link, Node, Platform, Port, Project, Snapshot, Template
from copilot_ws.wire.errors import LabError, NotFound

T = TypeVar("T")
Json = dict[str, Any]


def checked_id(text: str, what: str) -> str:
    """An id as it may stand in a URL. Raises `NotFound`."""
    try:
        return str(UUID(text))
    except ValueError:
        raise NotFound(f"No such {what}.") from None


def made(make: Callable[[Any], T], raw: Any) -> T:
    """Raises `LabError` where GNS3 answers something else than it is known to."""
    try:
        return make(raw)
    except (ValidationError, AttributeError, KeyError, TypeError):
        raise LabError("GNS3's answer cannot be read: is it a version that speaks API v3?") from None


def made_all(make: Callable[[Any], T], raw: Any) -> list[T]:
    return made(lambda items: [make(item) for item in items], raw)


def project_of(raw: Json) -> Project:
    return Project.model_validate({**raw, "path": raw.get("path") or "", "creator": None})


def node_of(raw: Json, platform: Platform) -> Node:
    """3.0 leaves fields out or null that have a meaning only for some types of nodes."""
    given = {key: value for key, value in raw.items() if value is not None}
    usual = {"status": "stopped", "console_type": "none", "console_host": ""}
    return Node.model_validate({**usual, **given, "platform": platform})


def link_of(raw: Json) -> Link:
    ends = [{**end, "label": end.get("label") or {"text": ""}} for end in raw["nodes"]]
    return Link.model_validate({**raw, "nodes": ends, "link_type": raw.get("link_type") or "ethernet"})


def template_of(raw: Json) -> Template:
    return Template.model_validate({**raw, "category": raw.get("category") or "guest"})


def snapshot_of(raw: Json) -> Snapshot:
    return Snapshot.model_validate(raw)


def label(port: Port) -> Json:
    """A link's label at one end: the port's name, as GNS3's own clients write it."""
    return {"text": port.short_name, "x": 0, "y": 0, "rotation": 0}
