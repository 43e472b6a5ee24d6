"""The chats beside the conversation: keeping them, finding them, losing them, and several of them at work at once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from kit.browser import ask, button, calls, connected, field, idle, opened
from kit.hitl import configure
from kit.scripted_llm import Gate, ScriptedLlm, say, show
from kit.server import Server, User
from kit.waiting import eventually
from playwright.async_api import BrowserContext, Locator, Page, expect

NOTED = """
    const Real = Notification;
    window.noted = [];
    window.Notification = class extends Real {
        constructor(title, options) {
            super(title, options);
            this.closed = false;
            noted.push(this);
        }
        close() {
            this.closed = true;
            super.close();
        }
    };
"""
"""Writes down the page's notifications: a headless browser shows none."""


async def talk(server: Server, session_id: str, title: str, *messages: str) -> None:
    """A chat that was there before."""
    me = server.user()
    for message in messages:
        await me.chat("POST", "/stream", {"message": message, "session_id": session_id, "stream": False})
    await me.chat("PATCH", f"/sessions/{session_id}", {"title": title})


def titles(page: Page) -> Locator:
    return page.get_by_role("list", name="Chats").locator(".session-title")


def row(page: Page, title: str) -> Locator:
    return (
        page.get_by_role("list", name="Chats").get_by_role("listitem").filter(has=page.get_by_text(title, exact=True))
    )


def chat(page: Page, title: str) -> Locator:
    """What opens it."""
    return row(page, title).locator(".session-open")


def mark(page: Page, title: str, name: str) -> Locator:
    return row(page, title).get_by_role("img", name=name, exact=True)


async def act(page: Page, title: str, action: str) -> None:
    """Something from the menu of the chat."""
    await button(row(page, title), f"Actions: {title}").click()
    await page.get_by_role("menuitem", name=action, exact=True).click()


async def gone(me: User, session_id: str) -> None:
    async def missing() -> bool:
        return (await me.chat("GET", f"/sessions/{session_id}")).status == 404

    await eventually(missing, f"{session_id} is deleted on the server")


async def test_chats_are_pinned_and_renamed_in_place(browser: BrowserContext, server: Server) -> None:
    for number, title in enumerate(("Alpha", "Beta", "Gamma")):
        await talk(server, f"c{number}", title, "Hello")
    page = await opened(browser, server)
    other = await browser.new_page()
    await other.goto(page.url)
    await expect(titles(page)).to_have_text(["Gamma", "Beta", "Alpha"])
    await act(page, "Alpha", "Pin")
    await expect(mark(page, "Alpha", "pinned")).to_be_visible()
    for tab in (page, other):
        await expect(titles(tab)).to_have_text(["Alpha", "Gamma", "Beta"])
    await page.reload()
    await expect(titles(page)).to_have_text(["Alpha", "Gamma", "Beta"])
    await act(page, "Alpha", "Unpin")
    await expect(mark(page, "Alpha", "pinned")).to_have_count(0)

    name = page.get_by_label("Title of the chat")
    await act(page, "Beta", "Rename")
    await expect(name).to_be_focused()
    await page.keyboard.type("OSPF 邻居")  # over the old title, which is selected
    await page.keyboard.press("Enter")
    await expect(chat(page, "OSPF 邻居")).to_be_focused()
    await expect(chat(other, "OSPF 邻居")).to_be_visible()
    await page.keyboard.press("F2")
    await page.keyboard.type("no, not this")
    await page.keyboard.press("Escape")
    await expect(chat(page, "OSPF 邻居")).to_be_focused()
    await chat(page, "Gamma").dblclick()  # which opens it too
    await name.fill("Delta")
    await field(page).click()  # leaving saves
    await expect(chat(other, "Delta")).to_be_visible()
    me = server.user()
    assert [(await me.session(f"c{number}"))["title"] for number in range(3)] == ["Alpha", "OSPF 邻居", "Delta"]


