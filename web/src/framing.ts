// Views in which panels do not cover what one wants to see.

import type { Content } from "./content";
import type { View } from "./camera";
import type { Stage } from "./stage";

const CLEARANCE = 30; // pixels between an item and the panel about it

/** The view of a region beside the panels. */
export function viewOfRegion(content: Content, { camera, element }: Stage, region: number, contentsOpen: boolean): View {
  const { box } = content.regions.all[region];
  const panel = element.closest("[data-table]") ? 0 : 0.46 * camera.height; // beside a table there is none on a narrow screen
  if (element.hasAttribute("data-narrow")) return camera.around(box, undefined, { left: 0, right: 0, top: 90, bottom: panel });
  return camera.around(box, undefined, { left: contentsOpen ? 310 : 0, right: 340, top: 0, bottom: 0 });
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
