"""The message field: drafts, running answers, sending without a connection, presets, the list of keys."""

from __future__ import annotations

import re
from pathlib import Path

from kit.browser import Complaints, ask, button, field, idle, opened
from kit.scripted_llm import Gate, ScriptedLlm, say
from kit.server import Server, Start
from playwright.async_api import BrowserContext, expect

SEVEN = "Configure OSPF on R1 and R2, area 7, for the networks that they are connected to."


async def test_a_draft_stays_and_a_running_answer_is_followed_or_interrupted(
    browser: BrowserContext, server: Server, llm: ScriptedLlm
) -> None:
    gate, never = Gate(), Gate()
    llm.answer(say("First", gate, " done."), say("Second."), say("Third", never), say("Fourth."))
    page = await opened(browser, server)
    await field(page).fill("half a")
    await page.reload()
    await expect(field(page)).to_have_value("half a")
    await field(page).fill("one")
    await page.keyboard.press("Enter")
    await gate.reached()
    await field(page).fill("two\n")
    await button(page, "Queue").click()
    queued = page.locator('.outgoing[data-state="queued"]')
    await expect(queued).to_contain_text("two")
    await page.reload()
    await expect(queued).to_contain_text("two")
    gate.open()
    await expect(page.locator(".prose").last).to_have_text("Second.")
    await expect(page.locator(".outgoing")).to_have_count(0)

    await ask(page, "three")
    await never.reached()
    await field(page).fill("four")
    await page.keyboard.press("Control+Enter")
    await expect(page.locator(".prose").last).to_have_text("Fourth.")
    await idle(page)
    assert [turn.messages[-1]["content"] for turn in llm.turns] == ["one", "two", "three", "four"]


async def test_the_last_message_is_edited_and_answered_anew(
    browser: BrowserContext, server: Server, llm: ScriptedLlm
) -> None:
    never = Gate()
    llm.answer(say("Yes."), say("Wrong."), say("Half right", never), say("Right."))
    page = await opened(browser, server)
    for question, answer in (("first", "Yes."), ("second", "Wrong.")):
        await ask(page, question)
        await expect(page.locator(".prose").last).to_have_text(answer)
    await idle(page)
    other = await browser.new_page()
    await other.goto(page.url)
    await button(page, "Edit and send again").click()  # only the last one has it
    await expect(field(page)).to_have_value("second")
    await expect(page.get_by_role("status").filter(has_text="Editing your message")).to_be_visible()
    await expect(page.locator(".going")).to_have_text(
        [re.compile("second"), re.compile(r"Wrong\."), re.compile("Usage")]
    )
    await page.keyboard.press("Escape")
    await expect(page.locator(".going")).to_have_count(0)
    await page.keyboard.press("ArrowUp")
    await field(page).fill("secund")
    await button(page, "Send edited message").click()
    await never.reached()
    await expect(other.locator(".prose")).to_have_text(["Yes.", "Half right"])

    await page.keyboard.press("ArrowUp")  # while it is answered
    await expect(field(page)).to_have_value("secund")
    await expect(page.get_by_text("Wait until the answer has ended, or stop it")).to_be_visible()
    await field(page).fill("the second")
    await page.keyboard.press("Enter")
    await expect(field(page)).to_have_value("the second")  # not yet
    await page.keyboard.press("Alt+Shift+X")
    await idle(page)
    await page.keyboard.press("Enter")
    for tab in (page, other):
        await expect(tab.locator(".prose")).to_have_text(["Yes.", "Right."])
        await expect(tab.locator(".user")).to_have_text([re.compile("first"), re.compile("the second")])
    assert [m["content"] for m in llm.turns[-1].messages if m["role"] == "user"] == ["first", "the second"]


async def test_what_is_sent_without_a_connection_arrives_once(
    browser: BrowserContext, complaints: Complaints, start: Start, llm: ScriptedLlm
) -> None:
    complaints.expect("ERR_CONNECTION_REFUSED")
    llm.answer(say("Hello."))
    first = await start()
    page = await opened(browser, first)
    await ask(page, "hi")
    await expect(page.locator(".prose")).to_have_text("Hello.")
    await idle(page)
    await first.stop()
    await expect(page.locator(".hint")).to_contain_text("No connection")
    for text in ("to discard", "kept"):
        await ask(page, text)
    waiting = page.locator('.outgoing[data-state="waiting"]')
    await button(waiting.filter(has_text="to discard"), "Discard").click()
    await expect(waiting).to_have_count(1)

    await start(port=int(first.url.rsplit(":", 1)[1]))
    await expect(page.locator(".prose").last).to_have_text("You said: kept", timeout=30_000)
    await page.reload()
    await expect(page.locator(".user")).to_have_count(2)
    assert [turn.messages[-1]["content"] for turn in llm.turns] == ["hi", "kept"]