async def test_a_deleted_chat_comes_back_or_is_gone_for_good(browser: BrowserContext, server: Server) -> None:
    for number, title in enumerate(("Zero", "One", "Two")):
        await talk(server, f"c{number}", title, "Hello")
    me = server.user()
    page = await browser.new_page()
    await page.clock.install()
    await page.goto(f"{server.url}/?token={me.token}")
    await connected(page)
    await chat(page, "Two").click()
    await expect(page.locator(".user")).to_have_text("Hello")
    other = await browser.new_page()
    await other.goto(page.url)
    await expect(other.locator(".user")).to_have_text("Hello")
    words = page.get_by_role("status").filter(has_text="Deleted: Two")

    await act(page, "Two", "Delete")
    await expect(titles(page)).to_have_text(["One", "Zero"])
    await expect(page.locator(".user")).to_have_count(0)
    await button(words, "Undo").click()
    await expect(titles(page)).to_have_text(["Two", "One", "Zero"])
    await expect(page.locator(".user")).to_have_text("Hello")  # it is open again
    await page.clock.fast_forward("00:10")
    await connected(page)
    assert (await me.session("c2"))["title"] == "Two"

    await chat(page, "One").focus()
    await page.keyboard.press("Delete")
    await expect(page.get_by_text("Deleted: One")).to_be_visible()
    await expect(chat(page, "Zero")).to_be_focused()
    await page.keyboard.press("Control+z")
    await expect(titles(page)).to_have_text(["Two", "One", "Zero"])
    await expect(page.get_by_text("Deleted: One")).to_be_hidden()

    await act(page, "Two", "Delete")
    await expect(words).to_be_visible()
    await page.clock.fast_forward("00:10")
    await expect(words).to_be_hidden(timeout=20_000)  # where its time had not begun yet
    await gone(me, "c2")
    await expect(titles(other)).to_have_text(["One", "Zero"])
    await expect(other.locator(".user")).to_have_count(0)

    await act(page, "One", "Delete")
    await expect(titles(page)).to_have_text(["Zero"])
    await page.close()
    await gone(me, "c1")
    await expect(titles(other)).to_have_text(["Zero"])


async def test_a_chat_that_was_open_is_brought_back_by_the_keyboard_and_from_a_dialog(
    browser: BrowserContext, server: Server
) -> None:
    await talk(server, "only", "Only one", "Hello")
    page = await opened(browser, server)
    await chat(page, "Only one").click()
    await expect(field(page)).to_be_focused()
    await expect(page.locator(".user")).to_have_text("Hello")
    await chat(page, "Only one").focus()
    await page.keyboard.press("Delete")
    await expect(button(page, "New chat")).to_be_focused()
    await page.keyboard.press("Control+z")
    await expect(page.locator(".user")).to_have_text("Hello")

    await chat(page, "Only one").focus()
    await page.keyboard.press("Delete")
    await button(page, "Settings").click()
    dialog = page.get_by_role("dialog", name="Settings")
    await button(dialog, "Undo").click()
    await expect(button(dialog, "Close")).to_be_focused()
    await page.keyboard.press("Escape")
    await expect(titles(page)).to_have_text(["Only one"])


