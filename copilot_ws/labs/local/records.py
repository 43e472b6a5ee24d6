"""What a project's folder stores about it, read and written whole."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Literal, Self
from uuid import uuid4

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from copilot_ws.labs.base import ProjectStatus
from copilot_ws.labs.local.platforms import KINDS, EmbeddedPlatform

PROJECT_FILE = "project.json"
CANONICAL_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
"""The one spelling of a project_id: a lowercase UUID, version 4."""

NODE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,62}")
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.I)
"""What cannot begin a file's name on Windows."""


def is_node_name(name: str) -> bool:
    """Whether a node may be called so: its name becomes the name of files."""
    return NODE_NAME.fullmatch(name) is not None and _RESERVED.fullmatch(name) is None


class _Record(BaseModel):
    model_config = ConfigDict(validate_assignment=True)


class NodeRecord(_Record):
    """`number` is unique in its project. `name` also names files."""

    node_id: str = Field(default_factory=lambda: str(uuid4()))
    name: str
    platform: EmbeddedPlatform
    number: int = Field(ge=0, le=0xFFFF)
    status: Literal["started", "stopped"] = "stopped"
    x: int = 0
    y: int = 0

    @field_validator("name")
    @classmethod
    def _names_files(cls, name: str) -> str:
        if not is_node_name(name):
            raise ValueError("a node cannot have this name")
        return name


class EndRecord(_Record):
    node_id: str
    port_number: int = Field(ge=0)


class LinkRecord(_Record):
    link_id: str = Field(default_factory=lambda: str(uuid4()))
    ends: tuple[EndRecord, EndRecord]


class ProjectRecord(_Record):
    name: str = Field(min_length=1, max_length=255)
    status: ProjectStatus = "opened"
    creator: str | None = None
    nodes: list[NodeRecord] = []
    links: list[LinkRecord] = []

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        """Nodes are told apart by id, name and number; a link ends at ports that exist, each port once."""
        identities: tuple[set[str] | set[int], ...] = (
            {node.node_id for node in self.nodes},
            {node.name.casefold() for node in self.nodes},
            {node.number for node in self.nodes},
        )
        if any(len(identity) != len(self.nodes) for identity in identities):
            raise ValueError("nodes share an id, a name or a number")
        ports = {(node.node_id, port) for node in self.nodes for port in range(len(KINDS[node.platform].ports))}
        used = [(end.node_id, end.port_number) for link in self.links for end in link.ends]
        if len(set(used)) != len(used) or not ports.issuperset(used):
            raise ValueError("a link ends at a port that is missing or taken")
        return self


def read_record(folder: Path) -> ProjectRecord:
    """Raises OSError or ValueError for a file that is missing or damaged; never changes it."""
    return ProjectRecord.model_validate_json((folder / PROJECT_FILE).read_bytes())


def write_record(folder: Path, text: str) -> None:
    """Replaces the file in one step: a crash leaves the old one or the new one."""
    write_whole(folder / PROJECT_FILE, text)


def write_whole(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{uuid4().hex}")
    try:
        with temporary.open("w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
