"""The tools of the copilot, one subject a module; TOOLS is the list that the model is offered, SCHEMAS how."""

from copilot_ws.agent.tools import configure, links, nodes, read, starting, topology
from copilot_ws.agent.tools.base import Tool

TOOLS: tuple[Tool, ...] = (
    topology.TOOL,
    read.TOOL,
    configure.CONFIGURE,
    configure.VPCS,
    starting.TOOL,
    *nodes.TOOLS,
    *links.TOOLS,
)
SCHEMAS = [tool.schema() for tool in TOOLS]
BY_NAME = {tool.name: tool for tool in TOOLS}
