"""A lab for the demo model: the loop between model and tools, with consoles that answer like real ones."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from demo_consoles import CONSOLES, TEMPLATE_LIST
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)
from langchain_core.messages.utils import message_chunk_to_message

from copilot_ws.agent.demo_model import DemoChatModel

TOPOLOGY = "gns3_topology_reader"
COMMANDS = "execute_multiple_device_commands"
CONFIGURE = "execute_multiple_device_config_commands"
VPCS = "execute_vpcs_commands"

BUILDING = (
    "get_gns3_templates",
    "create_gns3_node",
    "create_gns3_link",
    "start_gns3_node",
    "stop_gns3_node",
    "suspend_gns3_node",
    "update_gns3_node_name",
    "delete_gns3_node",
    "delete_gns3_link",
)


def node(name: str, platform: str, status: str = "started", **more: Any) -> dict[str, Any]:
    kind = {"ios": "dynamips", "vpcs": "vpcs"}.get(platform, "ethernet_switch")
    known = {"name": name, "node_id": f"id-{name}", "node_type": kind, "platform": platform, "status": status}
    return {**known, "console_host": "127.0.0.1", "console": 5000, **more}


def link(*ends: tuple[str, str]) -> dict[str, Any]:
    return {"link_id": "l", "endpoints": [{"node": name, "port": port} for name, port in ends]}


NODES = [node("R1", "ios"), node("R2", "ios"), node("PC1", "vpcs"), node("PC2", "vpcs")]
LINKS = [
    link(("PC1", "e0"), ("R1", "Gi0/0")),
    link(("R1", "Gi0/1"), ("R2", "Gi0/1")),
    link(("R2", "Gi0/0"), ("PC2", "e0")),
]


@dataclass
class World:
    """A person, a lab and the loop between model and tools, as the server runs it."""

    nodes: list[dict[str, Any]] = field(default_factory=lambda: list(NODES))
    links: list[dict[str, Any]] = field(default_factory=lambda: list(LINKS))
    consoles: Mapping[tuple[str, str], str] = field(default_factory=lambda: dict(CONSOLES))
    raw: Mapping[str, str] = field(default_factory=dict)
    tools: tuple[str, ...] = (TOPOLOGY, COMMANDS, VPCS, CONFIGURE, *BUILDING)
    queued: dict[str, list[Any]] = field(default_factory=dict)
    """Tool -> what it answers to its next calls, before its usual answers."""
    messages: list[BaseMessage] = field(default_factory=lambda: [SystemMessage("You are the copilot.")])
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    async def ask(self, request: str) -> str:
        """The last answer's text; `calls` are the tool calls since."""
        self.messages.append(HumanMessage(request))
        self.calls.clear()
        for _ in range(12):
            answer = await self.think()
            self.messages.append(answer)
            if not answer.tool_calls:
                return str(answer.text)
            assert answer.text, "a person sees text before the tools run"
            self.messages += [self.run(call["name"], call["args"], str(call["id"])) for call in answer.tool_calls]
        raise AssertionError("the model never comes to an end")

    async def think(self) -> AIMessage:
        model = DemoChatModel(delay=0)
        bound = model.bind_tools([schema(name) for name in self.tools]) if self.tools else model
        return merged([chunk async for chunk in bound.astream(self.messages)])

    def run(self, name: str, args: dict[str, Any], call_id: str) -> ToolMessage:
        self.calls.append((name, args))
        queued = self.queued.get(name)
        result = queued.pop(0) if queued else self.result(name, args)
        return ToolMessage(self.raw.get(name) or json.dumps(result), tool_call_id=call_id)

    def result(self, name: str, args: dict[str, Any]) -> dict[str, Any]:
        if name == TOPOLOGY:
            return {
                "project_name": "demo",
                "project_id": "p",
                "status": "opened",
                "nodes": self.nodes,
                "links": self.links if self.nodes else [],
            }
        if name == "get_gns3_templates":
            return {"templates": TEMPLATE_LIST}
        if name in BUILDING:
            return {"results": [self.built(name, item) for items in args.values() for item in items]}
        if name == CONFIGURE:
            return {"results": [self.took(c["device_name"], c["config_commands"]) for c in args["device_configs"]]}
        return {"results": [self.device(**config) for config in args["device_configs"]]}

    def took(self, device_name: str, lines: list[str]) -> dict[str, Any]:
        """A device that takes every line."""
        output = "\n".join(f"{device_name}(config)#{line}" for line in lines)
        return {"device_name": device_name, "status": "success", "output": output}

    def built(self, tool: str, item: Any) -> dict[str, Any]:
        """What the node tools say of one item that they did."""
        done = {"status": "success"}
        match tool, item:
            case "create_gns3_node", {"template": template}:
                name = item.get("name", "R3")
                return {"name": name, **done, "state": "stopped", "template": template, "ports": ["e0"]}
            case "update_gns3_node_name", {"node_id": old, "name": new}:
                return {**done, "name": new, "state": "started", "was": old}
            case "create_gns3_link" | "delete_gns3_link", dict():
                return {"name": "a link", **done, "link_id": "l"}
        states = {"start": "started", "stop": "stopped", "suspend": "suspended", "delete": "deleted"}
        return {"name": item, **done, "state": states[tool.partition("_")[0]]}

    def device(self, device_name: str, commands: list[str]) -> dict[str, Any]:
        if commands[0].startswith(("ip ", "save")):
            return self.took(device_name, commands)
        known = [self.consoles[device_name, line] for line in commands if (device_name, line) in self.consoles]
        if known:
            return {"device_name": device_name, "status": "success", "output": "\n".join(known)}
        return {
            "device_name": device_name,
            "status": "failed",
            "output": "",
            "error": "The console is silent.",
        }


def schema(name: str) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "description": "", "parameters": {}}}


def merged(chunks: list[Any]) -> AIMessage:
    whole = chunks[0]
    for chunk in chunks[1:]:
        whole = whole + chunk
    assert isinstance(whole, AIMessageChunk)
    message = message_chunk_to_message(whole)
    assert isinstance(message, AIMessage)
    return message


def commands(tool_name: str, *devices: tuple[str, str]) -> tuple[str, dict[str, Any]]:
    return tool_name, {"device_configs": [{"device_name": name, "commands": [line]} for name, line in devices]}


def lines(*devices: tuple[str, list[str]]) -> tuple[str, dict[str, Any]]:
    """A call of the configuring tool."""
    return CONFIGURE, {"device_configs": [{"device_name": name, "config_commands": told} for name, told in devices]}


def configs(world: World) -> list[dict[str, Any]]:
    """The arguments of the configuring calls since the last request."""
    return [args for name, args in world.calls if name == CONFIGURE]


READ_TOPOLOGY: tuple[str, dict[str, Any]] = (TOPOLOGY, {})

READ_PORTS = commands(COMMANDS, ("R1", "show ip interface brief"))
ADDRESS = "set the address of R1 Gi0/2 to 10.9.9.1/24"
ADDRESS_CALL = lines(("R1", ["interface GigabitEthernet0/2", "ip address 10.9.9.1 255.255.255.0", "no shutdown"]))
REJECTED = "A person rejected this call{}. Do not try it again unless you are asked to."


def said_before(world: World, tool: str) -> str:
    """What the model said when it called a tool."""
    answers = [message for message in world.messages if isinstance(message, AIMessage)]
    return next(str(a.text) for a in answers if any(call["name"] == tool for call in a.tool_calls))


def results(*entries: dict[str, Any]) -> dict[str, Any]:
    return {"results": list(entries)}
