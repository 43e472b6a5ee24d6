"""The page in a real browser, against a real server: what a person sees and presses. Needs a Chromium or a Chrome."""

from __future__ import annotations

import re

from kit.browser import ask, button, calls, field, idle, opened, sent_to
from kit.hitl import configure
from kit.scripted_llm import ScriptedLlm, say
from kit.server import Server, Start
from playwright.async_api import BrowserContext, Locator, expect


async def test_a_lab_is_asked_about_and_changed(browser: BrowserContext, start: Start) -> None:
    server = await start(llm_provider="demo")
    page = await opened(browser, server)
    assert page.url == f"{server.url}/", "the token has left the address"

    await ask(page, "Which devices are up?")
    await expect(page.locator(".prose").last).to_contain_text("PC1, R1, R2, PC2")
    await expect(calls(page, "success").first).to_contain_text("Read the topology")
    await idle(page)
    await ask(page, "What is in this lab?")
    await expect(page.locator(".prose table tbody tr").first).to_be_visible()
    await idle(page)

    await ask(page, "set the hostname of R1 to Core1")
    card = calls(page, "asking")
    await expect(card).to_contain_text("hostname Core1")
    await expect(card.locator(".line-add")).to_have_text("+hostname Core1\n")
    await expect(card.get_by_role("timer")).to_have_text(re.compile(r"^[45]:\d\d left$"))
    await expect(page.locator(".session-badge")).to_have_text("1 decision")
    await expect(page).to_have_title(re.compile(r"^\(1\) "))
    await expect(field(page)).to_be_focused()  # the question has not taken it away
    seen = await unchanging(card)

    await page.reload()
    await expect(card).to_be_visible()
    assert await unchanging(card) == seen, "the same card after a reload"
    other = await browser.new_page()
    await other.goto(page.url)
    await expect(calls(other, "asking")).to_contain_text("hostname Core1")

    await button(card, "Confirm").click()
    for tab in (page, other):
        await expect(calls(tab, "asking")).to_have_count(0)
        await expect(calls(tab, "success").last).to_contain_text("Confirmed by local.")
        await expect(calls(tab, "success").last).to_contain_text("R1(config)# hostname Core1")
        await expect(tab).to_have_title(re.compile(r"^(?!\(1\))"))
    assert "hostname Core1" in sent_to(server, "R1")


async def unchanging(card: Locator) -> str:
    """Its text without the time left."""
    return re.sub(r"\d:\d\d left", "", await card.inner_text())


async def test_dangerous_lines_take_a_second_step_and_edits_are_judged(
    browser: BrowserContext, server: Server, llm: ScriptedLlm
) -> None:
    llm.answer(
        say("May I?", configure("R1", "hostname A"), configure("R2", "no ip domain lookup", "do reload")), say("Well.")
    )
    page = await opened(browser, server)
    await ask(page, "go on")
    first, second = calls(page, "asking").nth(0), calls(page, "asking").nth(1)
    await expect(second.get_by_role("region", name="R2").get_by_role("listitem")).to_have_text(
        ["no ip domain lookup", re.compile("^do reloadRestarts the device")]
    )
    everything = page.get_by_label("All decisions")
    for place, name in ((second, "Confirm anyway"), (everything, "Confirm all anyway")):
        await expect(button(place, name)).to_be_disabled()
        await place.get_by_label("I have read the dangerous lines").check()
        await expect(button(place, name)).to_be_enabled()

    await ask(page, "and this?")  # would withdraw the question: that takes a press of its own
    await expect(button(page, "Interrupt and send")).to_be_focused()
    await expect(page.locator(".outgoing")).to_have_count(0)
    await page.get_by_label("Message", exact=True).fill("")

    # an edit that the server finds dangerous is not lost, and takes the second step too
    await button(first, "Edit").click()
    lines = first.get_by_label("Lines for R1, one command a line")
    await expect(lines).to_be_focused()
    await lines.fill("hostname B\n\nreload\n")
    await button(first, "Run it like this").click()
    await expect(first.locator(".dangers")).to_contain_text("reload")
    await expect(button(first, "Run it like this")).to_be_disabled()
    assert await lines.input_value() == "hostname B\n\nreload\n"
    await lines.fill("hostname B\n")
    await expect(first.locator(".editor .line-add")).to_have_text("+hostname B\n")
    await button(first, "Run it like this").click()
    await expect(calls(page, "decided")).to_contain_text("Changed by local")

    await button(calls(page, "asking"), "Reject").click()
    await page.keyboard.type("not now")
    await page.keyboard.press("Enter")
    await expect(calls(page, "rejected")).to_contain_text("Rejected by local: “not now”. It did not run.")
    await expect(calls(page, "rejected").locator("summary")).to_be_focused()  # the keyboard stays at the card
    await expect(calls(page, "success").locator(".line-del")).to_have_text("-hostname A\n")
    await idle(page)
    assert "hostname B" in sent_to(server, "R1")
    assert "do reload" not in sent_to(server, "R2")