async def test_chats_are_found_by_titles_and_messages_and_exported_with_what_they_used(
    browser: BrowserContext, server: Server, llm: ScriptedLlm, tmp_path: Path
) -> None:
    llm.answer(say("The heron is there."), say("区域 0 中的路由器"), say(show("R1", "show version")), say("It is up."))
    await talk(server, "bird", "Birds", "What is there?")
    await talk(server, "ospf", "邻居状态", "Which area?")
    await talk(server, "look", "A look at R1", "Look at R1")
    page = await opened(browser, server)
    search = page.get_by_role("searchbox", name="Search chats")
    said = page.get_by_role("navigation", name="Chats").get_by_role("status")
    for words, found in (
        ("heron", "Birds"),  # an answer
        ("WHICH AREA", "邻居状态"),  # a question
        ("uptime", "A look at R1"),  # what a device said
        ("路由", "邻居状态"),
        ("邻居", "邻居状态"),  # a title
        ("ｂｉｒｄｓ", "Birds"),
    ):
        await search.fill(words)
        await expect(said).to_have_text("1 chat found")
        await expect(titles(page)).to_have_text([found])
    await search.fill("egret")
    await expect(said).to_have_text("Nothing found")
    await page.keyboard.press("Escape")
    await expect(titles(page)).to_have_count(3)
    await search.fill("uptime")
    await expect(titles(page)).to_have_count(1)
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await expect(page.locator(".user")).to_have_text("Look at R1")

    usage = page.get_by_role("navigation", name="Chats").locator("summary")
    await expect(usage).to_have_text("100 in · 20 out · 120 tokens")
    await usage.click()
    await expect(page.get_by_role("group", name="Usage of this chat")).to_contain_text("scriptedCalls2Input200Output20")
    await expect(page.get_by_role("group", name="Usage of this chat")).to_contain_text("Run commands1")

    text = await exported(page, "A look at R1", "Export as Markdown", tmp_path / "A look at R1.md")
    assert text.startswith("# A look at R1\n")
    assert "> Look at R1" in text
    assert "> It is up." in text
    told = json.loads(await exported(page, "A look at R1", "Export as JSON", tmp_path / "A look at R1.json"))
    assert told["messages"] == await server.user().messages("look")


async def test_more_chats_come_when_one_scrolls_down(browser: BrowserContext, server: Server) -> None:
    await talk(server, "old", "The oldest", "Hello")
    for number in range(54):
        await server.user().chat(
            "POST", "/stream", {"message": f"{number}", "session_id": f"c{number}", "stream": False}
        )
    page = await opened(browser, server)
    await expect(titles(page)).to_have_count(50)
    await page.get_by_role("searchbox", name="Search chats").fill("oldest")  # also before it is in the list
    await expect(titles(page)).to_have_text(["The oldest"])
    await page.keyboard.press("Escape")
    await expect(titles(page)).to_have_count(50)
    await page.get_by_role("list", name="Chats").hover()
    await page.mouse.wheel(0, 100_000)
    await expect(titles(page)).to_have_count(55)
    await expect(button(page, "More chats")).to_have_count(0)
    await chat(page, "The oldest").click()
    await expect(page.locator(".user")).to_have_text("Hello")


async def exported(page: Page, title: str, action: str, path: Path) -> str:
    """The text of the file that comes down, named as `path` is."""
    async with page.expect_download() as download:
        await act(page, title, action)
    file = await download.value
    assert file.suggested_filename == path.name
    await file.save_as(path)
    return path.read_text("utf-8")


async def test_older_messages_come_when_one_scrolls_up(browser: BrowserContext, server: Server) -> None:
    await talk(server, "long", "Long", *(f"Question {number:02}" for number in range(60)))
    page = await opened(browser, server)
    await chat(page, "Long").click()
    questions = page.locator(".user")
    await expect(questions.last).to_be_in_viewport()
    await expect(questions).to_have_count(50)
    tenth = questions.filter(has_text="Question 10")
    await page.get_by_role("log").hover()
    await page.mouse.wheel(0, -100_000)
    await expect(questions).to_have_count(60)
    await expect(tenth).to_be_in_viewport()  # what is read stays where it is
    await expect(button(page, "Load earlier messages")).to_have_count(0)
    await page.mouse.wheel(0, -100_000)
    await expect(questions.first).to_be_in_viewport()
    await expect(questions.first).to_have_text("Question 00")
    await button(page, "Latest").click()
    await expect(questions.last).to_be_in_viewport()


