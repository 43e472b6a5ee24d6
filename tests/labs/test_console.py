"""The console driver against real telnet sockets: what devices do to it, and what it must not do to them."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from fake_device import FakeDevice

from copilot_ws.labs.console import Console, ConsoleError, ConsoleLimits, Consoles

LIMITS = ConsoleLimits(
    connect=1, sync=3, echo=1, quiet=0.6, total=4, nudge=0.2, recover=1, output=2000, ceiling=1 << 20
)
LOG = "*Mar  1 00:00:01.003: %SYS-5-CONFIG_I: Configured from console by console"


@pytest.fixture
def consoles() -> Consoles:
    return Consoles(LIMITS)


@pytest.fixture(autouse=True)
async def _no_task_is_left() -> AsyncIterator[None]:
    before = asyncio.all_tasks()
    yield
    await asyncio.sleep(0.01)
    assert {task.get_name() for task in asyncio.all_tasks() - before if "console" in task.get_name()} == set()


async def answer(consoles: Consoles, device: FakeDevice, command: str = "show it") -> str:
    async with device.running(), consoles.hold(device.node(), "test") as console:
        return (await console.run(command)).text


async def assert_usable(console: Console, device: FakeDevice) -> None:
    device.answers["show ok"] = "fine\r\n"
    assert (await console.run("show ok")).text == "fine"


# Answers


async def test_answer_is_what_stands_between_echo_and_prompt(consoles: Consoles) -> None:
    device = FakeDevice()
    device.answers["show it"] = "one \r\n\x1b[1mtwo\x1b[0m\tx\x07\r\n"
    assert await answer(consoles, device) == "one\ntwo     x"


async def test_slow_split_echo(consoles: Consoles) -> None:
    class Slow(FakeDevice):
        async def echo(self, key: str) -> None:
            await self.out(key, pause=0.02)

    device = Slow()
    device.answers["show it"] = "done\r\n"
    assert await answer(consoles, device) == "done"


async def test_stale_prompts_do_not_shift_answers(consoles: Consoles) -> None:
    class Twice(FakeDevice):
        async def show_prompt(self) -> None:
            await self.out(self.prompt, pause=0.06)
            await self.out(f"\r\n{self.prompt}")

    device = Twice()
    device.banner = "left over\r\nR1#"
    device.answers = {"show a": "A\r\n", "show b": "B\r\n"}
    async with device.running(), consoles.hold(device.node(), "test") as console:
        for _ in range(3):
            assert (await console.run("show a")).text == "A"
            assert (await console.run("show b")).text == "B"


@pytest.mark.parametrize("end", ["\b" * 9 + " " * 8 + "\b" * 9, "\r" + " " * 12 + "\r", "\r\x1b[K", "\r\n"])
async def test_pager(consoles: Consoles, end: str) -> None:
    async def pages(device: FakeDevice) -> None:
        for number in range(3):
            await device.out(f"page {number}\r\n --More-- ")
            assert await device.key() == " "
            await device.out(end)
        await device.out("last\r\n")

    device = FakeDevice()
    device.answers["show it"] = pages
    text = await answer(consoles, device)
    assert [line for line in text.split("\n") if line] == ["page 0", "page 1", "page 2", "last"]


async def test_vpcs_pager(consoles: Consoles) -> None:
    async def pages(device: FakeDevice) -> None:
        await device.out("one\r\nPress any key to continue")
        await device.key()
        await device.out("\r\ntwo\r\n")

    device = FakeDevice("vpcs", "PC1", "PC1> ")
    device.answers["show it"] = pages
    assert (await answer(consoles, device)).split() == ["one", "two"]


@pytest.mark.parametrize("pause", [0.0, 0.012])
async def test_a_prompt_in_the_output_does_not_end_it(consoles: Consoles, pause: float) -> None:
    async def history(device: FakeDevice) -> None:
        for line in ("first", "R1#", "R1(config)#", "R1#show version", "last"):
            await device.out("", pause)
            await device.out(line, pause)
            await device.out("\r\n")

    device = FakeDevice()
    device.answers["show it"] = history
    assert await answer(consoles, device) == "first\nR1#\nR1(config)#\nR1#show version\nlast"


async def test_ios_that_prints_char_by_char(consoles: Consoles) -> None:
    async def crawl(device: FakeDevice) -> None:
        for char in "a\r\nR1#\r\nb\r\n":
            await device.out(char, pause=0.008)

    device = FakeDevice("ios")
    device.answers["show it"] = crawl
    assert await answer(consoles, device) == "a\nR1#\nb"


@pytest.mark.parametrize(
    ("printed", "text"),
    [
        (f"R1#\r\n{LOG}\r\n", f"done\n{LOG}"),
        (f"R1#{LOG}\r\n", f"done\n{LOG}"),
        (f"R1#\r\n{LOG}\r\n%LINK-3-UPDOWN: up\r\n", f"done\n{LOG}\n%LINK-3-UPDOWN: up"),
        (f"{LOG}\r\nR1#", f"done\n{LOG}"),
        ("R1#\r\nno log that anyone knows\r\n", "done\nno log that anyone knows"),
    ],
)
async def test_log_messages_around_the_prompt(consoles: Consoles, printed: str, text: str) -> None:
    class Logs(FakeDevice):
        async def show_prompt(self) -> None:
            await self.out(printed if self.entered[-1] == "conf it" else self.prompt)

    device = Logs()
    device.answers["conf it"] = "done\r\n"
    async with device.running(), consoles.hold(device.node(), "test") as console:
        started = asyncio.get_running_loop().time()
        assert (await console.run("conf it")).text == text
        assert asyncio.get_running_loop().time() - started < LIMITS.quiet
        await assert_usable(console, device)


@pytest.mark.parametrize("log", [f"\r\n{LOG}\r\n", f"\r\n{LOG}\r\nR1#show"])
async def test_log_message_in_the_echo(consoles: Consoles, log: str) -> None:
    class Logs(FakeDevice):
        async def echo(self, key: str) -> None:
            await self.out(log + key if self.line == "show " else key)

    device = Logs()
    device.answers["show it"] = "done\r\n"
    assert await answer(consoles, device) == "done"
    assert device.entered[-1] == "show it"


LONG = "show ip route " + " ".join(f"10.0.{number}.0" for number in range(20))


@pytest.mark.parametrize("style", ["ios", "readline wrap", "vtysh", "crlf wrap"])
async def test_long_lines_are_redrawn(consoles: Consoles, style: str) -> None:
    class Narrow(FakeDevice):
        async def echo(self, key: str) -> None:
            column = len(self.prompt + self.line)
            if column % 60:
                await self.out(key)
            elif style == "ios":
                await self.out(f"\r{self.prompt}${self.line[-10:]}" + " " * 60 + "\b" * 60)
            elif style == "vtysh":
                await self.out("\r<" + self.line[-10:] + "\x1b[K")
            elif style == "readline wrap":
                await self.out(key + " \r")
            else:
                await self.out(key + "\r\n")

    device = Narrow()
    device.answers[LONG] = "done\r\n"
    assert await answer(consoles, device, LONG) == "done"
    assert device.entered[-1] == LONG


async def test_banner_of_the_first_client(consoles: Consoles) -> None:
    device = FakeDevice()
    device.banner = "Welcome!\r\nUse R1# with care\r\n\r\nPress RETURN to get started.\r\n\r\n"
    device.answers["show it"] = "done\r\n"
    assert await answer(consoles, device) == "done"


async def test_iac_in_the_middle(consoles: Consoles) -> None:
    async def negotiating(device: FakeDevice) -> None:
        await device.raw(b"a\xff")
        await device.raw(b"\xfb\x01b\xff\xf1c\xff\xff\xff\xfa\x18\x01", pause=0.01)
        await device.raw(b"\xff\xf0d\r\n")

    device = FakeDevice()
    device.answers["show it"] = negotiating
    assert await answer(consoles, device) == "abc\N{REPLACEMENT CHARACTER}d"


async def test_huge_output_is_cut_and_drained(consoles: Consoles) -> None:
    device = FakeDevice()
    device.answers["show it"] = "".join(f"line {number:04}\r\n" for number in range(2000))
    async with device.running(), consoles.hold(device.node(), "test") as console:
        result = await console.run("show it")
        assert result.text.startswith("line 0000\nline 0001\n")
        assert len(result.text + "\n") + result.cut == 2000 * len("line 0000\n")
        assert len(result.text) <= LIMITS.output
        await assert_usable(console, device)


async def test_output_without_end_is_interrupted(consoles: Consoles) -> None:
    async def flood(device: FakeDevice) -> None:
        stop = asyncio.create_task(device.until_interrupted())
        while not stop.done():
            await device.out("x" * 4000 + "\r\n")
            await asyncio.sleep(0)
        await stop

    device = FakeDevice()
    device.answers["debug all"] = flood
    async with device.running(), consoles.hold(device.node(), "test") as console:
        with pytest.raises(ConsoleError, match="did not stop printing") as caught:
            await console.run("debug all")
        assert caught.value.reason == "timeout"
        assert len(caught.value.partial) < 3 * LIMITS.output + 8000
        await assert_usable(console, device)


async def test_new_host_name(consoles: Consoles) -> None:
    async def rename(device: FakeDevice) -> None:
        device.prompt = "Core-1(config)#"

    device = FakeDevice(prompt="R1(config)#")
    device.answers["hostname Core-1"] = rename
    device.answers["end"] = ""
    async with device.running(), consoles.hold(device.node(), "test") as console:
        await console.run("hostname Core-1")
        assert console.prompt == "Core-1(config)#"


@pytest.mark.parametrize(
    "prompt", ["PC1> ", "VPCS> ", "R1>", "R1# ", "user@host:~$ ", "root@x:/etc# ", "/ # ", "[a@b] > "]
)
async def test_prompts(consoles: Consoles, prompt: str) -> None:
    device = FakeDevice(prompt=prompt)
    device.answers["show it"] = "done\r\n"
    assert await answer(consoles, device) == "done"


# Platforms


async def test_ios_is_enabled_and_its_paging_switched_off(consoles: Consoles) -> None:
    async def enable(device: FakeDevice) -> None:
        device.prompt = "R1#"

    device = FakeDevice("ios", prompt="R1>")
    device.answers["enable"] = enable
    async with device.running(), consoles.hold(device.node(), "test") as console:
        assert console.prompt == "R1#"
        await console.run("show it")
    assert [line for line in device.entered if line] == ["enable", "terminal length 0", "show it"]


async def test_ios_help(consoles: Consoles) -> None:
    class Helpful(FakeDevice):
        async def echo(self, key: str) -> None:
            await super().echo(key)
            if key == "?":
                self.line = self.line[:-1]
                await self.out(f"\r\n  version  Show it\r\n\r\n{self.prompt}{self.line}")

    device = Helpful("ios")
    async with device.running(), consoles.hold(device.node(), "test") as console:
        assert (await console.run("show ?")).text == "  version  Show it"
        await assert_usable(console, device)
    assert device.entered[-2:] == ["terminal length 0", "show ok"]


async def test_vpcs_that_loses_input_after_cr(consoles: Consoles) -> None:
    class Deaf(FakeDevice):
        async def show_prompt(self) -> None:
            await asyncio.sleep(0.05)
            self.lose_keys()
            await super().show_prompt()

    device = Deaf("vpcs", "PC1", "PC1> ")
    device.answers["show it"] = "\r\ndone\r\n\r\n"
    async with device.running(), consoles.hold(device.node(), "test") as console:
        for _ in range(3):
            assert (await console.run("show it")).text == "done"


async def test_a_mutilated_line_is_never_entered(consoles: Consoles) -> None:
    lost = iter([5, 9])

    class Lossy(FakeDevice):
        async def echo(self, key: str) -> None:
            await super().echo(key)
            if len(self.line) == 4 and next(lost, 0):
                await self.key()

    device = Lossy()
    async with device.running(), consoles.hold(device.node(), "test") as console:
        with pytest.raises(ConsoleError, match="was not entered"):
            await console.run("no ip routing")
        await console.run("no ip routing")
    assert [line for line in device.entered if line] == ["no ip routing"]


async def test_vpcs_host_commands_are_never_sent(consoles: Consoles) -> None:
    device = FakeDevice("vpcs", "PC1", "PC1> ")
    async with device.running(), consoles.hold(device.node(), "test") as console:
        with pytest.raises(ConsoleError, match="on the lab's host") as caught:
            await console.run(" !id")
        assert caught.value.reason == "refused"
        await assert_usable(console, device)
    assert "!" not in device.received


@pytest.mark.parametrize("command", ["a\rb", "a\nb", "a\0b", "a\tb", "a\x1bb", "a\x85b", "a\u2028b", "x" * 3000])
async def test_only_one_line_is_sent(consoles: Consoles, command: str) -> None:
    device = FakeDevice()
    async with device.running(), consoles.hold(device.node(), "test") as console:
        before = device.received
        with pytest.raises(ValueError, match="a command"):
            await console.run(command)
        assert device.received == before


async def test_blanks_around_a_command_are_not_sent(consoles: Consoles) -> None:
    device = FakeDevice()
    await answer(consoles, device, "  show it \r\n")
    assert device.entered[-1] == "show it"


# What goes wrong


async def test_hang_times_out_and_leaves_a_prompt(consoles: Consoles) -> None:
    async def hang(device: FakeDevice) -> None:
        await device.out("half an ans")
        await device.until_interrupted()

    device = FakeDevice()
    device.answers["ping it"] = hang
    async with device.running(), consoles.hold(device.node(), "test") as console:
        with pytest.raises(ConsoleError, match="R1 printed nothing") as caught:
            await console.run("ping it")
        assert (caught.value.reason, caught.value.partial) == ("timeout", "half an ans")
        assert console.prompt == "R1#"
        await assert_usable(console, device)


async def test_time_out_may_be_longer_and_dots_keep_a_ping_alive(consoles: Consoles) -> None:
    async def sleep(device: FakeDevice) -> None:
        await asyncio.sleep(1)

    async def ping(device: FakeDevice) -> None:
        for _ in range(3):
            await device.out(".", pause=0.4)
        await device.out("\r\n")

    device = FakeDevice()
    device.answers |= {"sleep 1": sleep, "ping it": ping}
    async with device.running(), consoles.hold(device.node(), "test") as console:
        assert (await console.run("sleep 1", timeout=2)).text == ""
        assert (await console.run("ping it")).text == "..."


async def test_connection_lost_in_the_middle(consoles: Consoles) -> None:
    async def reload(device: FakeDevice) -> None:
        await device.out("going down\r\n", pause=0.05)
        device.drop()

    device = FakeDevice()
    device.answers["reload"] = reload
    async with device.running():
        with pytest.raises(ConsoleError, match="R1 closed its console") as caught:
            async with consoles.hold(device.node(), "test") as console:
                await console.run("reload")
        assert (caught.value.reason, caught.value.partial) == ("closed", "going down")
        assert consoles.holder(device.node().node_id) is None
        async with consoles.hold(device.node(), "test") as console:
            await assert_usable(console, device)


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("Proceed with reload? [confirm]", "busy_question"),
        ("Save? [yes/no]: ", "busy_question"),
        ("Destination filename [startup-config]? ", "busy_question"),
        ("Go on (y/n) ", "busy_question"),
        ("Enter TEXT message.  End with the character '#'.\r\n", "busy_question"),
        ("Password: ", "login_required"),
        ("\r\nUsername: ", "login_required"),
    ],
)
async def test_questions_are_not_answered(consoles: Consoles, question: str, reason: str) -> None:
    keys: list[str] = []

    async def ask(device: FakeDevice) -> None:
        await device.out(question)
        keys.append(await device.key())
        await device.out("\r\n")

    device = FakeDevice()
    device.answers["write it"] = ask
    async with device.running(), consoles.hold(device.node(), "test") as console:
        with pytest.raises(ConsoleError) as caught:
            await console.run("write it")
        assert caught.value.reason == reason
        assert question.strip() in caught.value.partial
        await assert_usable(console, device)
    assert keys == ["\x03"]


async def test_login_at_the_start(consoles: Consoles) -> None:
    device = FakeDevice("linux", prompt="host login: ")
    async with device.running():
        with pytest.raises(ConsoleError, match="log in on its console first") as caught:
            async with consoles.hold(device.node(), "test"):
                pass
    assert caught.value.reason == "login_required"


async def test_enable_secret(consoles: Consoles) -> None:
    async def enable(device: FakeDevice) -> None:
        await device.out("Password: ")
        await device.until_interrupted()

    device = FakeDevice("ios", prompt="R1>")
    device.answers["enable"] = enable
    async with device.running():
        with pytest.raises(ConsoleError) as caught:
            async with consoles.hold(device.node(), "test"):
                pass
    assert caught.value.reason == "login_required"


async def test_device_without_a_prompt(consoles: Consoles) -> None:
    device = FakeDevice(prompt="booting ...")
    async with device.running():
        with pytest.raises(ConsoleError, match="R1 shows no prompt") as caught:
            async with consoles.hold(device.node(), "test"):
                pass
    assert caught.value.reason == "no_prompt"


async def test_console_that_is_not_there(consoles: Consoles) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        device = FakeDevice()
        device.port = free.getsockname()[1]
        cases = [
            (device.node(), "refused", "R1 refuses its console"),
            (device.node(status="stopped"), "refused", "R1 is stopped: start it first"),
            (device.node(console=None), "refused", "R1 has no telnet console"),
            (device.node(console_host="nowhere.invalid"), "unreachable", "cannot be reached"),
        ]
        for node, reason, words in cases:
            with pytest.raises(ConsoleError, match=words) as caught:
                async with consoles.hold(node, "test"):
                    pass
            assert caught.value.reason == reason
            assert consoles.holder(node.node_id) is None


async def test_the_wait_for_an_echo_ends(consoles: Consoles) -> None:
    class Debugging(FakeDevice):
        async def echo(self, key: str) -> None:
            while key == "s":
                await self.out("\r\nunlike any echo", pause=0.02)

    device = Debugging()
    hasty = Consoles(replace(LIMITS, echo=0.1, recover=0.2))
    async with device.running(), hasty.hold(device.node(), "test") as console:
        with pytest.raises(ConsoleError, match="was not entered"):
            async with asyncio.timeout(15):
                await console.run("show it")


async def test_a_device_that_prints_on_and_on_is_not_typed_into() -> None:
    async def debug(device: FakeDevice) -> None:
        printing.append(asyncio.create_task(forever(device)))

    async def forever(device: FakeDevice) -> None:
        await asyncio.sleep(0.3)
        while True:
            await device.out("x" * 4000 + "\r\n")

    printing: list[asyncio.Task[None]] = []
    device = FakeDevice()
    device.answers["debug it"] = debug
    hasty = Consoles(replace(LIMITS, echo=0.2, recover=0.2))
    async with device.running():
        async with asyncio.timeout(10), hasty.hold(device.node(), "test") as console:
            await console.run("debug it")
            await asyncio.sleep(0.5)
            with pytest.raises(ConsoleError, match="prints on and on"):
                await console.run("conf t")
        printing[0].cancel()
    assert "conf t" not in device.entered


async def test_negotiation_without_end_is_no_output(consoles: Consoles) -> None:
    async def negotiate(device: FakeDevice) -> None:
        while not answered.is_set():
            await device.raw(b"\xff\xf1" * 2000)
            await asyncio.sleep(0)

    answered = asyncio.Event()
    device = FakeDevice()
    device.answers["show it"] = negotiate
    async with device.running(), consoles.hold(device.node(), "test") as console:
        with pytest.raises(ConsoleError, match="printed nothing"):
            async with asyncio.timeout(10):
                await console.run("show it")
        answered.set()
        await assert_usable(console, device)


# Holding


async def test_cancelled_command_leaves_a_prompt_for_the_next(consoles: Consoles) -> None:
    pinging = asyncio.Event()

    async def ping(device: FakeDevice) -> None:
        pinging.set()
        await device.out("Sending ...\r\n")
        await device.until_interrupted()

    async def first() -> None:
        async with consoles.hold(device.node(), "first") as console:
            await console.run("ping it")

    device = FakeDevice("ios")
    device.answers["ping it"] = ping
    async with device.running():
        task = asyncio.create_task(first())
        await pinging.wait()
        task.cancel()
        async with consoles.hold(device.node(), "second") as console:
            assert task.done()
            assert task.cancelled()
            assert device.sockets == 1
            await assert_usable(console, device)
    assert "\x1e\x03" in device.received


async def test_second_cancellation_does_not_cut_the_interrupt_short(consoles: Consoles) -> None:
    pinging = asyncio.Event()

    async def ping(device: FakeDevice) -> None:
        pinging.set()
        while await device.key() != "\x03":
            pass
        await asyncio.sleep(0.2)

    async def first() -> None:
        async with consoles.hold(device.node(), "first") as console:
            await console.run("ping it")

    device = FakeDevice()
    device.answers["ping it"] = ping
    async with device.running():
        task = asyncio.create_task(first())
        await pinging.wait()
        task.cancel()
        await asyncio.sleep(0.05)
        task.cancel()
        await asyncio.sleep(0.05)
        assert not task.done()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert consoles.tail(device.node().node_id, 1) == ["R1#"]


async def test_cancelled_command_on_a_dead_device_is_bounded(consoles: Consoles) -> None:
    pinging = asyncio.Event()

    async def die(device: FakeDevice) -> None:
        pinging.set()
        await asyncio.sleep(60)

    async def first() -> None:
        async with consoles.hold(device.node(), "first") as console:
            await console.run("ping it")

    device = FakeDevice()
    device.answers["ping it"] = die
    async with device.running():
        task = asyncio.create_task(first())
        await pinging.wait()
        task.cancel()
        async with asyncio.timeout(LIMITS.recover + 1):
            await asyncio.wait((task,))
        assert task.cancelled()
        assert consoles.holder(device.node().node_id) is None


async def test_configuration_mode_is_left(consoles: Consoles) -> None:
    async def enter(device: FakeDevice) -> None:
        device.prompt = "R1(config-if)#"

    async def leave(device: FakeDevice) -> None:
        device.prompt = "R1#"

    device = FakeDevice()
    device.answers |= {"conf t": enter, "end": leave}
    async with device.running():
        async with consoles.hold(device.node(), "test") as console:
            await console.run("conf t")
            assert console.prompt == "R1(config-if)#"
        assert device.prompt == "R1#"
        await enter(device)
        async with consoles.hold(device.node(), "test") as console:
            assert console.prompt == "R1#"


async def test_holders_queue_in_order(consoles: Consoles) -> None:
    order: list[str] = []
    told: list[tuple[str, str]] = []

    async def work(name: str) -> None:
        async with consoles.hold(device.node(), name, lambda other: told.append((name, other))) as console:
            order.append(name)
            assert consoles.holder(node_id) == name
            await console.run(f"show {name}")

    device = FakeDevice()
    async with device.running():
        node_id = device.node().node_id
        tasks = [asyncio.create_task(work(name)) for name in ("a", "b", "c", "d")]
        await asyncio.sleep(0)
        tasks[2].cancel()
        await asyncio.wait(tasks)
        assert device.sockets <= 1
    assert order == ["a", "b", "d"]
    assert told == [("b", "a"), ("c", "a"), ("d", "a")]
    assert [line for line in device.entered if line] == ["show a", "show b", "show d"]
    assert consoles.holder(node_id) is None


async def test_tail_outlives_the_holder(consoles: Consoles) -> None:
    device = FakeDevice()
    device.answers["show it"] = "".join(f"line {number}\r\n" for number in range(1500))
    node_id = "id-R1"
    await answer(consoles, device)
    assert consoles.tail(node_id, 3) == ["line 1498", "line 1499", "R1#"]
    assert len(consoles.tail(node_id, 5000)) == 1001
    assert consoles.tail(node_id, 0) == consoles.tail("other", 5) == []
    async with device.running(), consoles.hold(device.node(), "test"):
        consoles.forget([node_id, "other"])
    assert consoles.tail(node_id, 3) == []
