"""The lab beside the chat: its picture and words as things change, devices at work, and the projects."""

from __future__ import annotations

import re

from kit.browser import ask, button, connected, idle, opened
from kit.picture import Picture
from kit.scripted_llm import ScriptedLlm, call, host, say, sleep
from kit.server import Server, User
from kit.socket import Socket
from kit.waiting import eventually
from playwright.async_api import BrowserContext, Locator, Page, expect


def device(page: Page, name: str) -> Locator:
    """Its entry in the list."""
    return page.locator(".device-row").filter(has=page.get_by_text(name, exact=True))


def links(page: Page) -> Locator:
    return page.locator(".links li")


def heading(page: Page) -> Locator:
    """Which lab is shown."""
    return page.locator("#lab h2")


async def named(picture: Picture, wires: list[tuple[str, str]]) -> bool:
    """Whether each link shows its ports' names."""
    ports: list[list[str]] = (await picture.holds())["ports"]
    return ports == [[end.split()[1] for end in wire] for wire in wires]


async def test_the_picture_and_the_list_follow_the_lab(
    browser: BrowserContext, llm: ScriptedLlm, me: User, socket: Socket, server: Server
) -> None:
    page = await opened(browser, server)
    picture = Picture(page)
    await expect(page.get_by_role("img", name="Picture of the topology: 4 devices, 3 links.")).to_be_visible()
    nodes = (await me.rest("GET", f"/v3/projects/{me.project_id}/nodes")).json
    for node in nodes:
        await picture.shows(node["name"], "good")
        await expect(device(page, node["name"])).to_contain_text("started")
    held = await picture.holds()
    assert {node["label"]: (node["x"], node["y"]) for node in held["nodes"]} == {
        node["name"]: (node["x"], node["y"]) for node in nodes
    }, "places as in GNS3"
    wires = [("PC1 e0", "R1 Gi0/0"), ("R1 Gi0/1", "R2 Gi0/1"), ("R2 Gi0/0", "PC2 e0")]
    assert [tuple(link) for link in held["links"]] == wires
    await button(page, "Enlarge the lab").click()  # there is room for the names of the ports
    await eventually(lambda: named(picture, wires), "the links have the names of their ports")
    await expect(links(page)).to_have_text([re.compile(rf"{one}\s*{other}") for one, other in wires])

    await picture.click("R1")
    details = page.get_by_role("group", name="R1", exact=True)
    await expect(details).to_contain_text("dynamips · ios")
    await expect(details).to_contain_text("Gi0/1")

    llm.answer(
        say(call("update_gns3_node_name", {"nodes": [{"node_id": "R2", "name": "Core"}]})),
        say(call("create_gns3_node", {"nodes": [{"template": "VPCS", "name": "PC3"}]})),
        say(
            call("create_gns3_link", {"links": [{"node_a": "PC3", "port_a": "e0", "node_b": "R1", "port_b": "Gi0/2"}]})
        ),
        say(call("stop_gns3_node", {"node_ids": ["PC2"]})),
        say("Done."),
    )
    sent = await socket.chat("Change the lab")
    await expect(device(page, "Core")).to_contain_text("started")
    await expect(device(page, "R2")).to_have_count(0)
    await expect(device(page, "PC3")).to_contain_text("stopped")
    await expect(links(page)).to_have_count(4)
    await socket.frame("hitl_required", run_id=sent["run_id"])
    await socket.command("hitl.confirm", session_id=sent["session_id"], confirm_all=True, acknowledge_dangerous=True)
    await expect(device(page, "PC2")).to_contain_text("stopped")
    await picture.shows("PC2", "good", least=0, most=0)
    await picture.shows("Core", "good")
    assert ["PC3 e0", "R1 Gi0/2"] in (await picture.holds())["links"]
    await expect(details).to_contain_text("PC3")  # R1's new neighbour, in details that were open


async def test_devices_that_a_running_tool_touches_light_up(
    browser: BrowserContext, llm: ScriptedLlm, me: User, socket: Socket, server: Server
) -> None:
    elsewhere = await socket.turn("A chat that began before the page, and is never opened there")
    page = await opened(browser, server)
    picture = Picture(page)
    await picture.dark("PC1")
    llm.answer(say(sleep(60, "PC1")), say(host("PC2", "show ip", "sleep 60")))
    await socket.chat("Wait", session_id=elsewhere.session_id)
    await expect(device(page, "PC1")).to_contain_text("in use")
    await picture.lit("PC1")
    await ask(page, "and here")
    await expect(device(page, "PC2")).to_contain_text("in use")
    await picture.lit("PC2")
    await picture.dark("R1")

    await picture.click("PC2")
    tail = page.get_by_role("region", name="Last console lines")
    await expect(tail).to_contain_text("10.0.2.10/24")
    await page.reload()
    await connected(page)
    await picture.lit("PC2")
    await button(page, "Stop answering").click()
    await idle(page)
    await picture.dark("PC2")
    await expect(device(page, "PC2")).to_contain_text("started")

    await device(page, "PC2").click()
    await expect(tail).to_contain_text("sleep 60")
    await expect(page.get_by_role("group", name="PC2", exact=True)).to_contain_text("vpcs")
    await device(page, "PC2").click()
    await expect(tail).to_have_count(0)
    await socket.command("chat.stop", session_id=elsewhere.session_id)
    await expect(device(page, "PC1")).to_contain_text("started")


async def test_projects_are_created_chosen_closed_opened_and_deleted(browser: BrowserContext, server: Server) -> None:
    page = await opened(browser, server)
    dialog, chosen = (
        page.get_by_role("dialog", name="Projects"),
        page.get_by_role("combobox", name="Project", exact=True),
    )

    async def manage() -> None:
        await button(page, "Manage projects").click()
        await expect(dialog.get_by_role("listitem")).to_have_count(2)

    await button(page, "Manage projects").click()
    await dialog.get_by_label("New project").fill("Edge")
    await page.keyboard.press("Enter")
    await expect(dialog).to_have_count(0)
    await connected(page)
    await expect(heading(page)).to_have_text("Edge")
    await expect(page.locator("#lab")).to_contain_text("There is no device in this project yet.")
    await chosen.select_option("demo")
    await connected(page)
    await expect(device(page, "R1")).to_be_visible()
    assert server.project_id in page.url

    await manage()
    await button(dialog, "Close Edge").click()
    await button(dialog, "Close project").click()
    await button(dialog, "Open Edge").click()
    await connected(page)
    await expect(heading(page)).to_have_text("Edge")
    await manage()
    await button(dialog, "Delete Edge").click()
    await expect(button(dialog, "Delete project")).to_be_disabled()
    await dialog.get_by_label("Type Edge to confirm").fill("Edge")
    await button(dialog, "Delete project").click()
    await expect(dialog.get_by_role("listitem")).to_have_count(1)
    await expect(chosen.locator("option")).to_have_text(["demo"])

    await button(dialog, "Close demo").click()
    await button(dialog, "Close project").click()
    await button(dialog, "Done").click()
    await expect(page.locator("#status")).to_have_text("Not connected")
    await expect(page.locator("#lab")).to_contain_text("The project is closed: its devices are off.")
    await button(page.get_by_role("main"), "Open project").click()
    await connected(page)
    await expect(device(page, "R1")).to_be_visible()
