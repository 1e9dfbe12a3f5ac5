// Room for the legend below the panels on the left side.

const LEAST = 92 + 240 + 28; // pixels: what is above the panels, the lowest of them, and the gaps; as in filters.css

/** Keep account of how high the legend is, and of whether there is room for it and a panel. */
export function leaveRoomFor(legend: HTMLElement, area: HTMLElement): ResizeObserver {
  const observer = new ResizeObserver(() => {
    area.style.setProperty("--legend", `${legend.offsetHeight}px`);
    area.classList.toggle("crowded", area.clientHeight < LEAST + legend.offsetHeight);
  });
  observer.observe(legend);
  observer.observe(area);
  return observer;
}
