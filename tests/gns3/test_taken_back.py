"""What a run changed on a real router and a real host is taken back."""

from __future__ import annotations

from typing import Any

import pytest
from kit.hitl import CONFIGURE, Question, ask, configure, results, told
from kit.real_lab import RealLab
from kit.scripted_llm import ScriptedLlm, host, say, show
from kit.server import User
from kit.waiting import PATIENCE

SLOW = 6 * PATIENCE
ROUTER = [
    *("interface eth0", "description towards the hosts", "ip address 10.77.0.1/24", "ip ospf hello-interval 5", "exit"),
    *("router ospf", "ospf router-id 77.0.0.1", "network 10.77.0.0/24 area 0", "exit", "ip route 10.78.0.0/24 Null0"),
]


async def test_a_run_is_taken_back(lab: RealLab, llm: ScriptedLlm, me: User) -> None:
    if "R1" not in await lab.nodes():
        pytest.skip("the lab was started without routers")
    async with me.socket() as socket:

        async def shown(device: str, command: str) -> str:
            asked = show(device, command)
            llm.answer(say(asked), say("That is it."))
            sent = await socket.chat("Show")
            await socket.end_of(sent, SLOW)
            return str((await results(me, sent["session_id"]))[asked.id]["content"])

        before = [await shown("R1", "show running-config"), await shown("PC1", "show ip")]
        run = await ask(llm, socket, configure("R1", *ROUTER), host("PC1", "ip 10.77.0.10/24 10.77.0.1"))
        await run.confirm()
        assert (await run.socket.end_of(run.sent, SLOW)).done["undoable"] is True
        after = [await shown("R1", "show running-config"), await shown("PC1", "show ip")]
        assert all(one != other for one, other in zip(before, after, strict=True))
        devices: list[Any] = (await told(me, run.session_id))[0]["devices"]
        assert {device["device_name"] for device in devices if device["diff"]} == {"R1", "PC1"}
        sent = await socket.command("run.undo", run_id=run.run_id)
        question = Question(socket, sent, await socket.frame("hitl_required", seconds=SLOW, run_id=sent["run_id"]))
        assert question.prompt["pending_tools"][0]["tool_name"] == CONFIGURE
        await question.confirm(acknowledge_dangerous=True)
        turn = await socket.end_of(sent, SLOW)
        assert "R1 is configured as before that run." in turn.text
        assert "PC1 is configured as before that run." in turn.text
        assert [await shown("R1", "show running-config"), await shown("PC1", "show ip")] == before