async def test_presets_ask_for_what_they_leave_open(browser: BrowserContext, server: Server) -> None:
    page = await opened(browser, server)
    await field(page).press_sequentially("/ospf area")
    found = page.get_by_role("listbox", name="Presets").get_by_role("option")
    await expect(found).to_have_count(1)
    await page.keyboard.press("Enter")
    blanks = page.get_by_role("dialog", name="Fill in “OSPF between two routers”")
    await blanks.get_by_label("area").fill("7")
    assert await page.locator("#preset-devices option").evaluate_all("all => all.map(one => one.value)") == [
        *("PC1", "PC2", "R1", "R2")
    ]
    await page.keyboard.press("Enter")
    await expect(field(page)).to_be_focused()
    await expect(field(page)).to_have_value(SEVEN)

    await button(page, "Presets").click()
    await button(page, "Save this message as a preset").click()
    dialog = page.get_by_role("dialog", name="Presets")
    await dialog.get_by_label("Name").fill("Area seven")
    await button(dialog, "Save").click()
    await expect(button(dialog, "Edit “Area seven”")).to_be_focused()
    await button(dialog, "Delete “Area seven”").click()
    await expect(dialog).to_contain_text("“Area seven” was deleted")
    await button(dialog, "Undo").click()
    await page.keyboard.press("Escape")
    await expect(field(page)).to_be_focused()
    await page.reload()
    await field(page).fill("")
    await field(page).press_sequentially("/seven")
    await expect(found).to_have_text(f"Area seven{SEVEN}")
    await page.keyboard.press("Escape")
    await expect(field(page)).to_have_value("/seven")  # it was meant for the field


async def test_presets_of_command_lines_are_written_and_exchanged(
    browser: BrowserContext, server: Server, tmp_path: Path
) -> None:
    page = await opened(browser, server)
    await button(page, "Presets").click()
    await button(page, "Manage presets").click()
    dialog = page.get_by_role("dialog", name="Presets")
    await button(dialog, "New preset").click()
    await dialog.get_by_label("Name").fill("Ping from a host")
    await dialog.get_by_role("radio", name="Command lines for a device").check()
    await dialog.get_by_label("Command lines, one a line").fill("show ip\nping {{target|10.0.2.10}}")
    await expect(dialog).to_contain_text("Asked for: target.")
    await button(dialog, "Save").click()
    async with page.expect_download() as download:
        await button(dialog, "Export").click()
    saved = tmp_path / "presets.json"
    await (await download.value).save_as(saved)
    await button(dialog, "Delete “Ping from a host”").click()
    for file, said in ((saved, "1 preset was added"), (Path(__file__), f"“{Path(__file__).name}” holds no presets")):
        async with page.expect_file_chooser() as chooser:
            await button(dialog, "Import…").click()
        await (await chooser.value).set_files(file)
        await expect(dialog.get_by_role("status")).to_have_text(said)
    await page.keyboard.press("Escape")

    await field(page).press_sequentially("/ping host")
    await page.keyboard.press("Enter")
    blanks = page.get_by_role("dialog", name="Fill in “Ping from a host”")
    await expect(blanks.get_by_label("target")).to_have_value("10.0.2.10")
    await blanks.get_by_label("device").fill("PC1")
    await page.keyboard.press("Enter")
    await expect(field(page)).to_have_value("Run these commands on PC1:\nshow ip\nping 10.0.2.10")


async def test_the_keys_are_listed_and_do_what_the_list_says(
    browser: BrowserContext, server: Server, llm: ScriptedLlm
) -> None:
    never = Gate()
    llm.answer(say("On", never))
    page = await opened(browser, server)
    await button(page, "Keyboard shortcuts").click()
    listed = page.get_by_role("dialog", name="Keyboard shortcuts")
    await expect(listed).to_contain_text("New chatAlt+Shift+N")
    await page.keyboard.press("Escape")
    await expect(button(page, "Keyboard shortcuts")).to_be_focused()
    await page.keyboard.press("?")
    await expect(listed).to_be_visible()
    await page.keyboard.press("Escape")

    await page.keyboard.press("Alt+Shift+S")
    await expect(page.locator("#session-search")).to_be_focused()
    await page.keyboard.press("Alt+Shift+M")
    await page.keyboard.type("what?")
    await expect(field(page)).to_have_value("what?")
    for key, panel in (("C", "#sidebar"), ("L", "#lab")):
        await page.keyboard.press(f"Alt+Shift+{key}")
        await expect(page.locator(panel)).to_be_hidden()
        await page.keyboard.press(f"Alt+Shift+{key}")
        await expect(page.locator(panel)).to_be_visible()
    await page.keyboard.press("Enter")
    await never.reached()
    await page.keyboard.press("Alt+Shift+X")
    await idle(page)
    await page.keyboard.press("ArrowUp")
    await expect(field(page)).to_have_value("what?")
    await expect(page.get_by_text("Editing your message")).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(field(page)).to_have_value("")
    await page.keyboard.press("Alt+Shift+N")
    await expect(page.locator(".user")).to_have_count(0)
