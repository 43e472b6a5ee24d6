"""Deciding about calls in the page: edits in both views, several calls at once, a faster tab, the keyboard."""

from __future__ import annotations

import re

from kit.browser import ask, button, calls, field, idle, opened, sent_to
from kit.hitl import configure
from kit.scripted_llm import ScriptedLlm, call, say
from kit.server import Server, Start
from playwright.async_api import BrowserContext, Locator, Page, expect


def lines_of(card: Locator | Page, device: str) -> Locator:
    return card.get_by_label(f"Lines for {device}, one command a line")


async def test_an_edit_as_lines_and_as_json_outlives_another_chat_a_reload_and_a_faster_tab(
    browser: BrowserContext, server: Server, llm: ScriptedLlm
) -> None:
    llm.answer(say("May I?", configure("R1", "hostname A", "ip domain name lab")), say("Well."))
    page = await opened(browser, server)
    await ask(page, "go on")
    card = calls(page, "asking")
    await expect(card).to_contain_text("Medium risk")
    await button(card, "Edit").click()
    await lines_of(card, "R1").fill("hostname A\n\nip domain name example")
    await expect(card.locator(".editor .line-del")).to_have_text("-ip domain name lab\n")
    await button(card, "JSON").click()
    text = card.get_by_label("Arguments, as JSON")
    asked = await text.input_value()
    await text.fill(asked.replace('"hostname A",', '"hostname A"'))
    await expect(card.locator(".field .fault")).to_contain_text("a comma or a closing bracket is missing here")
    await expect(text).to_have_attribute("aria-invalid", "true")
    await expect(button(card, "Lines")).to_be_disabled()
    await text.fill(asked.replace('"R1"', '"R9"'))
    await expect(card).to_contain_text("The lab has no device R9")
    await button(card, "Run it like this").click()
    await expect(card.get_by_role("alert")).to_contain_text("There is no device R9 in this project.")
    await text.fill(asked)
    await button(card, "Lines").click()
    await expect(lines_of(card, "R1")).to_have_value("hostname A\n\nip domain name example")  # the blank line too

    await page.keyboard.press("Alt+Shift+N")
    await expect(field(page)).to_be_focused()
    await expect(page.get_by_text("Another chat waits for your decision")).to_be_attached()
    await page.keyboard.press("Alt+Shift+J")
    await expect(card.locator(".prompt")).to_be_focused()
    await page.reload()
    await expect(lines_of(card, "R1")).to_have_value("hostname A\n\nip domain name example")

    other = await browser.new_page()
    await other.goto(page.url)
    await button(calls(other, "asking"), "Back").click()
    await button(calls(other, "asking"), "Confirm").click()
    late = calls(page, "success")
    await expect(late).to_contain_text("Confirmed by local.")
    await expect(late).to_contain_text("Your edit was not sent:")
    await expect(lines_of(late, "R1")).to_have_value("hostname A\n\nip domain name example")
    await button(late, "Put it away").click()
    await expect(late.locator("summary")).to_be_focused()
    await expect(lines_of(late, "R1")).to_have_count(0)
    await expect(lines_of(other, "R1")).to_have_count(0)  # who has decided has no unsent edit
    await idle(page)
    assert "ip domain name lab" in sent_to(server, "R1")


async def test_some_of_several_calls_by_keyboard(browser: BrowserContext, server: Server, llm: ScriptedLlm) -> None:
    delete = call("delete_gns3_node", {"node_ids": ["PC2"]})
    llm.answer(say("May I?", configure("R1", "hostname A"), configure("R2", "hostname B"), delete), say("Well."))
    page = await opened(browser, server)
    await ask(page, "go on")
    together = page.get_by_label("All decisions")
    await expect(together).to_contain_text("3 calls wait for your decision")
    await expect(button(together, "Confirm all anyway")).to_be_disabled()
    await together.get_by_role("checkbox", name="Delete PC2").uncheck()
    await button(together, "Confirm selected (2)").click()
    await expect(calls(page, "decided")).to_have_count(2)
    await expect(together).to_have_count(0)  # one is left, with a card of its own
    await expect(page.locator(".tool > summary").last).to_be_focused()

    card = calls(page, "asking")
    await page.keyboard.press("Alt+Shift+K")
    await expect(card.locator(".prompt")).to_be_focused()
    await page.keyboard.press("c")
    await expect(card.get_by_label("I have read the dangerous lines")).to_be_focused()
    await page.keyboard.press("r")
    await expect(card.get_by_label("Reason, for the model (optional)")).to_be_focused()
    await page.keyboard.type("rec")  # letters in a field are letters
    await page.keyboard.press("Escape")
    await expect(button(card, "Reject")).to_be_focused()
    await page.keyboard.press("Enter")
    await page.keyboard.press("Enter")
    await expect(calls(page, "rejected")).to_contain_text("Rejected by local: “rec”.")
    await idle(page)
    assert "hostname B" in sent_to(server, "R2")
    await page.keyboard.press("Alt+Shift+J")
    await expect(page.get_by_text("Nothing waits for your decision")).to_be_visible()


async def test_all_at_once_and_back_to_the_model(browser: BrowserContext, server: Server, llm: ScriptedLlm) -> None:
    llm.answer(
        say("Both?", configure("R1", "hostname A"), configure("R2", "hostname B")),
        say("These?", configure("R1", "hostname C"), configure("R2", "hostname D")),
        say("And this?", configure("R1", "hostname E")),
        say("As you like.", configure("R1", "hostname F")),  # what the person made of it: it needs no further word
        say("Done."),
    )
    page = await opened(browser, server)
    await ask(page, "go on")
    together = page.get_by_label("All decisions")
    await button(together, "Confirm all").click()
    await expect(calls(page, "success")).to_have_count(2)
    await button(together, "Reject all").click()
    await page.keyboard.type("wait")
    await page.keyboard.press("Enter")
    await expect(calls(page, "rejected")).to_have_count(2)
    await expect(calls(page, "rejected").last).to_contain_text("Rejected by local: “wait”. It did not run.")

    card = calls(page, "asking")
    await button(card, "Edit").click()
    await lines_of(card, "R1").fill("hostname F")
    await button(card, "Ask the model again").click()
    await expect(calls(page, "replaced")).to_contain_text("Changed by local and given back to the model.")
    await expect(page.locator(".prose").last).to_have_text("Done.")
    await idle(page)
    await expect(calls(page, "success")).to_have_count(3)
    assert [line for line in sent_to(server, "R1") if line.startswith("hostname")] == ["hostname A", "hostname F"]
    assert [line for line in sent_to(server, "R2") if line.startswith("hostname")] == ["hostname B"]


async def test_a_question_that_nobody_answers_ends(browser: BrowserContext, start: Start, llm: ScriptedLlm) -> None:
    server = await start(hitl_timeout=4)
    llm.answer(say("May I?", configure("R1", "hostname A")), say("Nobody was there."))
    page = await opened(browser, server)
    await ask(page, "go on")
    await expect(calls(page, "asking").get_by_role("timer")).to_have_text(re.compile(r"^0:0[1-4] left$"))
    await expect(calls(page, "expired")).to_contain_text("Nobody decided in time. It did not run.")
    await expect(page.locator(".prose").last).to_have_text("Nobody was there.")
    await idle(page)
    await page.reload()
    await expect(calls(page, "expired")).to_contain_text("Nobody decided in time. It did not run.")
    assert "hostname A" not in sent_to(server, "R1")
