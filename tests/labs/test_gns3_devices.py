"""The tools on nodes of a scripted GNS3 whose consoles are scripted too: devices of the IOS family, and people."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from fake_device import FakeDevice
from kit.gns3 import ScriptedGns3, silence
from kit.hitl import ask, configure
from kit.scripted_llm import Call, ScriptedLlm, call, host, say, show
from kit.server import Server, Start
from kit.socket import Socket
from kit.waiting import eventually

from copilot_ws.agent.tools import starting

Json = dict[str, Any]
INVALID = "            ^\r\n% Invalid input detected at '^' marker.\r\n"


class Ios(FakeDevice):
    """Some of IOS's exec and configuration modes, with a boot that a test may lengthen."""

    def __init__(self, name: str = "R1") -> None:
        super().__init__("ios", name, f"{name}>")
        self.answers |= {
            "enable": self._mode("#"),
            "configure terminal": self._mode("(config)#"),
            "end": self._mode("#"),
            "interface Gi0/0": self._mode("(config-if)#"),
            "no such line": INVALID,
            "show version": "Cisco IOS Software, IOSv Software\r\n",
        }

    def _mode(self, mode: str) -> Callable[[FakeDevice], Awaitable[None]]:
        async def change(device: FakeDevice) -> None:
            device.prompt = f"{self.name}{mode}"

        return change

    async def boot(self, *lines: str, pause: float = 0.05) -> None:
        """Prints what a router prints; keys that are pressed meanwhile are lost."""
        for line in lines:
            await self.out(f"{line}\r\n", pause)
            self.lose_keys()


class Booting(Ios):
    """Answers nothing until it is told that it is up."""

    def __init__(self) -> None:
        super().__init__()
        self.up = asyncio.Event()

    async def _shell(self) -> None:
        while not self.up.is_set():
            await self.boot("Self decompressing the image : ####", pause=0.1)
        await self.out("\r\nPress RETURN to get started!\r\n\r\n")
        await super()._shell()


@pytest.fixture
async def server(start_on_gns3: Start) -> Server:
    return await start_on_gns3()


@asynccontextmanager
async def node_of(gns3: ScriptedGns3, device: FakeDevice, kind: str, **fields: Any) -> AsyncIterator[Json]:
    async with device.running():
        yield gns3.add_node(device.name, kind, **{"status": "started", "console": device.port, **fields})


async def result(llm: ScriptedLlm, socket: Socket, made: Call, seconds: float = 20) -> Json:
    llm.answer(say(made))
    turn = await socket.end_of(await socket.chat("Do it"), seconds)
    return {"status": turn.results[made.id]["status"], **json.loads(turn.results[made.id]["tool_output"])}


