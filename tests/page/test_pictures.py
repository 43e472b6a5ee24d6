"""The page's pictures for docs/pictures: made again by this test, which holds that each shows what its name says.

TEST_PICTURES=docs/pictures scripts/test tests/page/test_pictures.py tests/page/test_figures.py
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
from kit.browser import DESK, PHONE, Complaints, ask, button, calls, connected, idle, keep, new_context
from kit.hitl import configure
from kit.proxy import Proxy
from kit.scripted_llm import ScriptedLlm, call, host, say
from kit.server import Server, Start
from playwright.async_api import Browser, BrowserContext, Page, expect


async def shown(browser: Browser, server: Server, size: dict[str, int], scheme: Literal["light", "dark"]) -> Page:
    context = await new_context(browser, viewport=size, color_scheme=scheme, locale="en-US")
    page = await context.new_page()
    await page.goto(f"{server.url}/?token={server.user().token}")
    await connected(page)
    return page


async def picture(page: Page, name: str, folder: Path) -> None:
    await page.evaluate("document.fonts.ready")
    taken = await page.screenshot(path=keep(f"{name}.png", folder), animations="disabled")
    assert len(taken) > 10_000, "an empty page is smaller"


@pytest.mark.parametrize(
    ("name", "size", "scheme"), [("light", DESK, "light"), ("dark", DESK, "dark"), ("phone", PHONE, "light")]
)
async def test_a_conversation(
    chromium: Browser, start: Start, tmp_path: Path, name: str, size: dict[str, int], scheme: Literal["light", "dark"]
) -> None:
    server = await start(llm_provider="demo", title="llm")
    page = await shown(chromium, server, size, scheme)
    for number, question in enumerate(("Which devices are up?", "Can PC1 reach PC2?"), 1):
        await ask(page, question)
        await expect(page.locator(".ending")).to_have_count(number)
    await expect(page.locator(".prose").last).to_contain_text("5 of 5 replies")
    await picture(page, name, tmp_path)


async def test_a_dangerous_question_and_an_edit(
    chromium: Browser, server: Server, llm: ScriptedLlm, tmp_path: Path
) -> None:
    llm.answer(
        say("I save nothing and restart R1.", configure("R1", "no ip routing", "do reload")),
        say("I name the link.", configure("R2", "interface GigabitEthernet0/1", "description to R1")),
        say("Done."),
    )
    page = await shown(chromium, server, DESK, "light")
    await ask(page, "restart R1")
    await expect(calls(page, "asking").locator(".dangerous").first).to_be_visible()
    await picture(page, "question-with-danger", tmp_path)
    await button(calls(page, "asking"), "Reject").click()
    await page.keyboard.press("Enter")
    await expect(calls(page, "rejected")).to_be_visible()
    await button(calls(page, "asking"), "Edit").click()
    lines = calls(page, "asking").get_by_label("Lines for R2, one command a line")
    await lines.fill("interface GigabitEthernet0/1\ndescription uplink to R1\nno shutdown")
    await expect(calls(page, "asking").locator(".line-add").first).to_be_visible()
    await picture(page, "edit-with-diff", tmp_path)


async def test_the_lab_during_a_run(chromium: Browser, server: Server, llm: ScriptedLlm, tmp_path: Path) -> None:
    llm.answer(say("I ask both.", host("PC1", "sleep 2"), call("gns3_topology_reader", {})), say("Done."))
    page = await shown(chromium, server, DESK, "dark")
    await expect(page.locator("canvas").first).to_be_visible()
    await ask(page, "how are the hosts?")
    await expect(page.locator('[data-busy="true"]').first).to_be_visible()
    await picture(page, "topology-during-a-run", tmp_path)
    await idle(page)


async def test_a_line_that_is_down(
    browser: BrowserContext, complaints: Complaints, start: Start, tmp_path: Path
) -> None:
    complaints.expect("net::ERR_")
    complaints.expect("WebSocket connection to")
    server = await start(llm_provider="demo")
    async with Proxy.before(server.url) as proxy:
        page = await browser.new_page()
        await page.goto(f"{proxy.url}/?token={server.user().token}")
        await connected(page)
        await ask(page, "Which devices are up?")
        await expect(page.locator(".ending")).to_have_count(1)
        proxy.up = False
        proxy.cut()
        await expect(page.locator("#status")).to_have_text("Reconnecting…")
        await ask(page, "show ip route on R1")
        await expect(page.locator(".outgoing")).to_be_visible()
        await picture(page, "reconnecting", tmp_path)
