"""A browser for each test; without a Chromium or a Chrome the browser tests are skipped."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from kit.browser import ARGUMENTS, CHROMIUM, DESK, Complaints, new_context
from kit.server import Start
from playwright.async_api import Browser, BrowserContext, async_playwright, expect

expect.set_options(timeout=20_000)  # what a busy machine may take; nothing waits longer than it has to


@pytest.fixture
async def chromium(start: Start) -> AsyncIterator[Browser]:
    """It leaves before servers do (`start`)."""
    if CHROMIUM is None:
        pytest.skip("no browser: neither chromium nor google-chrome is on the PATH")
    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield chromium
        await chromium.close()


@pytest.fixture
async def watched(chromium: Browser) -> AsyncIterator[tuple[BrowserContext, Complaints]]:
    """Nothing may complain in the browser's console: no error, no refused script, no missing file."""
    context = await new_context(chromium, viewport=DESK, locale="en-US")
    context.set_default_timeout(20_000)
    complaints = Complaints(context)
    yield context, complaints
    assert complaints.unexpected == []


@pytest.fixture
def browser(watched: tuple[BrowserContext, Complaints]) -> BrowserContext:
    """A browser without a past, in English."""
    return watched[0]


@pytest.fixture
def complaints(watched: tuple[BrowserContext, Complaints]) -> Complaints:
    return watched[1]