class TestStarting:
    async def test_waits_for_the_prompt_and_tells_how_far_it_is(
        self, gns3: ScriptedGns3, llm: ScriptedLlm, socket: Socket, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(starting, "TELL_SECONDS", 0.3)
        async with node_of(gns3, device := Booting(), "dynamips", status="stopped"):
            llm.answer(say(made := call("start_gns3_node", {"node_ids": ["R1"]})))
            sent = await socket.chat("Start R1")
            await eventually(lambda: "Self decompressing" in self._progress(socket)[-1], "its boot is told of")
            assert not socket.of("tool_end")
            device.up.set()
            turn = await socket.end_of(sent, 30)
            (started,) = json.loads(turn.results[made.id]["tool_output"])["results"]
        assert (started["state"], started["ready"]) == ("started", True)
        assert started["seconds"] >= 0.3
        assert self._progress(socket)[-1] == "ready"

    @staticmethod
    def _progress(socket: Socket) -> list[str]:
        return [event["message"] for event in socket.of("tool_progress")] or [""]

    async def test_a_device_that_never_comes(
        self, gns3: ScriptedGns3, llm: ScriptedLlm, socket: Socket, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(starting, "READY_SECONDS", 1.5)
        async with node_of(gns3, Booting(), "dynamips", status="stopped"):
            (started,) = (await result(llm, socket, call("start_gns3_node", {"node_ids": ["R1"]})))["results"]
        assert (started["status"], started["ready"]) == ("success", False)
        assert "Last seen: 'Self decompressing the image : ####'" in started["note"]

    async def test_a_first_dialog_is_left_to_a_person(
        self, gns3: ScriptedGns3, llm: ScriptedLlm, socket: Socket
    ) -> None:
        device = Ios()
        device.prompt = "Would you like to enter the initial configuration dialog? [yes/no]: "
        async with node_of(gns3, device, "iou", status="stopped"):
            (started,) = (await result(llm, socket, call("start_gns3_node", {"node_ids": ["R1"]})))["results"]
        assert started["ready"] is True
        assert "initial configuration dialog" in started["note"]
        assert set(device.entered) == {""}

    async def test_all_at_once_each_with_its_own_result(
        self, gns3: ScriptedGns3, llm: ScriptedLlm, socket: Socket
    ) -> None:
        async with node_of(gns3, Ios("R1"), "dynamips", status="stopped"), node_of(gns3, Ios("R2"), "iou"):
            gns3.add_node("SW1", "ethernet_switch")
            names = ["R1", "R9", "SW1", "R2"]
            found = await result(llm, socket, call("start_gns3_node", {"node_ids": names}))
        assert [entry["name"] for entry in found["results"]] == names
        assert [entry["status"] for entry in found["results"]] == ["success", "failed", "success", "success"]
        assert [entry.get("ready") for entry in found["results"]] == [True, None, None, True]


async def test_a_stop_tells_what_the_lab_was_asked_for(gns3: ScriptedGns3, llm: ScriptedLlm, socket: Socket) -> None:
    for name in ("PC1", "PC2", "PC3"):
        gns3.add_node(name)
    path = f"/v3/projects/{gns3.project.id}/nodes/{gns3.add_node('PC4')['node_id']}"
    gns3.faults[path] = silence(2)
    question = await ask(llm, socket, call("delete_gns3_node", {"node_ids": ["PC1", "PC4", "PC3"]}))
    await question.confirm(acknowledge_dangerous=True)
    await eventually(lambda: gns3.of("DELETE", path), "the second one is asked for")
    await socket.command("chat.stop", session_id=question.session_id)
    turn = await socket.end_of(question.sent, 20)
    output = json.loads(next(iter(turn.results.values()))["tool_output"])
    assert output["sent"] == {"PC1": ["begun", "done"], "PC4": ["begun"]}


class TestIos:
    async def test_reads_in_enabled_mode_without_paging(
        self, gns3: ScriptedGns3, llm: ScriptedLlm, socket: Socket
    ) -> None:
        async with node_of(gns3, device := Ios(), "qemu", tags=["device_type:cisco_ios_telnet"]):
            read = await result(llm, socket, show("R1", "show version"))
        assert read["results"][0]["output"] == "R1# show version\nCisco IOS Software, IOSv Software"
        assert [line for line in device.entered if line] == ["enable", "terminal length 0", "show version"]

    async def test_an_untagged_one_in_qemu_is_enabled_and_configured_too(
        self, gns3: ScriptedGns3, llm: ScriptedLlm, socket: Socket
    ) -> None:
        async with node_of(gns3, device := Ios(), "qemu"):
            question = await ask(llm, socket, configure("R1", "interface Gi0/0", "no such line", "shutdown"))
            await question.confirm(acknowledge_dangerous=True)
            turn = await socket.end_of(question.sent, 30)
        (found,) = json.loads(next(iter(turn.results.values()))["tool_output"])["results"]
        assert "refused 'no such line': % Invalid input detected" in found["error"]
        assert "Not sent: shutdown" in found["error"]
        assert "shutdown" not in device.entered
        assert device.prompt == "R1#", "configuration mode was left"

    @pytest.mark.timeout(30)
    @pytest.mark.parametrize(
        ("said", "refused"),
        [
            ("Command rejected: the encapsulation is Auto.", True),
            ("ERROR: % Invalid input detected at '^' marker.", True),
            ("sh: frobnicate: not found", True),
            ("RTNETLINK answers: File exists", True),
            ("%LINK-5-CHANGED: Interface Gi0/0, changed state to down", False),
            ("%" + " " * 20000 + "x", False),
            ("one" + "\r\n" * 20000 + "two", False),
        ],
        ids=["rejected", "ASA", "shell", "iproute2", "log", "blanks", "lines"],
    )
    async def test_what_a_device_says_to_a_line(
        self, gns3: ScriptedGns3, llm: ScriptedLlm, socket: Socket, said: str, refused: bool
    ) -> None:
        device = Ios()
        device.answers["a line"] = f"{said}\r\n"
        async with node_of(gns3, device, "dynamips"):
            question = await ask(llm, socket, configure("R1", "a line", "another"))
            await question.confirm()
            turn = await socket.end_of(question.sent, 20)
        (found,) = json.loads(next(iter(turn.results.values()))["tool_output"])["results"]
        assert ("refused 'a line'" in found.get("error", "")) is refused
        assert ("another" in device.entered) is not refused

    async def test_a_line_that_would_only_show_help_is_not_called_done(
        self, gns3: ScriptedGns3, llm: ScriptedLlm, socket: Socket
    ) -> None:
        async with node_of(gns3, device := Ios(), "dynamips"):
            refused = await result(llm, socket, configure("R1", "interface Gi0/0", "description why?"))
        assert refused["status"] == "error"
        assert "'description why?' would only show help" in refused["error"]
        assert device.entered == []

    async def test_a_password_is_not_guessed(self, gns3: ScriptedGns3, llm: ScriptedLlm, socket: Socket) -> None:
        async def enable(device: FakeDevice) -> None:
            await device.out("Password: ")
            await device.until_interrupted()

        device = Ios()
        device.answers["enable"] = enable
        async with node_of(gns3, device, "dynamips"):
            read = await result(llm, socket, show("R1", "show version"))
        assert read["status"] == "error"
        assert "asks 'Password:': log in on its console first" in read["results"][0]["error"]

    async def test_a_stopped_node_and_one_without_a_console(
        self, gns3: ScriptedGns3, llm: ScriptedLlm, socket: Socket
    ) -> None:
        gns3.add_node("R1", "dynamips")
        gns3.add_node("R2", "qemu", status="started", console_type="vnc")
        read = await result(
            llm,
            socket,
            call(
                "execute_multiple_device_commands",
                {"device_configs": [{"device_name": name, "commands": ["show version"]} for name in ("R1", "R2")]},
            ),
        )
        assert [found["error"] for found in read["results"]] == [
            "R1 is stopped: start it first.",
            "R2 has no telnet console.",
        ]


async def test_a_vpcs_is_never_sent_a_host_command_whatever_its_tags_say(
    gns3: ScriptedGns3, llm: ScriptedLlm, socket: Socket
) -> None:
    device = FakeDevice("vpcs", "PC1", "PC1> ")
    async with node_of(gns3, device, "vpcs", tags=["device_type:linux"]):
        refused = await result(llm, socket, host("PC1", "! id"))
        again = await result(llm, socket, show("PC1", "!id"))
    assert (refused["status"], again["status"]) == ("error", "error")
    assert "never sent to VPCS" in refused["error"]
    assert [line for line in device.entered if line] == []


async def test_a_shell_that_shows_itself_is_known_from_then_on(
    gns3: ScriptedGns3, llm: ScriptedLlm, socket: Socket
) -> None:
    device = FakeDevice("linux", "A1", "root@A1:~# ")
    async with node_of(gns3, device, "qemu"):
        await result(llm, socket, show("A1", "show version"))
        topology = await result(llm, socket, call("gns3_topology_reader", {}))
    assert topology["nodes"][0]["platform"] == "linux"


async def test_a_person_who_types_is_told_of_and_waited_for(
    gns3: ScriptedGns3, llm: ScriptedLlm, socket: Socket, server: Server
) -> None:
    class Used(Ios):
        """Somebody types behind the prompt that follows the first answer, and takes it back later."""

        async def show_prompt(self) -> None:
            await super().show_prompt()
            if self.entered[-1] == "show version" and self.entered.count("show version") == 1:
                await self.out("reload", pause=3)
                await self.out("\b \b" * len("reload"))

    device = Used()
    async with node_of(gns3, device, "dynamips"):
        llm.answer(say(made := show("R1", "show version", "show version")))
        sent = await socket.chat("Look")
        await socket.frame("tool_progress", message="somebody types on the console of R1: waiting until they are done")
        turn = await socket.end_of(sent, 30)
    assert turn.results[made.id]["status"] == "success"
    assert device.entered.count("show version") == 2
