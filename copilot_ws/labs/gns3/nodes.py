"""The nodes of GNS3's projects, with the command line that each speaks: what was learned of them stays here."""

from __future__ import annotations

from typing import Final

from copilot_ws.labs.base import Node
from copilot_ws.labs.gns3.platforms import platform_of
from copilot_ws.labs.gns3.shapes import Json, node_of

SEEN_MAX: Final = 10_000


class Nodes:
    def __init__(self) -> None:
        self._templates: dict[str, str] = {}
        self._prompts: dict[str, str] = {}

    def of(self, raw: Json) -> Node:
        """GNS3's JSON as a node."""
        template = self._templates.get(str(raw.get("template_id")), "")
        prompt = self._prompts.get(str(raw.get("node_id")), "")
        return node_of(raw, platform_of(raw, template, prompt))

    def unknown_templates(self, raw: list[Json]) -> bool:
        """Whether some of these nodes are made of a template whose name is not known yet."""
        wanted = {str(node["template_id"]) for node in raw if node.get("template_id")}
        return not wanted <= self._templates.keys()

    def learn_templates(self, raw: list[Json], nodes: list[Json]) -> None:
        """A template of a node that has gone, or may not be seen, is known to have no name."""
        self._templates |= {str(node["template_id"]): "" for node in nodes if node.get("template_id")}
        self._templates |= {str(template["template_id"]): str(template.get("name") or "") for template in raw}

    def saw_prompt(self, node_id: str, prompt: str) -> None:
        self._prompts.pop(node_id, None)
        self._prompts[node_id] = prompt
        if len(self._prompts) > SEEN_MAX:
            del self._prompts[next(iter(self._prompts))]
