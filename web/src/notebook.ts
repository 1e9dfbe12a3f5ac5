// The map as a widget: it comes with its first parts, requests the rest from Python, and shares its selection.

import { App } from "./app";
import { type About, Content } from "./content";
import { make } from "./dom";
import { filterWords, rulesOf } from "./filterwords";
import { partRequests } from "./partrequests";
import { selectionOf, selectionWords } from "./selectionwords";
import { notebookSource } from "./sources";

/** What anywidget passes to a widget. */
export interface Model {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  save_changes(): void;
  on(name: string, listener: (...given: never[]) => void): void;
  off(name: string, listener: (...given: never[]) => void): void;
  send(content: unknown): void;
}

const SETTLED = 200; // milliseconds after the last change of the filters, until Python hears of it

/** Show the map. The function returned removes it, at any time: a cell may run again before its map is ready. */
export function render({ model, el }: { model: Model; el: HTMLElement }): () => void {
  const waiting = make("p", { class: "waiting" }, "Waiting for Python. If nothing appears, run this cell.");
  const root = make("div", { class: "mrsne", tabindex: -1 }, waiting);
  root.style.height = `${Number(model.get("height")) || 560}px`;
  root.dataset.theme = themeOf(model);
  captureKeys(root);
  const host = isolated(root, String(model.get("stylesheet")));
  el.append(host);
  const parts = partRequests(model);
  const cleanups: (() => void)[] = [() => parts.close(), () => host.remove()];
  let disposed = false;

  const start = async () => {
    const about = { ...(model.get("about") as About), theme: themeOf(model) };
    const content = await Content.open(about, notebookSource(model.get("initial_parts") as Record<string, DataView>, parts.request));
    if (disposed) return;
    const app = new App(root, content);
    for (const element of [root, host]) Object.assign(element, { app }); // for scripts, as in a page
    cleanups.push(() => app.destroy());
    await app.start();
    if (disposed) return;
    cleanups.push(shareSelection(model, app), shareFilters(model, app), followTheme(model, app), returnFocus(app));
  };
  start().catch((error: unknown) => {
    if (disposed) return;
    root.textContent = `This map cannot be shown: ${error instanceof Error ? error.message : String(error)}`;
    root.dataset.ready = "failed";
    console.error(error);
  });
  return () => {
    disposed = true;
    for (const clean of cleanups) clean();
  };
}

/** Put the map where a notebook's styles do not reach it, nor the map's the notebook; return the element around it. */
function isolated(root: HTMLElement, stylesheet: string): HTMLElement {
  const host = make("div", { class: "mrsne-widget" });
  host.attachShadow({ mode: "open" }).append(make("style", {}, stylesheet), root);
  return host;
}

/** Keep the selections of the map and of Python the same, starting with Python's. */
function shareSelection(model: Model, { state, content }: App): () => void {
  let [sending, closed] = [false, false];
  const listen = () => {
    if (sending) return;
    const items = selectionOf(content, model.get("selection"));
    if (items.length || state.selection.value.length) state.selection.value = items;
  };
  listen();
  state.selection.on((items) => {
    if (closed) return;
    sending = true;
    model.set("selection", selectionWords(content, items));
    model.save_changes();
    sending = false;
  });
  model.on("change:selection", listen);
  return () => {
    closed = true;
    model.off("change:selection", listen);
  };
}

/** Keep the filters of the map and of Python the same, starting with Python's. */
function shareFilters(model: Model, { state, content }: App): () => void {
  let [sending, hearing, closed] = [false, false, false];
  let settling = 0;
  const listen = () => {
    if (sending) return;
    clearTimeout(settling);
    hearing = true;
    state.dimming.value = model.get("dimming") === true;
    const rules = rulesOf(content, model.get("filters"));
    const linked = model.get("linked_only") === true;
    const { value } = state.filters;
    if (rules.size || value.rules.size || linked !== value.linked) state.filters.value = { rules, linked };
    hearing = false;
  };
  listen();
  const send = () => {
    if (hearing || closed) return;
    sending = true;
    model.set("filters", filterWords(content, state.filters.value));
    model.set("linked_only", state.filters.value.linked);
    model.set("dimming", state.dimming.value);
    model.save_changes();
    sending = false;
  };
  const settle = () => {
    clearTimeout(settling);
    if (!hearing && !closed) settling = window.setTimeout(send, SETTLED);
  };
  state.filters.on(settle);
  state.dimming.on(send);
  const names = ["change:filters", "change:linked_only", "change:dimming"];
  for (const name of names) model.on(name, listen);
  return () => {
    closed = true;
    clearTimeout(settling);
    for (const name of names) model.off(name, listen);
  };
}

/**
 * Keep plain keys from the notebook, where b, x and d twice would insert, cut and delete cells. The root can have the
 * focus for this reason: otherwise a click between the buttons would give it to the cell.
 */
function captureKeys(root: HTMLElement): void {
  root.addEventListener("keydown", (event) => {
    const runs = event.key === "Enter" && event.shiftKey;
    if (!(event.ctrlKey || event.metaKey || event.altKey || runs)) event.stopPropagation();
  });
}

/** Give the focus back to the cell on Escape, when there is nothing to close, and on a click outside the map. */
function returnFocus(app: App): () => void {
  const { root } = app;
  const shadow = root.getRootNode() as ShadowRoot;
  const cell = () => shadow.host.parentElement?.closest<HTMLElement>("[tabindex]")?.focus({ preventScroll: true });
  const escape = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || !app.idle || event.target instanceof HTMLInputElement) return;
    event.stopPropagation();
    cell();
  };
  // JupyterLab does not do it itself for a click on the prompt of the cell that is already active
  const clickOutside = (event: Event) => {
    if (shadow.activeElement && !event.composedPath().includes(root)) cell();
  };
  root.addEventListener("keydown", escape, { capture: true });
  document.addEventListener("pointerdown", clickOutside, { capture: true });
  return () => document.removeEventListener("pointerdown", clickOutside, { capture: true });
}

/** The theme set in Python or, for "auto", that of JupyterLab, VS Code or the browser. */
function themeOf(model: Model): "light" | "dark" {
  const { theme } = model.get("about") as About;
  if (theme !== "auto") return theme;
  const { jpThemeLight, vscodeThemeKind } = document.body.dataset;
  if (jpThemeLight) return jpThemeLight === "false" ? "dark" : "light";
  if (vscodeThemeKind) return vscodeThemeKind.includes("light") ? "light" : "dark";
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

function followTheme(model: Model, app: App): () => void {
  const observer = new MutationObserver(() => app.followTheme(themeOf(model)));
  observer.observe(document.body, { attributeFilter: ["data-jp-theme-light", "data-vscode-theme-kind"] });
  return () => observer.disconnect();
}
