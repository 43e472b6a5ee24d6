"""Logging in, and what a person sets: models of one's own, limits, colours, the language."""

from __future__ import annotations

import json
import re
from typing import Any

from kit.browser import Complaints, ask, button, calls, connected, english, field, idle, opened
from kit.gns3 import PASSWORD, ScriptedGns3
from kit.model_configs import Configs
from kit.scripted_llm import Gate, ScriptedLlm, call, fail, say
from kit.server import Server, Start, jwt_token
from playwright.async_api import BrowserContext, Locator, Page, expect

LOOPBACK = ("127.0.0.0/8",)
LIFE = 8.0  # seconds of a token: long enough to log in with it and to begin a message


async def settings(page: Page, tab: str) -> Locator:
    """The page of the settings that is called so."""
    await button(page, "Settings").click()
    dialog = page.get_by_role("dialog", name="Settings")
    await dialog.get_by_role("tab", name=tab).click()
    return dialog


def model(dialog: Locator, name: str) -> Locator:
    return dialog.get_by_role("listitem").filter(has=dialog.page.get_by_role("heading", name=name, exact=True))


async def test_models_of_ones_own_are_added_tried_and_chosen(
    browser: BrowserContext, complaints: Complaints, start: Start, llm: ScriptedLlm
) -> None:
    complaints.expect("409 (Conflict)")
    server = await start(llm_allowed_hosts=LOOPBACK)
    mine = Configs(server.user())
    page = await opened(browser, server)
    dialog = await settings(page, "Models")
    await expect(dialog).to_contain_text("You have none of your own: the model of the server answers.")
    await button(dialog, "Add a model").click()
    await button(dialog, "Save").click()
    await expect(dialog.get_by_role("alert")).to_have_text("2 fields need another look.")
    await expect(dialog.get_by_label("Name")).to_be_focused()
    for label, text in (("Name", "Mine"), ("Model", "big"), ("Address (base URL)", llm.base_url), ("API key", "wrong")):
        await dialog.get_by_label(label, exact=True).fill(text)
    await button(dialog, "Save").click()
    row = model(dialog, "Mine")
    llm.answer(fail(401, "Incorrect API key provided"))
    await button(row, "Test: Mine").click()
    await expect(row.get_by_role("status")).to_contain_text("The key was not accepted")

    await button(row, "Edit: Mine").click()
    await expect(dialog.get_by_label("API key")).to_have_value("")  # it never comes back
    await dialog.get_by_label("API key").fill("good")
    await page.keyboard.press("Enter")
    llm.answer(say(call("ready", {})))
    await button(row, "Test: Mine").click()
    await expect(row.get_by_role("status")).to_contain_text("It works and calls tools")
    assert [asked.authorization for asked in llm.asked] == ["Bearer wrong", "Bearer good"]

    await mine.post("Other", base_url=llm.base_url, model="small")
    await page.keyboard.press("Escape")
    await settings(page, "Models")
    await button(dialog, "Make default: Other").click()
    await expect(model(dialog, "Other")).to_contain_text("Default")
    await expect(button(dialog, "Make default: Mine")).to_be_visible()

    await button(dialog, "Edit: Mine").click()
    await dialog.get_by_label("Name").fill("My own")
    await mine.put((await named(mine, "Mine"))["config_id"], model="theirs")
    await button(dialog, "Save").click()
    conflict = dialog.get_by_role("alert")
    await expect(conflict).to_contain_text("Somebody changed this configuration meanwhile")
    await expect(conflict.get_by_role("listitem")).to_have_text("Model: theirs")
    await button(conflict, "Save mine over it").click()
    await expect(model(dialog, "My own")).to_contain_text("openai · big")
    assert (await named(mine, "My own"))["config"]["model"] == "big"
    await button(dialog, "Edit: My own").click()
    await dialog.get_by_label("Model", exact=True).fill("mine")
    await mine.put((await named(mine, "My own"))["config_id"], model="theirs again")
    await button(dialog, "Save").click()
    await expect(conflict.get_by_role("listitem")).to_have_text("Model: theirs again")
    await button(conflict, "Take theirs").click()
    await expect(dialog.get_by_label("Model", exact=True)).to_have_value("theirs again")
    await button(dialog, "Cancel").click()
    await expect(model(dialog, "My own")).to_contain_text("openai · theirs again")
    await button(dialog, "Delete: My own").click()
    await expect(button(dialog, "Keep")).to_be_focused()
    await button(dialog, "Delete").first.click()
    await expect(model(dialog, "My own")).to_have_count(0)
    await button(dialog, "Close").click()
    await expect(button(page, "Settings")).to_be_focused()
    await ask(page, "hi")
    await expect(page.locator(".prose")).to_have_text("You said: hi")
    assert llm.asked[-1].body["model"] == "small"


