"""Consoles that a person uses at the same time: nothing of theirs is entered, and nothing is entered into theirs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from fake_device import FakeDevice
from kit.waiting import eventually

from copilot_ws.labs.console import Console, ConsoleError, ConsoleLimits, Consoles
from copilot_ws.labs.prompts import Prompt, foreign, typed_behind

LIMITS = ConsoleLimits(
    connect=1, sync=3, echo=1, quiet=3.5, total=5, nudge=0.2, recover=1, shared=1.0, shared_quiet=0.3, shared_tries=0
)
PATIENT = replace(LIMITS, shared_tries=2)
R1 = Prompt("R1#", "R1")


class Person:
    """Another client of the same console."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer

    async def types(self, text: str) -> None:
        for key in text:
            self._writer.write(key.encode())
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)


@asynccontextmanager
async def shared(
    device: FakeDevice, limits: ConsoleLimits = LIMITS, somebody: Callable[[], None] | None = None
) -> AsyncIterator[tuple[Console, Person]]:
    consoles = Consoles(limits)
    async with device.running(), consoles.hold(device.node(), "test", None, somebody) as console:
        _, writer = await asyncio.open_connection("127.0.0.1", device.port)
        try:
            yield console, Person(writer)
        finally:
            writer.close()


def entered(device: FakeDevice) -> list[str]:
    return [line for line in device.entered if line]


async def assert_shared(console: Console, command: str = "show it") -> None:
    with pytest.raises(ConsoleError) as caught:
        await console.run(command)
    assert caught.value.reason == "shared"
    assert "Somebody else uses the console of R1" in caught.value.message


async def test_a_line_that_somebody_has_begun_is_left_alone() -> None:
    device = FakeDevice()
    async with shared(device) as (console, person):
        await person.types("reload in 5")
        await assert_shared(console)
        assert device.line == "reload in 5"
        assert entered(device) == []


async def test_keys_that_come_while_a_command_is_typed_take_it_back() -> None:
    device = FakeDevice()
    async with shared(device) as (console, _):

        async def interfering(key: str) -> None:
            await device.out(key)
            if device.line == "show":
                await device.out("!")
                device.line += "!"

        device.echo = interfering  # type: ignore[method-assign]
        await assert_shared(console, "show interfaces")
        assert device.line == ""
        assert entered(device) == []


async def test_another_mode_than_the_one_that_was_left() -> None:
    device = FakeDevice()

    async def configure(device: FakeDevice) -> None:
        device.prompt = "R1(config)#"

    device.answers["conf t"] = configure
    async with shared(device, PATIENT) as (console, person):
        await person.types("conf t\r")
        await assert_shared(console)
    assert "show it" not in device.entered


async def test_another_mode_that_is_entered_while_a_command_is_typed() -> None:
    device = FakeDevice(prompt="R1(config-if)#")
    device.answers["end"] = ""
    async with shared(device) as (console, _):

        async def interfering(key: str) -> None:
            if device.line == "s":
                device.prompt = "R1(config)#"
                await device.out(f"\rR1(config-if)#exit\r\n{device.prompt}")
            await device.out(key)

        device.echo = interfering  # type: ignore[method-assign]
        await assert_shared(console, "shutdown")
        assert "shutdown" not in device.entered


@pytest.mark.parametrize("limits", [LIMITS, PATIENT], ids=["hasty", "patient"])
async def test_a_line_that_somebody_enters_may_lead_to_another_section(limits: ConsoleLimits) -> None:
    device = FakeDevice(prompt="R1(config-if)#")
    device.answers["end"] = leave
    async with shared(device, limits) as (console, person):
        device.prompt = "R1(config-if)#"
        await console.run("interface Gi0/0")
        await person.types("interface Gi0/1\r")
        await assert_shared(console, "shutdown")
    assert entered(device) == ["end", "interface Gi0/0", "interface Gi0/1", "end"]


async def test_a_line_that_somebody_begins_while_it_is_configured_and_enters_later() -> None:
    device = FakeDevice(prompt="R1(config-if)#")
    device.answers["end"] = leave
    told = asyncio.Event()
    async with shared(device, PATIENT, told.set) as (console, person):
        device.prompt = "R1(config-if)#"
        await console.run("interface Gi0/0")
        await person.types("interface ")
        running = asyncio.create_task(console.run("shutdown"))
        await told.wait()
        await person.types("Gi0/1\r")
        with pytest.raises(ConsoleError) as caught:
            await running
        assert caught.value.reason == "shared"
    assert "shutdown" not in device.entered


