"""The page's connection: what it says of it, lines that break, a server that dies, and networks without WebSockets."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from kit.browser import Complaints, ask, button, calls, connected, field, idle, sent_to
from kit.hitl import configure
from kit.process import ServerProcess, scripted
from kit.proxy import Proxy
from kit.scripted_llm import Gate, ScriptedLlm, say, show
from kit.server import Server, Start
from playwright.async_api import BrowserContext, Page, Route, expect

LOST = ("net::ERR_", "WebSocket connection to")
"""What the browser itself says of lines that break."""
PATIENCE = 30_000
"""Back-off grows to 15 s."""


async def says(page: Page, words: str) -> None:
    await expect(page.locator("#status")).to_have_text(words, timeout=PATIENCE)


async def arrive(page: Page, url: str, token: str | None) -> None:
    await page.goto(f"{url}/?token={token}")


def counted(name: str) -> str:
    """An answer in which a word that is lost or doubled is seen."""
    return " ".join(f"{name}{number}" for number in range(100)) + " "


async def test_a_line_that_breaks_is_taken_up_where_it_broke(
    browser: BrowserContext, complaints: Complaints, start: Start, llm: ScriptedLlm
) -> None:
    for part in LOST:
        complaints.expect(part)
    server = await start(heartbeat=1)
    broken, back, silent = Gate(), Gate(), Gate()
    llm.answer(say(counted("a"), broken, counted("b"), back, counted("c"), silent, counted("d"), delay=0.002))
    async with Proxy.before(server.url) as proxy:
        page = await browser.new_page()
        await arrive(page, proxy.url, server.user().token)
        await says(page, "Connected")
        await ask(page, "count")
        answer = page.locator(".prose")
        await expect(answer).to_contain_text("a99")
        await broken.reached()
        proxy.up = False
        proxy.cut()
        await says(page, "Reconnecting…")
        broken.open()
        await back.reached()
        await expect(page.locator(".retry-in")).to_have_text(re.compile(r"^in \d+ s$"))
        await expect(button(page, "Try now")).to_be_visible()
        await expect(answer).not_to_contain_text("b0")
        await browser.set_offline(True)
        await says(page, "No network")
        proxy.up = True
        await browser.set_offline(False)  # the browser tells that the network is back
        await says(page, "Caught up")
        await expect(answer).to_contain_text("b99")
        back.open()
        await silent.reached()
        await says(page, "Connected")
        proxy.swallow()  # nobody tells that this line is dead
        await says(page, "Reconnecting…")
        await says(page, "Caught up")
        silent.open()
        await idle(page)
        (_, stored) = await server.user().messages(page.url.partition("#")[2])
        assert stored["content"] == "".join(counted(name) for name in "abcd")
        assert (await answer.inner_text()).split() == stored["content"].split()


async def test_a_server_that_is_killed_and_comes_back(
    browser: BrowserContext, complaints: Complaints, llm: ScriptedLlm, tmp_path: Path
) -> None:
    for part in LOST:
        complaints.expect(part)
    never = Gate()
    llm.answer(say("Half an answer", never))
    env = scripted(llm)
    server = await (await ServerProcess.spawn(tmp_path / "data", env=env)).ready()
    try:
        first, second = await browser.new_page(), await browser.new_page()
        await arrive(first, server.info["url"], server.info["token"])
        await connected(first)
        await ask(first, "one")
        await expect(first.locator(".prose")).to_have_text("Half an answer")
        await second.goto(first.url)
        await expect(second.locator(".prose")).to_have_text("Half an answer")
        await server.kill()
        for tab in (first, second):
            await says(tab, "Reconnecting…")
        await expect(second.locator(".hint")).to_contain_text("No connection: what you send is kept")
        await ask(second, "kept")
        await expect(second.locator('.outgoing[data-state="waiting"]')).to_contain_text("kept")
        await second.goto("about:blank")  # this life of the page ends before its message is sent

        port = server.info["url"].rsplit(":", 1)[1]
        server = await (await ServerProcess.spawn(tmp_path / "data", "--port", port, env=env)).ready()
        await browser.set_offline(True)
        await browser.set_offline(False)  # nobody waits for the next try
        await says(first, "Reloaded")
        await second.goto(first.url)
        for tab in (first, second):
            await expect(tab.locator(".prose").last).to_have_text("You said: kept", timeout=PATIENCE)
            await expect(tab.locator(".user")).to_have_text([re.compile("one"), re.compile("kept")])
            await expect(tab.locator(".outgoing")).to_have_count(0)
        assert [turn.last_user_text for turn in llm.turns].count("kept") == 1
        await server.settled()
    finally:
        await server.kill()


async def test_where_websockets_are_blocked_the_page_does_all_the_same(
    browser: BrowserContext, complaints: Complaints, server: Server, llm: ScriptedLlm
) -> None:
    for part in LOST:
        complaints.expect(part)
    never = Gate()
    llm.answer(say("I look.", show("R1", "show clock")), say("It is *late*."))
    llm.answer(say("May I?", configure("R1", "hostname A")), say("Done."), say("On and on", never))
    async with Proxy.before(server.url) as proxy:
        proxy.upgrades = False
        page, other = await browser.new_page(), await browser.new_page()
        await arrive(page, proxy.url, server.user().token)
        await says(page, "Connected (without WebSocket)")
        await ask(page, "what time is it?")
        await expect(calls(page, "success")).to_contain_text("show clock")
        await expect(page.locator(".prose em")).to_have_text("late")
        await idle(page)
        await ask(page, "change it")
        await expect(calls(page, "asking")).to_contain_text("hostname A")
        await other.goto(page.url)
        await says(other, "Connected (without WebSocket)")
        await button(calls(other, "asking"), "Confirm").click()
        for tab in (page, other):
            await expect(calls(tab, "success").last).to_contain_text("Confirmed by local.")
            await expect(tab.locator(".prose").last).to_have_text("Done.")
            await idle(tab)
        assert "hostname A" in sent_to(server, "R1")
        await ask(page, "go on")
        await expect(other.locator(".prose").last).to_have_text("On and on")
        await button(other, "Stop answering").click()
        await idle(page)

        await page.keyboard.press("Alt+Shift+N")
        await expect(page.locator(".user")).to_have_count(0)
        await ask(page, "another chat")
        await expect(page.locator(".prose")).to_have_text("You said: another chat")
        await idle(page)
        await page.locator(".session.selected .session-open").press("F2")
        await page.get_by_label("Title of the chat").fill("The other one")
        await page.keyboard.press("Enter")
        for tab in (page, other):
            await expect(tab.locator(".session-title")).to_have_text(["The other one", "New Conversation"])
        proxy.cut()
        await says(page, "Caught up")
        await says(page, "Connected (without WebSocket)")
        proxy.upgrades = True
        proxy.cut()
        await says(page, "Connected")


NOTE = """
    window.said = [];
    new MutationObserver(() => {
        const words = document.getElementById('status')?.textContent;
        if (words && words !== said.at(-1)) said.push(words);
    }).observe(document, { subtree: true, childList: true, characterData: true });
