"""How the demo model builds a lab with the node tools."""

from __future__ import annotations

from typing import Any

import pytest
from demo_consoles import TEMPLATE_LIST
from demo_world import LINKS, NODES, READ_TOPOLOGY, World, link, node
from langchain_core.messages import AIMessage

READ_TEMPLATES: tuple[str, dict[str, Any]] = ("get_gns3_templates", {})
STOPPED = [*NODES, node("PC3", "vpcs", "stopped"), node("R3", "ios", "suspended")]


def before_last_call(world: World) -> str:
    answers = [message for message in world.messages if isinstance(message, AIMessage)]
    return str(answers[-2].text)


@pytest.mark.parametrize(
    ("request_", "call", "said", "told"),
    [
        ("start PC3", ("start_gns3_node", {"node_ids": ["PC3"]}), "I start PC3.", "PC3 is started now."),
        (
            "start everything",
            ("start_gns3_node", {"node_ids": ["PC3", "R3"]}),
            "I start PC3 and R3.",
            "PC3 is started now.\nR3 is started now.",
        ),
        (
            "stop R1 and R2",
            ("stop_gns3_node", {"node_ids": ["R1", "R2"]}),
            "I ask for your confirmation to stop R1 and R2.",
            "R1 is stopped now.\nR2 is stopped now.",
        ),
        (
            "suspend R1",
            ("suspend_gns3_node", {"node_ids": ["R1"]}),
            "I ask for your confirmation to suspend R1.",
            "R1 is suspended now.",
        ),
        (
            "rename PC1 to HostA",
            ("update_gns3_node_name", {"nodes": [{"node_id": "PC1", "name": "HostA"}]}),
            "I rename PC1 to HostA.",
            "PC1 is called HostA now.",
        ),
        (
            "link PC3 e0 to R1 Gi0/2",
            (
                "create_gns3_link",
                {"links": [{"node_a": "PC3", "port_a": "e0", "node_b": "R1", "port_b": "Gi0/2"}]},
            ),
            "I link PC3 e0 to R1 Gi0/2.",
            "PC3 e0 and R1 Gi0/2 are linked now.",
        ),
        (
            "connect R1 Gi0/2 with PC3",
            (
                "create_gns3_link",
                {"links": [{"node_a": "R1", "port_a": "Gi0/2", "node_b": "PC3", "port_b": "e0"}]},
            ),
            "I link R1 Gi0/2 to PC3 e0.",
            "R1 Gi0/2 and PC3 e0 are linked now.",
        ),
        (
            "delete PC3",
            ("delete_gns3_node", {"node_ids": ["PC3"]}),
            "I ask for your confirmation to delete PC3.",
            "PC3 is deleted.",
        ),
        (
            "remove the link between R1 and PC1",
            ("delete_gns3_link", {"links": [{"node_a": "R1", "node_b": "PC1"}]}),
            "I ask for your confirmation to delete the link PC1 e0 - R1 Gi0/0.",
            "The link PC1 e0 - R1 Gi0/0 is deleted.",
        ),
    ],
)
async def test_building(request_: str, call: tuple[str, dict[str, Any]], said: str, told: str) -> None:
    world = World(nodes=STOPPED)
    assert await world.ask(request_) == told
    assert world.calls == [READ_TOPOLOGY, call]
    assert before_last_call(world) == said


@pytest.mark.parametrize(
    ("request_", "node_"),
    [
        ("add a router", {"template": "Router (IOS-like)"}),
        ("add a VPCS named PC3", {"template": "VPCS", "name": "PC3"}),
        ("create an alpine called Web", {"template": "Alpine", "name": "Web"}),
    ],
)
async def test_adding_a_node(request_: str, node_: dict[str, str]) -> None:
    world = World()
    text = await world.ask(request_)
    assert world.calls[-2:] == [READ_TEMPLATES, ("create_gns3_node", {"nodes": [node_]})]
    name = node_.get("name", "R3")
    assert text == f"{name} is there; it is stopped. Its ports: e0. To start it: `start {name}`"


