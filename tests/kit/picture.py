"""The page's picture of the topology: what its graph holds, and the colours that its canvases show."""

from __future__ import annotations

from typing import Any

from playwright.async_api import Page

Json = dict[str, Any]
HELD = """() => {
  const cy = document.querySelector('.picture-canvas')._cyreg.cy;
  return {
    nodes: cy.nodes().map((node) => ({ ...node.position(), status: node.data('status'), label: node.style('label') })),
    links: cy.edges().map((edge) => [
      `${edge.source().data('name')} ${edge.data('from')}`, `${edge.target().data('name')} ${edge.data('to')}`,
    ]),
    ports: cy.edges().map((edge) => [edge.style('source-label'), edge.style('target-label')]),
  };
}"""
PLACE = """(name) => {
  const cy = document.querySelector('.picture-canvas')._cyreg.cy;
  return cy.nodes().filter((node) => node.data('name') === name).renderedPosition();
}"""
PAINTED = """([name, colour, least, most]) => {
  const box = document.querySelector('.picture-canvas');
  const node = box?._cyreg?.cy.nodes().filter((one) => one.data('name') === name);
  if (!node?.length) return false;
  const probe = document.createElement('span');
  probe.style.color = `var(--${colour})`;
  box.append(probe);
  const wanted = getComputedStyle(probe).color.match(/[\\d.]+/g).slice(0, 3).map(Number);
  probe.remove();
  const { x, y } = node.renderedPosition(), reach = node.renderedWidth() / 2 + 10;
  let seen = 0;
  for (const canvas of box.querySelectorAll('canvas')) {
    const ratio = canvas.width / canvas.clientWidth, side = Math.round(2 * reach * ratio);
    const copy = new OffscreenCanvas(side, side).getContext('2d', { willReadFrequently: true });
    copy.drawImage(canvas, (reach - x) * ratio, (reach - y) * ratio);
    const { data } = copy.getImageData(0, 0, side, side);
    for (let at = 0; at < data.length; at += 4)
      if (data[at + 3] > 40 && wanted.every((one, part) => Math.abs(one - data[at + part]) < 12)) seen += 1;
  }
  return seen >= least && seen <= most;
}"""
SOME = 20
"""Pixels of a colour that are no accident of smoothing."""
MANY = 400
"""Pixels that a line around a node does not have: the light around a busy one."""


class Picture:
    """Of the lab that `page` shows."""

    def __init__(self, page: Page) -> None:
        self._page = page

    async def holds(self) -> Json:
        """`nodes`: place, status and label of each; `links`: both ends; `ports`: their labels, where there is room."""
        held: Json = await self._page.evaluate(HELD)
        return held

    async def click(self, name: str) -> None:
        place = await self._page.evaluate(PLACE, name)
        await self._page.locator(".picture-canvas").click(position=place)

    async def shows(self, name: str, colour: str, *, least: int = SOME, most: int = 1_000_000) -> None:
        """Waits until so many pixels in and around the node have this colour, a variable of the page's style."""
        await self._page.wait_for_function(PAINTED, arg=[name, colour, least, most])

    async def lit(self, name: str) -> None:
        await self.shows(name, "accent", least=MANY)

    async def dark(self, name: str) -> None:
        await self.shows(name, "accent", least=0, most=SOME)
