"""Every screen, in light, in dark and on a Chinese phone: axe-core, what is too wide, too small or not Chinese."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pytest
from kit.browser import DESK, DRAWN, PHONE, SHOWN, button, calls, english, faults_of_access, new_context
from kit.server import Start
from playwright.async_api import Browser, Page, expect

SCREENS: list[tuple[Literal["light", "dark"], dict[str, int], str]] = [
    ("light", DESK, "en-US"),
    ("dark", DESK, "en-US"),
    ("light", PHONE, "zh-CN"),
]
I18N = Path(__file__).parents[2] / "static/js/i18n"
TEXTS = {
    language: dict(re.findall(r'^  "([\w.]+)": "(.*)",$', (I18N / f"{language}.js").read_text("utf-8"), re.MULTILINE))
    for language in ("en", "zh")
}
SMALL = f"""() => [...{SHOWN}.querySelectorAll('a[href], button, input, select, textarea, summary')].filter((node) => {{
  const seen = node.checkVisibility({{ visibilityProperty: true, opacityProperty: true }});
  if (!seen || node.closest('[inert], [aria-hidden=true]')) return false;
  const choice = node.matches('[type=checkbox], [type=radio]');
  const {{ width, height }} = (choice ? node.closest('label') : node).getBoundingClientRect();
  const letters = choice || !node.matches('input, select, textarea') ? 16 : parseFloat(getComputedStyle(node).fontSize);
  return width > 1 && (Math.round(height) < 40 || width < 24 || letters < 16);
}}).map((node) => node.outerHTML.slice(0, 160))"""
"""What a finger does not hit (words are as wide as they are), and fields into which a phone zooms."""


@dataclass
class Screens:
    """Looks at each screen as it stands."""

    page: Page
    phone: bool
    chinese: bool
    faults: dict[str, list[str]] = field(default_factory=dict)

    async def press(self, key: str) -> None:
        """The first button that has this text of the page."""
        await button(self.page, TEXTS["zh" if self.chinese else "en"][key]).first.click()

    async def look(self, screen: str, ours: bool = True) -> None:
        """`ours`: all that is shown there is the page's own text."""
        await self.page.evaluate(DRAWN)
        found = await faults_of_access(self.page)
        if not await self.page.evaluate("document.documentElement.scrollWidth <= innerWidth"):
            found.append("wider than the screen")
        if self.phone:
            found += [f"small: {one}" for one in await self.page.evaluate(SMALL)]
        if self.chinese and ours:
            found += sorted(await english(self.page))
        if found:
            self.faults[screen] = found


@pytest.mark.timeout(180)
@pytest.mark.parametrize(("scheme", "size", "locale"), SCREENS)
async def test_every_screen_is_for_everybody(
    chromium: Browser, start: Start, scheme: Literal["light", "dark"], size: dict[str, int], locale: str
) -> None:
    server = await start(llm_provider="demo")
    context = await new_context(chromium, color_scheme=scheme, viewport=size, locale=locale, has_touch=size is PHONE)
    page = await context.new_page()
    screens = Screens(page, size is PHONE, locale.startswith("zh"))
    await page.goto(server.url)
    await expect(page.locator("input[type=password]")).to_be_visible()
    await screens.look("the login")
    await page.goto(f"{server.url}/?token={server.user().token}")
    await expect(page.locator('#status[data-status="connected"]')).to_be_visible()
    await screens.look("an empty chat")
    await the_panels(screens)
    await the_dialogs(screens)
    await a_run(screens)
    assert screens.faults == {}


async def the_panels(screens: Screens) -> None:
    page = screens.page
    if screens.phone:
        await page.keyboard.press("Alt+Shift+C")
        await expect(page.locator("#sidebar")).to_be_in_viewport()
        await screens.look("the chats")
        await page.keyboard.press("Alt+Shift+L")
    await page.locator(".device-row").first.click()
    await expect(page.get_by_role("group", name="PC1", exact=True)).to_be_visible()
    await screens.look("the lab")
    await page.locator(".device-row").first.click()
    if screens.phone:
        await page.keyboard.press("Escape")
        await expect(page.locator("#lab")).not_to_be_in_viewport()


async def the_dialogs(screens: Screens) -> None:
    page = screens.page
    dialog = page.locator("dialog[open]")

    async def leave() -> None:
        await page.keyboard.press("Escape")
        await expect(dialog).to_have_count(0)

    await screens.press("header.settings")
    tabs = dialog.get_by_role("tab")
    await expect(tabs).to_have_count(4)
    for tab in await tabs.all():
        await tab.click()
        await screens.look(f"settings: {await tab.inner_text()}")
    await tabs.first.click()
    await screens.press("models.add")
    await expect(dialog.locator("form").get_by_role("textbox").first).to_be_visible()
    await screens.look("a model")
    await leave()
    await page.keyboard.press("?")
    await expect(dialog).to_be_visible()
    await screens.look("the keys")
    await leave()
    await screens.press("projects.manage")
    await expect(dialog.get_by_role("listitem")).to_have_count(1)
    await screens.look("the projects")
    await leave()
    await screens.press("presets.title")
    await expect(page.get_by_role("listbox")).to_be_visible()
    await screens.look("the presets")
    await screens.press("presets.manage")
    await expect(dialog).to_be_visible()
    await screens.look("all presets")
    await screens.press("presets.add")
    await expect(dialog.get_by_role("textbox").first).to_be_visible()
    await screens.look("a preset")
    await leave()


async def a_run(screens: Screens) -> None:
    page = screens.page
    await page.locator("#composer-text").fill("configure OSPF on R1 and R2")
    await page.keyboard.press("Enter")
    await expect(calls(page, "asking")).to_be_visible()
    await screens.look("a question", ours=False)
    await screens.press("hitl.edit")
    await screens.look("an edit", ours=False)
    await page.keyboard.press("Escape")
    await screens.press("hitl.confirm")
    await expect(page.locator(".ending")).to_be_visible()
    await screens.press("chat.find.open")
    await screens.look("what was done", ours=False)
    if screens.phone:
        await screens.press("header.chats")
        await page.locator(".session-open").tap()
        await expect(page.locator("#sidebar")).not_to_be_in_viewport()