async def test_templates() -> None:
    world = World()
    text = await world.ask("what templates are there?")
    assert world.calls == [READ_TEMPLATES]
    assert "| VPCS | vpcs | guest |" in text
    world = World(queued={"get_gns3_templates": [{"error": "The lab does not answer."}]})
    assert "The lab does not answer." in await world.ask("add a router")


@pytest.mark.parametrize(
    ("request_", "told"),
    [
        ("start R1", "R1 is started already."),
        ("start PC33", "There is no device named `PC33`. Did you mean PC3?"),
        ("start R3 if it is suspended", "There is no device named `if it is suspended`"),
        ("delete PC9", "There is no device named `PC9`"),
        ("rename PC1 to r1", "There is a device named `r1` already"),
        ("add a VPCS named PC1", "There is a device named `PC1` already"),
        ("add a switch", "There is no template for `switch`, so I add nothing. The templates: `Router"),
        ("add a host", "Which one? These templates fit: `VPCS`, `Alpine`. For example: `add a VPCS`"),
        ("link PC3 to R1", "Which port of R1? In use: Gi0/0, Gi0/1."),
        ("link PC3 e0 to R1 GigabitEthernet0/1", "R1 GigabitEthernet0/1 is in use, so I add nothing: R1 Gi0/1 - R2"),
        ("link PC3 e1 to R1 Gi0/2", "PC3 has no port `e1`"),
        ("link PC3", "Which two devices?"),
        ("link R1 Gi0/2 to R1 Gi0/3", "A link needs two devices"),
        ("remove the link between PC3 and R1", "There is no link between PC3 and R1"),
        ("remove the link of R1", "Between which two devices?"),
        ("start PC3 and delete R1", "One request at a time, please"),
    ],
)
async def test_what_is_not_built(request_: str, told: str) -> None:
    world = World(nodes=STOPPED)
    assert told in await world.ask(request_)
    assert all(call in (READ_TOPOLOGY, READ_TEMPLATES) for call in world.calls)


async def test_one_of_several_links() -> None:
    second = {**link(("R1", "Gi0/2"), ("R2", "Gi0/2")), "link_id": "second"}
    world = World(links=[*LINKS, second])
    assert "There are 2 links between R1 and R2: R1 Gi0/1 - R2 Gi0/1; R1 Gi0/2 - R2 Gi0/2." in await world.ask(
        "remove the link between R1 and R2"
    )
    await world.ask("remove the link between R1 Gi0/2 and R2")
    assert world.calls[-1] == ("delete_gns3_link", {"links": [{"link_id": "second"}]})


async def test_what_the_lab_says_of_a_failure() -> None:
    failed = {"name": "PC3 e0 - R1 Gi0/9", "status": "failed", "error": "R1 has no port Gi0/9."}
    world = World(nodes=STOPPED, queued={"create_gns3_link": [{"results": [failed]}]})
    text = await world.ask("link PC3 to R1 Gi0/9")
    assert text == "PC3 e0 - R1 Gi0/9: it failed. R1 has no port Gi0/9."


async def test_a_deletion_that_a_person_decides_otherwise() -> None:
    rejected = {"error": "A person rejected this call. Do not try it again.", "reason": "keep it"}
    world = World(nodes=STOPPED, queued={"delete_gns3_node": [rejected]})
    assert await world.ask("delete PC3") == "You rejected it; nothing was changed. Your reason: keep it"
    changed = {"results": [{"name": "R3", "status": "success"}], "executed_args": {"node_ids": ["R3"]}}
    world = World(nodes=STOPPED, queued={"delete_gns3_node": [changed]})
    text = await world.ask("delete PC3")
    assert text.startswith("A person changed it; this ran:")
    assert text.endswith("R3: done.")


async def test_template_names_are_data() -> None:
    evil = {**TEMPLATE_LIST[0], "name": "<b>|x"}
    world = World(queued={"get_gns3_templates": [{"templates": [evil]}]})
    assert r"\<b\>\|x" in await world.ask("list templates")