async def named(mine: Configs, name: str) -> dict[str, Any]:
    (found,) = [config for config in await mine.all() if config["name"] == name]
    return found


async def test_limits_go_with_each_message(browser: BrowserContext, server: Server, llm: ScriptedLlm) -> None:
    started: list[dict[str, Any]] = []
    browser.on("page", lambda page: note_starts(page, started))
    gate = Gate()
    llm.answer(say("One,", gate, " two."))
    page = await opened(browser, server, "&codec=json")
    dialog = await settings(page, "Limits")
    await dialog.get_by_label("Model calls").fill("0")
    await button(dialog, "Save").click()
    await expect(dialog.get_by_label("Model calls")).to_be_focused()
    await expect(dialog).to_contain_text("From 1 to 100.")
    await dialog.get_by_label("Model calls").fill("3")
    await dialog.get_by_label("Time, seconds").fill("120")
    await dialog.get_by_label("At a limit").select_option("End with an error")
    await dialog.get_by_label("Per tool").fill("stop_gns3_node: 2")
    await expect(dialog.get_by_role("status")).to_have_text("Not saved yet.")
    await page.keyboard.press("Escape")
    await settings(page, "Limits")
    await expect(dialog.get_by_label("Model calls")).to_have_value("3")  # not saved, not lost
    await button(dialog, "Save").click()
    await expect(dialog.get_by_role("status")).to_have_text("Saved.")
    await page.keyboard.press("Escape")
    await ask(page, "count")
    await gate.reached()
    await expect(page.get_by_role("group", name="This run")).to_contain_text("of 3 model calls")
    gate.open()
    await idle(page)
    await page.reload()
    await ask(page, "again")
    await expect(page.locator(".prose").last).to_have_text("You said: again")
    wanted = {"max_iterations": 3, "max_execution_time_seconds": 120, "on_limit_reached": "fail"}
    assert [run["message"] for run in started] == ["count", "again"]
    for run in started:
        assert wanted.items() <= run["limits"].items()
        assert run["limits"]["tool_limits"] == {"stop_gns3_node": 2}


def note_starts(page: Page, started: list[dict[str, Any]]) -> None:
    """Keeps each `run_started` that the server sends to the page."""

    def note(frame: str | bytes) -> None:
        event = json.loads(frame)
        if event["type"] == "run_started":
            started.append(event)

    page.on("websocket", lambda line: line.on("framereceived", note))


