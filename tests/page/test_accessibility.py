"""What axe-core finds on the page's screens, in light, in dark and on a phone; nothing is wider than a small screen."""

from __future__ import annotations

from typing import Literal

import pytest
from kit.browser import DESK, PHONE, calls, faults_of_access
from kit.server import Start
from playwright.async_api import Browser, Page, expect

SCREENS: list[tuple[Literal["light", "dark"], dict[str, int], str]] = [
    ("light", DESK, "en-US"),
    ("dark", DESK, "en-US"),
    ("light", PHONE, "zh-CN"),
]


async def narrow(page: Page) -> bool:
    return await page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


@pytest.mark.parametrize(("scheme", "size", "locale"), SCREENS)
async def test_no_screen_has_a_serious_fault(
    chromium: Browser, start: Start, scheme: Literal["light", "dark"], size: dict[str, int], locale: str
) -> None:
    server = await start(llm_provider="demo")
    context = await chromium.new_context(color_scheme=scheme, viewport=size, locale=locale)
    page = await context.new_page()
    await page.goto(server.url)
    await expect(page.locator("input[type=password]")).to_be_visible()
    assert await faults_of_access(page) == [], "the login"
    await page.goto(f"{server.url}/?token={server.user().token}")
    await expect(page.locator('#status[data-status="connected"]')).to_be_visible()
    assert await faults_of_access(page) == [], "an empty chat"
    await page.locator("#composer-text").fill("configure OSPF on R1 and R2")
    await page.keyboard.press("Enter")
    await expect(calls(page, "asking")).to_be_visible()
    assert await faults_of_access(page) == [], "a question"
    assert await narrow(page)