async def begin(page: Page, server: Server, title: str, message: str) -> None:
    """A new chat of this title, and its first message."""
    await page.keyboard.press("Alt+Shift+N")
    await expect(page.locator(".user")).to_have_count(0)
    await ask(page, message)
    await expect(page.locator(".user")).to_have_text(message)
    await expect(page.locator(".outgoing")).to_have_count(0)  # the server has it
    session_id = page.url.partition("#")[2]
    await server.user().chat("PATCH", f"/sessions/{session_id}", {"title": title})
    await expect(chat(page, title)).to_be_visible()


async def conceal(page: Page, hidden: bool) -> None:
    """As if another tab was in front: headless, each one is."""
    await page.evaluate(
        "hidden => { Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });"
        " document.dispatchEvent(new Event('visibilitychange')) }",
        hidden,
    )


def listen(page: Page, asked: list[str | bytes]) -> None:
    """Writes down what the page says to the server."""
    page.on("websocket", lambda line: line.on("framesent", lambda frame: asked.append(frame)))


async def noted(page: Page) -> list[dict[str, Any]]:
    return await page.evaluate("noted.map(({ title, body, closed }) => ({ title, body, closed }))")


async def test_several_chats_run_at_once_and_say_where_something_waits(
    browser: BrowserContext, server: Server, llm: ScriptedLlm
) -> None:
    one, two, three = Gate(), Gate(), Gate()
    llm.answer(say("One so far,", one, " and done."), say("Two so far,", two, " and done."))
    llm.answer(say("May I?", three, configure("R1", "hostname A")), say("Well."))
    await browser.grant_permissions(["notifications"])
    await browser.add_init_script(NOTED)
    asked: list[str | bytes] = []
    browser.on("page", lambda page: listen(page, asked))
    page = await opened(browser, server, "&codec=json")
    await button(page, "Settings").click()
    await page.get_by_role("tab", name="Appearance").click()
    await page.get_by_role("checkbox", name="Notifications of the system").check()
    await page.keyboard.press("Escape")

    await begin(page, server, "One", "first")
    await begin(page, server, "Two", "second")
    await begin(page, server, "Three", "third")
    await three.reached()
    for title in ("One", "Two", "Three"):
        await expect(mark(page, title, "running")).to_be_visible()
    before = len(asked)
    for title, text in (("One", "One so far,"), ("Two", "Two so far,"), ("Three", "May I?"), ("Two", "Two so far,")):
        await chat(page, title).click()
        await expect(page.locator(".prose")).to_have_text(text)
        await expect(page).to_have_title(f"{title} · GNS3 Copilot")
    assert asked[before:] == [], "switching asks the server for nothing"

    one.open()
    await expect(mark(page, "One", "unread")).to_be_visible()
    await expect(mark(page, "Two", "running")).to_be_visible()
    assert await noted(page) == [], "who looks at the page needs no notification"
    await conceal(page, True)
    three.open()
    await expect(row(page, "Three").locator(".session-badge")).to_have_text("1 decision")
    await expect(page).to_have_title("(1) Two · GNS3 Copilot")
    two.open()
    await expect(mark(page, "Two", "unread")).to_be_visible()  # nobody has looked
    question = {"title": "The copilot waits for your decision", "body": "Three", "closed": False}
    assert await noted(page) == [question, {"title": "The copilot has answered", "body": "Two", "closed": False}]
    await page.evaluate("noted[0].dispatchEvent(new Event('click'))")
    await expect(calls(page, "asking")).to_contain_text("hostname A")
    await conceal(page, False)
    assert all(one["closed"] for one in await noted(page))

    await chat(page, "One").click()
    await expect(page.locator(".prose")).to_have_text("One so far, and done.")
    await expect(mark(page, "One", "unread")).to_have_count(0)
    await page.reload()
    await expect(mark(page, "Two", "unread")).to_be_visible()
    await expect(page).to_have_title("(1) One · GNS3 Copilot")
    await chat(page, "Three").click()
    await button(calls(page, "asking"), "Reject").click()
    await page.keyboard.press("Enter")
    await idle(page)
    await expect(page).to_have_title("Three · GNS3 Copilot")
    await expect(row(page, "Three").locator(".session-badge")).to_have_count(0)