async def test_colours_and_language_hold_at_once_and_in_every_tab(
    browser: BrowserContext, server: Server, llm: ScriptedLlm
) -> None:
    llm.answer(say("May I?", call("delete_gns3_node", {"node_ids": ["PC2"]})))
    page = await opened(browser, server)
    other = await opened(browser, server)
    dialog = await settings(page, "Appearance")
    light = await colours(page)
    await page.emulate_media(color_scheme="dark")
    dark = await colours(page)
    assert dark != light, "as the system"
    await dialog.get_by_role("radio", name="Light").check()
    assert await colours(page) == light
    await page.emulate_media(color_scheme="light")
    await dialog.get_by_role("radio", name="Dark").check()
    for tab in (page, other):
        await expect(tab.locator("html")).to_have_attribute("data-theme", "dark")
        assert await colours(tab) == dark
    await dialog.get_by_label("Language").select_option("简体中文")
    await expect(page.get_by_label("语言")).to_be_focused()  # the dialog has been drawn anew and goes on
    await page.keyboard.press("Escape")
    for tab in (page, other):
        await expect(tab.locator("html")).to_have_attribute("lang", "zh-Hans")
        await expect(tab.locator("#status")).to_have_text("已连接")
        await expect(button(tab, "新对话")).to_be_visible()
        assert await english(tab) == set()
    await page.get_by_label("消息", exact=True).fill("go on")
    await page.keyboard.press("Enter")
    card = calls(page, "asking")
    await expect(card).to_contain_text("需要你的决定")
    await expect(card).to_contain_text("删除 PC2")
    await expect(card).to_contain_text("节点及其配置和链路将被删除，无法恢复。")
    await expect(button(card, "仍然确认")).to_be_visible()
    await page.reload()
    await button(calls(page, "asking"), "拒绝").click()
    await page.keyboard.press("Enter")
    await expect(calls(page, "rejected")).to_contain_text("已拒绝")
    await expect(page.locator("html")).to_have_attribute("data-theme", "dark")


REFUSED = "The browser does not allow them for this page."
ASKED = """
    let permission = 'default';
    Object.defineProperty(Notification, 'permission', { get: () => permission });
    Notification.requestPermission = async () => (permission = 'denied');
"""
"""A person who has not been asked yet, and then refuses: headless, nobody is asked."""


async def test_notifications_are_for_the_browser_to_allow(browser: BrowserContext, server: Server) -> None:
    page = await browser.new_page()
    await page.add_init_script(ASKED)
    await page.goto(f"{server.url}/?token={server.user().token}")
    await connected(page)
    dialog = await settings(page, "Appearance")
    notifications = dialog.get_by_role("checkbox", name="Notifications of the system")
    await expect(notifications).to_have_accessible_description(re.compile("When the copilot asks something"))
    await notifications.click()
    await expect(notifications).to_be_disabled()
    await expect(notifications).not_to_be_checked()
    await expect(notifications).to_have_accessible_description(re.compile(REFUSED))
    await browser.grant_permissions(["notifications"])
    other = await opened(browser, server)
    dialog = await settings(other, "Appearance")
    notifications = dialog.get_by_role("checkbox", name="Notifications of the system")
    await notifications.check()
    await other.reload()
    await settings(other, "Appearance")
    await expect(notifications).to_be_checked()


async def colours(page: Page) -> str:
    return await page.evaluate(
        "getComputedStyle(document.body).backgroundColor + getComputedStyle(document.body).color"
    )


async def test_a_login_that_ends_in_the_middle_comes_back_to_the_same_chat_and_draft(
    browser: BrowserContext, complaints: Complaints, start: Start
) -> None:
    complaints.expect("401 (Unauthorized)")
    server = await start(auth="jwt")
    alice = server.user("alice")
    await alice.chat("POST", "/stream", {"message": "Hello", "session_id": "mine", "stream": False})
    page = await browser.new_page()
    await page.goto(f"{server.url}/#mine")
    token = page.get_by_label("Access token")
    await expect(token).to_be_focused()
    await token.fill("wrong")
    await button(page, "Continue").click()
    await expect(page.get_by_role("alert")).to_have_text("The server does not know this token.")
    await expect(token).to_be_focused()
    await token.fill(jwt_token("alice", seconds=LIFE))
    await page.keyboard.press("Enter")
    await field(page).fill("half a")
    await expect(page.locator(".user")).to_have_text("Hello")

    await expect(page.get_by_text("Your login has ended. What you typed is still here.")).to_be_visible(timeout=20_000)
    await token.fill(jwt_token("alice"))
    await page.keyboard.press("Enter")
    await expect(page.locator(".user")).to_have_text("Hello")
    await expect(field(page)).to_have_value("half a")
    await connected(page)
    await field(page).press("Enter")
    await expect(page.locator(".prose").last).to_have_text("You said: half a")
    assert page.url == f"{server.url}/#mine"
    assert len(await alice.messages("mine")) == 4


