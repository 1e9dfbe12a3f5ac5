// Keyboard control.

import type { App } from "./app";
import { NO_ITEM } from "./state";

const STEP = 90; // pixels

/** Let keys act on the map until the signal aborts: in a page, they are the whole document's. */
export function listenToKeys(root: HTMLElement, app: App, signal: AbortSignal): void {
  const { camera, element } = app.stage;
  const moves: Record<string, () => void> = {
    ArrowLeft: () => camera.pan(STEP, 0),
    ArrowRight: () => camera.pan(-STEP, 0),
    ArrowUp: () => camera.pan(0, STEP),
    ArrowDown: () => camera.pan(0, -STEP),
  };
  const anywhere: Record<string, () => void> = {
    "+": () => camera.zoom(1.5),
    "=": () => camera.zoom(1.5),
    "-": () => camera.zoom(1 / 1.5),
    "0": () => camera.fly(camera.whole),
    "/": () => root.querySelector<HTMLInputElement>(".search input")?.focus(),
    l: () => app.toggleDrawing("lasso"),
    b: () => app.toggleDrawing("box"),
    d: () => app.switchTheme(),
    n: () => (app.state.names.value = !app.state.names.value),
    Escape: () => app.escape(),
  };
  for (const { name, button } of app.kinds) if (button) anywhere[button.key] = () => app.toggle(name);
  const page = app.content.about.source !== "notebook"; // in a notebook, keys are the map's only while the focus is inside
  const onKey = (event: Event) => {
    if (!(event instanceof KeyboardEvent)) return;
    if (event.ctrlKey || event.metaKey || event.altKey || root.querySelector("dialog[open]")) return;
    root.toggleAttribute("data-keyed", true);
    const typing = event.target instanceof HTMLInputElement && event.target.type !== "checkbox";
    const choosing = event.target instanceof HTMLSelectElement;
    if (typing || (choosing && event.key !== "Escape")) return;
    const onMap = event.target === element || event.target === document.body;
    if (onMap && event.key === "Enter") {
      event.preventDefault();
      app.state.pinned.value = app.stage.itemInMiddle();
      root.querySelector<HTMLElement>(".panel:not([hidden])")?.focus();
      return;
    }
    const act = (onMap ? moves[event.key] : undefined) ?? anywhere[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!act) return;
    event.preventDefault();
    act();
    if (onMap && (event.key in moves || "+=-".includes(event.key))) focusMiddle(app);
    if (event.key === "Escape") element.focus({ preventScroll: true });
  };
  (page ? document : root).addEventListener("keydown", onKey, { signal });
  root.addEventListener("pointerdown", () => root.toggleAttribute("data-keyed", false), { signal });
  // a page takes keys from the start, without a click; a frame must not take the focus from someone who is typing
  if (page && window === window.parent) element.focus({ preventScroll: true });
}

function focusMiddle(app: App): void {
  const item = app.stage.itemInMiddle();
  app.state.hovered.value = item;
  if (item !== NO_ITEM) app.announce(app.content.name(item));
}