"""
"""Writes down all that the page says of its connection."""


async def test_a_websocket_that_works_again_is_found_in_the_middle_of_an_answer(
    browser: BrowserContext, complaints: Complaints, start: Start, llm: ScriptedLlm
) -> None:
    for part in LOST:
        complaints.expect(part)
    server = await start(heartbeat=600)  # nobody minds the silence of the minutes that are skipped
    half = Gate()
    llm.answer(say(counted("a"), half, counted("b")))
    await browser.add_init_script(NOTE)
    async with Proxy.before(server.url) as proxy:
        proxy.upgrades = False
        page = await browser.new_page()
        await page.clock.install()
        await arrive(page, proxy.url, server.user().token)
        await says(page, "Connected (without WebSocket)")
        await ask(page, "count")
        await expect(page.locator(".prose")).to_contain_text("a99")
        proxy.upgrades = True
        await page.clock.fast_forward("03:01")
        await says(page, "Connected")
        half.open()
        await expect(page.locator(".prose")).to_contain_text("b99")
        await idle(page)
        (_, stored) = await server.user().messages(page.url.partition("#")[2])
        assert (await page.locator(".prose").inner_text()).split() == stored["content"].split()
        assert await page.evaluate("said.slice(said.indexOf('Connected (without WebSocket)'))") == [
            "Connected (without WebSocket)",
            "Connected",
        ]


TEXT, BINARY = 1, 2
"""Kinds of a WebSocket's frames."""


async def travels_as(page: Page) -> tuple[list[str], set[int]]:
    """The subprotocols that servers agree to, and the kinds of the frames, of all WebSockets that the page opens."""
    agreed: list[str] = []
    kinds: set[int] = set()
    wire = await page.context.new_cdp_session(page)

    def answered(event: dict[str, Any]) -> None:
        headers = {name.lower(): value for name, value in event["response"]["headers"].items()}
        agreed.append(headers["sec-websocket-protocol"])

    wire.on("Network.webSocketHandshakeResponseReceived", answered)
    for way in ("Sent", "Received"):
        wire.on(f"Network.webSocketFrame{way}", lambda event: kinds.add(event["response"]["opcode"]))
    await wire.send("Network.enable")
    return agreed, kinds


async def test_messages_travel_as_msgpack_or_as_json_where_the_address_says_so(
    browser: BrowserContext, server: Server
) -> None:
    for query, codec, kind, words in (
        ("", "copilot.v1+msgpack", BINARY, "WebSocket, MessagePack"),
        ("&codec=json", "copilot.v1+json", TEXT, "WebSocket, JSON"),
    ):
        page = await browser.new_page()
        agreed, kinds = await travels_as(page)
        await arrive(page, server.url, f"{server.user().token}{query}")
        await connected(page)
        await ask(page, "hi")
        await expect(page.locator(".prose")).to_have_text("You said: hi")
        await idle(page)
        assert (agreed, kinds) == ([codec], {kind})
        await button(page, "Settings").click()
        await page.get_by_role("tab", name="About").click()
        await expect(page.get_by_role("dialog")).to_contain_text(words)
        await page.close()


async def test_a_page_that_is_there_before_its_server_asks_again_by_itself(
    browser: BrowserContext, complaints: Complaints, server: Server
) -> None:
    for part in ("502 (Bad Gateway)", *LOST):
        complaints.expect(part)
    answers = {"status": 502}

    async def gateway(route: Route) -> None:
        if answers["status"] == 502:
            await route.fulfill(status=502, body="<h1>Bad Gateway</h1>")
        else:
            await route.continue_()

    page = await browser.new_page()
    await page.route("**/v3/projects", gateway)
    await arrive(page, server.url, server.user().token)
    await says(page, "Connecting…")
    await expect(page.locator(".retry-in")).to_have_text(re.compile(r"^in \d+ s$"))
    await expect(field(page)).to_be_disabled()
    await button(page, "Try now").click()
    await says(page, "Connecting…")
    await expect(page.locator(".toast")).to_have_count(0)
    answers["status"] = 200
    await says(page, "Connected")
    await expect(page.locator(".device-row")).to_have_count(4)
    await ask(page, "hi")
    await expect(page.locator(".prose")).to_have_text("You said: hi")
    await idle(page)
    await server.stop()
    await says(page, "Waiting for the server…")