async def test_a_line_that_somebody_enters_while_a_command_is_typed() -> None:
    device = FakeDevice(prompt="R1(config-if)#")
    device.answers["end"] = leave
    async with shared(device) as (console, _):
        device.prompt = "R1(config-if)#"
        await console.run("interface Gi0/0")

        async def interfering(key: str) -> None:
            await device.out(f"interface Gi0/1\r\n{device.prompt}{key}" if device.line == "s" else key)

        device.echo = interfering  # type: ignore[method-assign]
        await assert_shared(console, "shutdown")
    assert "shutdown" not in device.entered


async def leave(device: FakeDevice) -> None:
    device.prompt = "R1#"


async def test_a_line_whose_cursor_stands_in_the_middle_is_taken_back_as_a_whole() -> None:
    class Editing(FakeDevice):
        """Ctrl-A goes to the start of the line, Ctrl-E to its end, Ctrl-U erases what is left of the cursor."""

        at_start = False

        async def key(self) -> str:
            key = await super().key()
            if key in ("\x01", "\x05"):
                self.at_start = key == "\x01"
            return "" if key == "\x15" and self.at_start else key

    device = Editing()
    async with device.running():
        _, writer = await asyncio.open_connection("127.0.0.1", device.port)
        await Person(writer).types("reload in 5\x01")
        async with Consoles(LIMITS).hold(device.node(), "test") as console:
            await console.run("show it")
        writer.close()
    assert entered(device) == ["show it"]


async def test_it_goes_on_when_they_are_done_and_says_that_it_waits() -> None:
    device = FakeDevice()
    device.answers["show it"] = "done\r\n"
    told: list[str] = []
    async with shared(device, PATIENT, lambda: told.append("waiting")) as (console, person):
        await person.types("show clock")
        running = asyncio.create_task(console.run("show it"))
        await eventually(lambda: told, "it says that it waits")
        await person.types("\r")
        assert (await running).text == "done"
    assert entered(device) == ["show clock", "show it"]
    assert told == ["waiting"]


async def test_somebody_who_types_on_and_on_is_not_waited_for_for_ever() -> None:
    device = FakeDevice()
    async with shared(device, PATIENT) as (console, person):
        await person.types("x")
        typing = asyncio.create_task(person.types("x" * 400))
        await assert_shared(console)
        typing.cancel()
    assert entered(device) == []


async def test_a_run_that_is_stopped_while_it_waits_interrupts_nobody() -> None:
    device = FakeDevice()
    told = asyncio.Event()
    async with shared(device, PATIENT, told.set) as (console, person):
        await person.types("show clock")
        running = asyncio.create_task(console.run("show it"))
        await told.wait()
        running.cancel()
        await asyncio.wait([running])
        assert device.line == "show clock"


async def test_typing_behind_the_prompt_does_not_hide_the_end_of_an_answer() -> None:
    device = FakeDevice()

    async def eager(device: FakeDevice) -> None:
        await device.out("one\r\ntwo\r\n")

    device.answers["show it"] = eager
    async with shared(device) as (console, person):
        running = asyncio.create_task(console.run("show it"))
        await eventually(lambda: "show it" in device.entered, "the line is entered")
        await person.types("sho")
        assert (await running).text == "one\ntwo"
        await assert_shared(console)


@pytest.mark.parametrize(
    ("line", "typed"),
    [
        ("R1#", ""),
        ("R1# ", ""),
        ("R1#conf t", "conf t"),
        ("R1# x", "x"),
        ("R1#*Mar  1 00:00:01.003: %SYS-5-CONFIG_I: Configured", ""),
        ("R2#conf t", ""),
        ("", ""),
    ],
)
def test_what_is_typed_behind_a_prompt(line: str, typed: str) -> None:
    assert typed_behind(line, R1) == typed


@pytest.mark.parametrize(
    ("line", "is_foreign"),
    [
        ("R1#show ip", False),
        ("R1#sho ip", False),  # a character was lost
        ("R1#show ip x", True),
        ("R1#xshow", True),
        ("R1#$w ip route", False),  # a long line scrolls
        ("R1#", False),
    ],
)
def test_what_did_not_come_from_typing_a_command(line: str, is_foreign: bool) -> None:
    assert foreign("show ip route", line, R1) is is_foreign