async def test_logging_in_with_the_token_of_the_server(
    browser: BrowserContext, complaints: Complaints, server: Server
) -> None:
    complaints.expect("401 (Unauthorized)")
    page = await browser.new_page()
    await page.goto(server.url)
    token = page.get_by_label("Access token")
    await expect(token).to_have_accessible_description(
        "It stands in the address that the server printed when it started."
    )
    await page.goto(f"{server.url}/?token=wrong")
    await expect(token).to_be_focused()
    await button(page, "简体中文").click()
    await expect(page.get_by_label("访问令牌")).to_be_visible()
    assert await english(page) == set()
    await button(page, "English").click()
    await token.fill(f" {server.user().token} ")
    await button(page, "Continue").click()
    await connected(page)
    assert page.url == f"{server.url}/"


async def test_logging_in_as_a_user_of_gns3(
    browser: BrowserContext, complaints: Complaints, start_on_gns3: Start, gns3: ScriptedGns3, llm: ScriptedLlm
) -> None:
    gns3.add_node("PC1")
    for part in ("401 (Unauthorized)", "502 (Bad Gateway)"):
        complaints.expect(part)
    server = await start_on_gns3(auth="gns3")
    page = await browser.new_page()
    await page.goto(server.url)
    name, password, said = page.get_by_label("User name"), page.get_by_label("Password"), page.get_by_role("alert")
    await expect(name).to_be_focused()
    await expect(password).to_have_accessible_description("Those of your GNS3 server.")
    await name.fill("alice")
    await password.fill("wrong")
    await page.keyboard.press("Enter")
    await expect(said).to_have_text("User name or password is wrong.")
    await expect(password).to_be_focused()
    await gns3.go_away()
    await password.fill(PASSWORD)
    await button(page, "Continue").click()
    await expect(said).to_contain_text("GNS3")
    await expect(name).to_have_value("alice")
    await gns3.come_back()
    await button(page, "Continue").click()
    await expect(page.get_by_role("combobox", name="Project", exact=True)).to_have_value(server.project_id)
    await connected(page)
    llm.answer(say("May I?", call("delete_gns3_node", {"node_ids": ["PC1"]})), say("Well."))
    await ask(page, "go on")
    await button(calls(page, "asking"), "Reject").click()
    await page.keyboard.press("Enter")
    await expect(calls(page, "rejected")).to_contain_text("Rejected by alice. It did not run.")
    await settings(page, "About")
    await expect(page.get_by_role("dialog")).to_contain_text("Useralice")


async def test_who_logs_out_leaves_nothing_behind_in_any_tab(
    browser: BrowserContext, complaints: Complaints, start: Start
) -> None:
    complaints.expect("401 (Unauthorized)")
    server = await start(auth="jwt")
    page = await opened(browser, server, user="alice")
    await ask(page, "a secret")
    await idle(page)
    other = await browser.new_page()
    await other.goto(page.url)
    await expect(other.locator(".user")).to_have_text("a secret")

    await button(await settings(page, "About"), "Log out").click()
    for tab in (page, other):
        await expect(tab.get_by_label("Access token")).to_be_visible()
        await expect(tab.get_by_text("a secret")).to_have_count(0)
        assert tab.url == f"{server.url}/"
    assert await browser.cookies() == []

    await page.get_by_label("Access token").fill(server.user("bob").token)
    await page.keyboard.press("Enter")
    await connected(page)
    await expect(page.get_by_text("a secret")).to_have_count(0)
