// Views in which panels do not cover what one wants to see.

import type { Box, Insets, View } from "./camera";
import type { Content } from "./content";
import type { Stage } from "./stage";
import { levelOf } from "./tree";

const NARROW = 640; // pixels; as in narrow.css
const SHORT = 770; // pixels; of a narrow map whose toolbar has two columns

const CLEARANCE = 30; // pixels between an item and the panel about it
const PANEL = 330; // pixels: its width, as in panel.css
const TOOLS = 72; // pixels that the toolbar takes at the right, with its margins
const TALL = 1100; // pixels of a screen from which the panel has room above the toolbar
const BAR = 90; // pixels that the search takes at the top of a narrow screen

export function isNarrow(width: number): boolean {
  return width <= NARROW;
}

/** What the panels cover of the map; as in narrow.css. */
export function coveredByPanels(width: number, height: number): Insets {
  if (isNarrow(width)) return { left: 0, right: height <= SHORT ? 108 : 64, top: 96, bottom: 56 };
  return { left: width - height > 300 ? 258 : 0, right: 66, top: width - height > 300 ? 0 : 92, bottom: 0 };
}

/** The view from close to an item, with some of its neighbours; on a narrow map, above the panel about it. */
export function closeTo({ camera, content }: Stage, item: number, tableIsOpen: boolean): View {
  const domain = content.domain(item);
  const close = 6 * camera.whole.k * Math.max(1, Math.sqrt(content.count / 4000));
  const level = domain.tree ? levelOf(domain.tree, item - domain.start) : 0;
  const { pixels, step, count } = content.about.levels;
  const k = Math.max(close, level < count ? pixels * step ** (level + 0.5) : 0, camera.whole.k);
  const covered = isNarrow(camera.width) && !tableIsOpen ? 0.21 * camera.height : 0; // by the panel, on the lower half
  return { x: content.x[item], y: content.y[item] - covered / k, k };
}

export function boxAround({ x, y }: Content, items: readonly number[]): Box {
  const box = { x0: Infinity, y0: Infinity, x1: -Infinity, y1: -Infinity };
  for (const item of items) {
    box.x0 = Math.min(box.x0, x[item]);
    box.x1 = Math.max(box.x1, x[item]);
    box.y0 = Math.min(box.y0, y[item]);
    box.y1 = Math.max(box.y1, y[item]);
  }
  return box;
}

/** The view of a region beside the panels. */
export function viewOfRegion(content: Content, { camera, element }: Stage, region: number, leftIsOpen: boolean): View {
  const { box } = content.regions.all[region];
  const panel = element.closest("[data-table]") ? 0 : 0.46 * camera.height; // beside a table there is none on a narrow screen
  if (element.hasAttribute("data-narrow")) return camera.around(box, undefined, { left: 0, right: 0, top: BAR, bottom: panel });
  return camera.around(box, undefined, { left: leftIsOpen ? 310 : 0, right: PANEL + (camera.height > TALL ? 14 : TOOLS), top: 0, bottom: 0 });
}

/** Move the map if the panel covers the item that it is about. */
export function uncover(content: Content, { camera, element }: Stage, item: number, covering: HTMLElement): void {
  const aim = camera.aim;
  const [panel, map] = [covering.getBoundingClientRect(), element.getBoundingClientRect()];
  const x = camera.width / 2 + (content.x[item] - aim.x) * aim.k;
  const y = camera.height / 2 - (content.y[item] - aim.y) * aim.k;
  const [left, top] = [panel.left - map.left - CLEARANCE, panel.top - map.top - CLEARANCE];
  if (x < left || x > left + panel.width + 2 * CLEARANCE || y < top || y > top + panel.height + 2 * CLEARANCE) return;
  if (panel.width > camera.width / 2) camera.fly({ ...aim, y: aim.y - (y - top) / aim.k });
  else camera.fly({ ...aim, x: aim.x + (x - left) / aim.k });
}

/** Move the map after a change of its size if an item that was on the screen `before` is not, or is behind its panel. */
export function keepInView(content: Content, stage: Stage, item: number, covering: HTMLElement, before: Box): void {
  const { camera } = stage;
  const [x, y] = [content.x[item], content.y[item]];
  const { isFlying } = camera; // to the item, most likely
  if (!isFlying && (x < before.x0 || x > before.x1 || y < before.y0 || y > before.y1)) return;
  const aim = camera.aim;
  const top = stage.element.hasAttribute("data-narrow") ? BAR : CLEARANCE;
  const beyond = (place: number, low: number, high: number) => place - Math.min(Math.max(place, low), Math.max(low, high));
  const dx = beyond(camera.width / 2 + (x - aim.x) * aim.k, CLEARANCE, camera.width - CLEARANCE);
  const dy = beyond(camera.height / 2 - (y - aim.y) * aim.k, top, camera.height - CLEARANCE);
  const goal = { ...aim, x: aim.x + dx / aim.k, y: aim.y - dy / aim.k };
  if (dx || dy) isFlying ? camera.fly(goal) : camera.look(goal);
  if (covering.clientHeight) uncover(content, stage, item, covering); // on a narrow screen a table takes its place
}
