// Views in which panels do not cover what one wants to see.

import type { Content } from "./content";
import type { Box, View } from "./camera";
import type { Stage } from "./stage";

const CLEARANCE = 30; // pixels between an item and the panel about it
const PANEL = 330; // pixels: its width, as in panel.css
const TOOLS = 72; // pixels that the toolbar takes at the right, with its margins
const TALL = 1100; // pixels of a screen from which the panel has room above the toolbar
const BAR = 90; // pixels that the search takes at the top of a narrow screen

/** The view of a region beside the panels. */
export function viewOfRegion(content: Content, { camera, element }: Stage, region: number, contentsOpen: boolean): View {
  const { box } = content.regions.all[region];
  const panel = element.closest("[data-table]") ? 0 : 0.46 * camera.height; // beside a table there is none on a narrow screen
  if (element.hasAttribute("data-narrow")) return camera.around(box, undefined, { left: 0, right: 0, top: BAR, bottom: panel });
  return camera.around(box, undefined, { left: contentsOpen ? 310 : 0, right: PANEL + (camera.height > TALL ? 14 : TOOLS), top: 0, bottom: 0 });
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
