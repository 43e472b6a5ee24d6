"""What models and devices say is hostile: known families of script injection, wherever the page shows text."""

from __future__ import annotations

import re

import pytest
from kit.browser import ask, button, calls, field, idle, opened
from kit.gns3 import ScriptedGns3
from kit.hitl import configure
from kit.scripted_llm import ScriptedLlm, Think, call, say, show
from kit.server import Server, Start
from playwright.async_api import BrowserContext, Page, expect

HIT = "window.hit=(window.hit||0)+1"
FAMILIES = {
    "script element": f"<script>{HIT}</script>",
    "image that fails": f'<img src=x onerror="{HIT}">',
    "svg that loads": f"<svg onload={HIT}><animate onbegin={HIT} attributeName=x dur=1s></svg>",
    "javascript link": f"[press me](javascript:{HIT})",
    "data link": "[press me](data:text/html;base64,PHNjcmlwdD5oaXQ9MTwvc2NyaXB0Pg==)",
    "scheme in entities": f'<a href="java&#x09;script&colon;{HIT}">press me</a> [press me](java&#x73;cript:{HIT})',
    "frame": f'<iframe srcdoc="<script>parent.{HIT.removeprefix("window.")}</script>"></iframe>',
    "details that opens": f'<details open ontoggle="{HIT}"><summary>x</summary></details>',
    "form action": f'<form action="javascript:{HIT}"><button formaction="javascript:{HIT}">press me</button></form>',
    "image title": f'![x](x "\\" onerror=\\"{HIT}") ![x"onerror="{HIT}](http://127.0.0.1:1/x)',
    "object and embed": f'<object data="javascript:{HIT}"></object><embed src="javascript:{HIT}">',
    "style": f'<style>@import "javascript:{HIT}"</style><div style="background:url(javascript:{HIT})">x</div>',
    "mutation": f'<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror={HIT}&gt;">',
    "clobbering": '<form id="app"><input name="attributes"></form><a id="hit" name="hit" href="x:1">press me</a>',
    "autolink and reference": f"<javascript:{HIT}>\n\n[press me][there]\n\n[there]: javascript:{HIT}",
    "fence of code": f'```"><img src=x onerror={HIT}>\n</code></pre><script>{HIT}</script>\n```',
}

PARTS = 4


async def unharmed(page: Page) -> None:
    """Nothing ran, nothing of a page was made, and links lead to web pages only; whatever can be pressed is pressed."""
    for thing in await page.locator(".transcript").get_by_text("press me").all():
        if await thing.evaluate("node => node.closest('a, button') !== null && !node.closest('.tool')"):
            await thing.click()
    assert await page.evaluate("typeof window.hit") in ("undefined", "object")
    made = await page.evaluate(
        "[...document.querySelectorAll('script:not([src]):not([type=importmap]), iframe, object, embed, style,"
        " form#app, .transcript :is(img, form:not([class]), math, [onerror], [onload], [style*=javascript]),"
        ' a[href]:not([href^=http], [href^=mailto], [href^="#"], [href^="/"])\')].map(node => node.outerHTML)'
    )
    assert made == []


@pytest.mark.parametrize("part", range(PARTS))
async def test_text_of_models_devices_and_people_is_text(
    browser: BrowserContext, server: Server, llm: ScriptedLlm, part: int
) -> None:
    page = await opened(browser, server)
    for family in list(FAMILIES)[part::PARTS]:
        await met_everywhere(page, llm, FAMILIES[family])
        await named(page, server, FAMILIES[family])
        await unharmed(page)
    await page.reload()
    await expect(page.locator(".message.assistant").last).to_be_visible()
    await unharmed(page)
    await expect(field(page)).to_be_visible()


async def met_everywhere(page: Page, llm: ScriptedLlm, payload: str) -> None:
    """As message and reason, in thoughts, answers, a table, arguments, refusals, a device's lines and a question."""
    line = " ".join(payload.split())
    llm.answer(
        say(Think(payload), payload, show("R1", f"show version {line}"), call("no_such_tool", {"name": payload})),
        say(payload, configure("R1", "interface Loopback9", f"description {line}"[:200])),
        say(f"| a | b |\n|---|---|\n| {line} | x |\n\n- {line}\n\n> {line}\n\n# {line}"),
    )
    await ask(page, payload)
    await button(calls(page, "asking"), "Reject").click()
    await page.keyboard.type(line)
    await page.keyboard.press("Enter")
    await idle(page)


async def named(page: Page, server: Server, payload: str) -> None:
    """As the title of the chat, in the list and in the tab's title."""
    title = " ".join(payload.split())[:255]
    await server.user().chat("PATCH", f"/sessions/{page.url.partition('#')[2]}", {"title": title})
    await expect(page.locator(".session-title")).to_have_text(title)
    await expect(page).to_have_title(f"{title} · GNS3 Copilot")


async def test_names_of_devices_are_text(
    browser: BrowserContext, start_on_gns3: Start, gns3: ScriptedGns3, llm: ScriptedLlm
) -> None:
    """GNS3 takes any name: in the list, the picture, the details, a link, what a tool says and what is asked."""
    names = [" ".join(payload.split()) for payload in FAMILIES.values()]
    nodes = [gns3.add_node(name, status="started", x=40 * at) for at, name in enumerate(names)]
    ends = [{"node_id": node["node_id"], "adapter_number": 0, "port_number": 0} for node in nodes[:2]]
    gns3.project.links["wire"] = {"link_id": "wire", "project_id": gns3.project.id, "nodes": ends}
    server = await start_on_gns3()
    llm.answer(
        say(call("gns3_topology_reader", {})), say(call("delete_gns3_node", {"node_ids": [nodes[0]["node_id"]]}))
    )
    page = await opened(browser, server)
    shown = page.locator(".node-name")
    await expect(shown).to_have_count(len(names))
    assert sorted(await shown.all_inner_texts()) == sorted(names)
    await expect(page.locator(".links li")).to_contain_text(names[1])
    await ask(page, "what is there?")
    await expect(calls(page, "asking")).to_contain_text(names[0])
    for name in await shown.all_inner_texts():
        await shown.and_(page.get_by_text(name, exact=True)).click()
        await expect(page.get_by_role("group", name=name, exact=True)).to_be_visible()
    await page.get_by_role("group", name=f"Ask about {name}").get_by_role("button").first.click()
    await expect(field(page)).to_have_value(re.compile(re.escape(name)))
    await calls(page, "success").locator("summary").click()
    await unharmed(page)
