"""Reading a conversation as it is written: Markdown, thoughts, tool cards, limits, endings and what to do next."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from kit.browser import ask, button, calls, field, idle, opened, sent_to
from kit.hitl import configure
from kit.scripted_llm import READ, Gate, ScriptedLlm, Think, call, fail, host, say, show
from kit.server import Server
from playwright.async_api import BrowserContext, expect

ANSWER = """The **route** is:

```ios
ip route 0.0.0.0 0.0.0.0 10.0.12.2
```

| node | state |
|---|---|
| R1 | up |

"""


async def test_an_answer_stands_still_while_it_grows(browser: BrowserContext, server: Server, llm: ScriptedLlm) -> None:
    await browser.grant_permissions(["clipboard-read", "clipboard-write"])
    thought, half = Gate(), Gate()
    llm.answer(say(Think("First I look at the routes."), thought, ANSWER, half, "1. one\n2. two\n"))
    page = await opened(browser, server)
    await ask(page, "how is it routed?")
    thoughts = page.locator(".thoughts")
    await expect(thoughts).to_contain_text("Thinking")
    thought.open()
    await half.reached()
    await expect(page.locator(".prose table td").first).to_have_text("R1")
    await expect(thoughts.locator("summary")).to_have_text("Thoughts")
    await expect(thoughts.get_by_text("First I look")).to_be_hidden()
    await page.evaluate("getSelection().selectAllChildren(document.querySelector('.prose p'))")
    table = await page.locator(".prose table").element_handle()
    half.open()
    await expect(page.locator(".prose ol li")).to_have_text(["one", "two"])
    await idle(page)
    assert await page.evaluate("String(getSelection()).trim()") == "The route is:", (
        "what was finished is not drawn anew"
    )
    assert await page.evaluate("node => node.isConnected", table)
    await button(page, "Copy code").click()
    await expect(button(page, "Copy code")).to_contain_text("Copied")
    assert await page.evaluate("navigator.clipboard.readText()") == "ip route 0.0.0.0 0.0.0.0 10.0.12.2"
    await thoughts.locator("summary").click()
    await expect(thoughts.get_by_text("First I look at the routes.")).to_be_visible()


async def test_tool_calls_are_cards_side_by_side(
    browser: BrowserContext, server: Server, llm: ScriptedLlm, tmp_path: Path
) -> None:
    typing = Gate()
    arguments = json.dumps({"device_configs": [{"device_name": "R1", "commands": ["show running-config"]}]})
    growing = call(READ, [arguments[:75], typing, arguments[75:]])
    llm.answer(say("I look.", growing, host("PC1", "sleep 1", "show ip")), say("Both answered."))
    page = await opened(browser, server)
    await ask(page, "look at both")
    await typing.reached()
    writing = calls(page, "writing").first
    await expect(writing).to_contain_text("R1")
    await expect(writing).to_contain_text("show runn")
    typing.open()
    await expect(calls(page, "running").first).to_be_visible()
    cards = calls(page, "success")
    await expect(cards).to_have_count(2)
    await idle(page)
    left, right = [await card.bounding_box() for card in await cards.all()]
    assert left is not None
    assert right is not None
    assert left["y"] == right["y"], "side by side"
    router = cards.filter(has_text="R1")
    await expect(router.locator("summary")).to_have_text(re.compile(r"^Run commandsR1Done\d+(\.\d)? (ms|s)$"))
    whole = await router.locator("pre").first.inner_text()
    await button(router, "Find in the output").click()
    await page.keyboard.type("interface")
    await expect(router.get_by_text("1 of")).to_be_visible()
    await button(router, "Next place").click()
    await expect(router.locator("mark[data-current]")).to_have_text("interface")
    await page.keyboard.press("Escape")
    await button(router, "Close the search").click()
    async with page.expect_download() as download:
        await button(router, "Save as a file").click()
    saved = tmp_path / "output.txt"
    await (await download.value).save_as(saved)
    assert "hostname R1" in saved.read_text()
    assert saved.read_text().strip() == whole.strip()
    await page.get_by_role("button", name="Show all").first.click()
    await expect(button(router, "Show less")).to_be_visible()


async def test_how_far_it_has_come_is_told_while_it_goes_on(
    browser: BrowserContext, server: Server, llm: ScriptedLlm, monkeypatch: Any
) -> None:
    for place in ("think", "think_on"):
        monkeypatch.setattr(f"copilot_ws.agent.{place}.cost_usd", lambda *_: 0.25)
    llm.answer(
        fail(503, headers={"retry-after-ms": "3000"}), say("I look.", host("PC1", "show ip", "sleep 60", "show arp"))
    )
    page = await opened(browser, server)
    await ask(page, "look")
    bar = page.get_by_role("group", name="This run")
    await expect(bar.get_by_role("status")).to_have_text(re.compile(r"^Attempt 2 of 4 in 3 seconds\. The model"))
    card = calls(page, "running")
    await expect(card).to_contain_text("PC1: sleep 60")
    await expect(bar.get_by_role("status")).to_have_count(0)
    progress = card.get_by_role("progressbar", name="Progress")
    assert [await progress.get_attribute(name) for name in ("value", "max")] == ["1", "3"]
    await expect(bar).to_contain_text("$0.25")
    await button(bar, "Limits").click()
    await page.get_by_role("form", name="Limits of this run").get_by_label("Cost, US dollars").fill("1")
    await page.keyboard.press("Enter")
    await expect(bar).to_contain_text("$0.25 of $1")
    await button(page, "Stop answering").click()
    await expect(calls(page, "stopped")).to_have_count(1)
    await expect(field(page)).to_be_focused()
    await expect(progress).to_have_count(0)


async def test_what_went_wrong_says_what_to_do_and_is_there_after_a_reload(
    browser: BrowserContext, server: Server, llm: ScriptedLlm
) -> None:
    llm.answer(fail(401, "no such key"), say("Now it works."))
    page = await opened(browser, server)
    await ask(page, "hello")
    ending = page.get_by_role("contentinfo", name="How it ended").or_(page.locator(".ending"))
    await expect(ending).to_contain_text("did not accept the key")
    await button(page, "Open the model settings").click()
    await expect(page.get_by_role("dialog")).to_be_visible()
    await page.keyboard.press("Escape")
    await page.reload()
    await expect(ending).to_contain_text("did not accept the key")
    await button(page, "Try again").click()
    await expect(page.locator(".prose")).to_have_text("Now it works.")
    await idle(page)
    await expect(page.locator(".message.user")).to_have_count(1)
    await expect(page.get_by_text("did not accept the key")).to_have_count(0)
    too_long = fail(400, "This model's maximum context length is 8 tokens.", "context_length_exceeded")
    llm.answer(too_long, too_long)  # the second one is about what was left of the conversation
    await ask(page, "a long story")
    await expect(ending.last).to_contain_text("The conversation has become too long for this model")
    await button(page, "Start a new chat").click()
    await expect(page.locator(".message.user")).to_have_count(0)
    await expect(field(page)).to_be_focused()


async def test_limits_are_shown_raised_and_told(browser: BrowserContext, server: Server, llm: ScriptedLlm) -> None:
    first, second = Gate(), Gate()
    llm.answer(
        say("I look.", show("R1", "show version"), usage=(1200, 30)),
        say(first, "And again.", show("R1", "show clock"), second, usage=(1300, 30)),
        say("That is all."),
    )
    page = await opened(browser, server)
    await ask(page, "look twice")
    await first.reached()
    bar = page.get_by_role("group", name="This run")
    await expect(bar).to_contain_text("1 of 20 model calls")
    await expect(bar).to_contain_text("1 tool call")
    await expect(bar).to_contain_text("1.2K tokens")
    await expect(bar).to_contain_text("0:0")
    await button(bar, "Limits").click()
    form = page.get_by_role("form", name="Limits of this run")
    await form.locator('[name="max_tool_calls"]').fill("1")
    await button(form, "Set").click()
    await expect(bar).to_contain_text("1 of 1 tool call")
    first.open()
    second.open()
    await idle(page)
    await expect(page.get_by_text("The limit of 1 tool call was reached.")).to_be_visible()
    await expect(calls(page, "limited")).to_have_count(1)
    await page.reload()
    await expect(page.get_by_text("The limit of 1 tool call was reached.")).to_be_visible()
    await expect(page.locator(".ending").last).to_contain_text("tokens")


async def test_stopping_keeps_what_was_said(browser: BrowserContext, server: Server, llm: ScriptedLlm) -> None:
    before, middle = Gate(), Gate()
    llm.answer(say(before, "never said"), say("The first half", middle, "the second half"))
    page = await opened(browser, server)
    await ask(page, "stop me before the first word")
    await before.reached()
    await button(page, "Stop answering").click()
    await idle(page)
    await expect(page.locator(".ending").last).to_contain_text("Stopped")
    await ask(page, "and now in the middle")
    await middle.reached()
    await expect(page.locator(".prose").last).to_have_text("The first half")
    await button(page, "Stop answering").click()
    await idle(page)
    await page.reload()
    await expect(page.locator(".prose").last).to_have_text("The first half")
    await expect(page.locator(".ending").last).to_contain_text("Stopped")


async def test_what_a_run_changed_is_undone_from_the_page(
    browser: BrowserContext, server: Server, llm: ScriptedLlm
) -> None:
    llm.answer(say("I name it.", configure("R1", "hostname Core")), say("Done."))
    page = await opened(browser, server)
    await ask(page, "name it")
    await button(calls(page, "asking"), "Confirm").click()
    await idle(page)
    await button(page, "Undo this run").click()
    card = calls(page, "asking")
    await expect(card).to_contain_text("hostname R1")
    await button(card, "Confirm").click()
    await idle(page)
    await expect(calls(page, "success")).to_have_count(2)
    assert "hostname R1" in sent_to(server, "R1")
    await expect(field(page)).to_be_visible()
