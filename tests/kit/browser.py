"""The page in a real browser: opening it, pressing what a person presses, and what may never show in its console."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Any

import axe_playwright_python
from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Locator, Page, expect

from kit.overhearing import overhear
from kit.server import Server, User

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
AXE = Path(axe_playwright_python.__file__).parent / "axe.min.js"
PHONE = {"width": 360, "height": 740}
DESK = {"width": 1280, "height": 800}
SHOWN = "(document.querySelector('dialog[open]') ?? document.body)"
"""What is in front."""
SAID = f"""() => [{SHOWN}.innerText, ...[...{SHOWN}.querySelectorAll('*')].flatMap((node) =>
  ['aria-label', 'title', 'placeholder', 'alt'].map((name) => node.getAttribute(name) ?? ''))].join(' ')"""
PRODUCTS = """GNS3 Copilot OpenAI API URL vLLM LM Studio Anthropic Google Gemini DeepSeek OpenRouter xAI Ollama
  JSON MessagePack WebSocket ASCII Token token telnet English https example org api openai com v1"""
PARTS = "demo R1 R2 PC1 PC2 Gi0 e0 ios vpcs dynamips ping show ip route interface brief OSPF stop_gns3_node local"
KEYS = "Enter Shift Alt Esc Ctrl Delete F2"
NAMES = {"Base", *PRODUCTS.split(), *PARTS.split(), *KEYS.split()}
"""What is the same in every language."""
PICTURES = "TEST_PICTURES"
"""An environment variable: the folder for screenshots and figures that are to be kept."""


class Complaints:
    """What the browser's console said in anger: errors, refused scripts, missing files, exceptions of the page."""

    def __init__(self, context: BrowserContext) -> None:
        self._said: list[str] = []
        self._expected: list[str] = []
        context.on("console", self._listen)
        context.on("weberror", lambda fault: self._said.append(str(fault.error)))

    def _listen(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self._said.append(message.text)

    def expect(self, part: str) -> None:
        """What a test brings about on purpose: a connection that breaks is told by the browser itself."""
        self._expected.append(part)

    @property
    def unexpected(self) -> list[str]:
        return [text for text in self._said if not any(part in text for part in self._expected)]


async def new_context(chromium: Browser, **options: Any) -> BrowserContext:
    """A browser without a past. What its pages show is compared as any client's feed is."""
    context = await chromium.new_context(**options)
    if User.golden is not None:
        overhear(context, User.golden)
    return context


async def opened(browser: BrowserContext, server: Server, query: str = "", user: str = "local") -> Page:
    """The page at the address that the server prints, once it is connected."""
    page = await browser.new_page()
    await page.goto(f"{server.url}/?token={server.user(user).token}{query}")
    await connected(page)
    return page


async def connected(page: Page) -> None:
    await expect(page.locator("#status")).to_contain_text("Connected")


def field(page: Page) -> Locator:
    return page.get_by_label("Message", exact=True)


async def ask(page: Page, text: str) -> None:
    await field(page).fill(text)
    await page.keyboard.press("Enter")


def calls(page: Page, state: str) -> Locator:
    """The tool cards in this state."""
    return page.locator(f'.tool[data-state="{state}"]')


def button(inside: Page | Locator, name: Any) -> Locator:
    return inside.get_by_role("button", name=name, exact=isinstance(name, str))


DRAWN = "() => new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))"


async def idle(page: Page) -> None:
    """What was sent here before this is answered. The page says that it answers from the next frame on."""
    await page.evaluate(DRAWN)
    await expect(button(page, "Stop answering")).to_be_hidden()


def sent_to(server: Server, device: str) -> list[str]:
    """Every line that the device was sent."""
    log = Path(server.project["path"]) / "consoles" / f"{device}.log"
    return [line.split("\t", 1)[1] for line in log.read_text().splitlines()] if log.exists() else []


async def faults_of_access(page: Page) -> list[str]:
    """What axe-core finds that is serious or critical in the open dialog, else on the page: a line for each element."""
    if not await page.evaluate("'axe' in window"):
        await page.evaluate(AXE.read_text("utf-8"))
    found = await page.evaluate(
        "axe.run(document.querySelector('dialog[open]') ?? document, {resultTypes: ['violations']})"
    )
    return [
        f"{fault['id']} ({fault['impact']}): {node['html'][:160]} {node['failureSummary'][:200]}"
        for fault in found["violations"]
        if fault["impact"] in ("serious", "critical")
        for node in fault["nodes"]
    ]


async def english(page: Page) -> set[str]:
    """The English words that the open dialog, else the page, shows, says to screen readers or has in hints."""
    return set(re.findall(r"[A-Za-z][A-Za-z0-9_]+", await page.evaluate(SAID))) - NAMES


def keep(name: str, folder: Path) -> Path:
    """Where a picture or figure goes: to the folder that `PICTURES` names, else to the test's own."""
    place = Path(os.environ.get(PICTURES) or folder)
    place.mkdir(parents=True, exist_ok=True)
    return place / name
