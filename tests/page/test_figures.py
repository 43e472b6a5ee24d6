"""Figures of the page in a browser: bytes, first paint, frames while an answer of 10,000 tokens streams in.

Nothing here fails for being slow: the figures are printed, and written beside the screenshots where those are kept.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from kit.browser import ask, button, connected, keep, opened
from kit.scripted_llm import ScriptedLlm, say
from kit.server import Server
from playwright.async_api import BrowserContext, expect

TOKENS = 10_000
WORDS = "the route to **10.0.2.0/24** goes over `10.0.12.2` and is learnt by *OSPF* on each router\n\n- next\n\n"
LOADED = """() => {
  const entries = performance.getEntriesByType('resource');
  const scripts = entries.filter((one) => /\\.m?js$/.test(new URL(one.name).pathname));
  const paint = performance.getEntriesByName('first-contentful-paint')[0];
  return {
    requests: entries.length,
    script_bytes: scripts.reduce((sum, one) => sum + one.decodedBodySize, 0),
    first_contentful_paint_ms: Math.round(paint.startTime),
    dom_nodes: document.querySelectorAll('*').length,
  };
}"""
RELOADED = """() => ({
  reload_requests: performance.getEntriesByType('resource').filter((one) => one.transferSize > 0).length,
  reload_first_contentful_paint_ms: Math.round(performance.getEntriesByName('first-contentful-paint')[0].startTime),
})"""
WATCH = """() => {
  window.frames_seen = [];
  window.shifts = 0;
  new PerformanceObserver((list) => list.getEntries().forEach((one) => (window.shifts += one.value)))
    .observe({type: 'layout-shift'});
  let last = performance.now();
  const look = (now) => { window.frames_seen.push(now - last); last = now; requestAnimationFrame(look); };
  requestAnimationFrame(look);
}"""
SEEN = """() => {
  const frames = window.frames_seen;
  return {
    frames: frames.length,
    frames_over_50_ms: frames.filter((one) => one > 50).length,
    longest_frame_ms: Math.round(Math.max(...frames)),
    layout_shift: Number(window.shifts.toFixed(4)),
  };
}"""


@pytest.mark.timeout(300)
async def test_figures_of_loading_and_streaming(
    browser: BrowserContext, server: Server, llm: ScriptedLlm, tmp_path: Path
) -> None:
    page = await opened(browser, server)
    drawn = page.locator(".picture-canvas[data-state=ready]")
    await expect(drawn).to_be_visible()  # its library is the largest script, and comes last
    figures = await page.evaluate(LOADED)
    await page.reload()
    await connected(page)
    await expect(drawn).to_be_visible()
    figures |= await page.evaluate(RELOADED)
    text = (WORDS * (TOKENS * 4 // len(WORDS) + 1))[: TOKENS * 4]
    llm.answer(say(text, chunk=4, delay=0.0005))
    await page.evaluate(WATCH)
    await ask(page, "tell me everything")
    await expect(page.locator(".prose li").nth(300)).to_be_attached(timeout=120_000)
    await expect(button(page, "Stop answering")).to_be_hidden(timeout=120_000)
    figures |= {"streamed_tokens": TOKENS, **await page.evaluate(SEEN)}
    keep("figures.json", tmp_path).write_text(json.dumps(figures, indent=2) + "\n")
    print(json.dumps(figures))  # noqa: T201 - the run's figures
    assert figures["script_bytes"] < 1_120_000, "with the picture of the topology"
    assert figures["reload_requests"] < 10, "the browser has the files"
    assert figures["layout_shift"] < 0.1
