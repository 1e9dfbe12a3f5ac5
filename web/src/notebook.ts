// The map as a widget: it comes with its first parts, requests the rest from Python, and shares its selection.

import { App } from "./app";
import { type About, Content } from "./content";
import { make } from "./dom";
import { notebookSource } from "./sources";
import { THEMES } from "./themes";

/** What anywidget passes to a widget. */
export interface Model {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  save_changes(): void;
  on(name: string, listener: (...given: never[]) => void): void;
  off(name: string, listener: (...given: never[]) => void): void;
  send(content: unknown): void;
}

type SelectionByKind = Record<string, number[]>;

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
    cleanups.push(shareSelection(model, app), followTheme(model, app), returnFocus(app));
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

/** Parts requested from Python. */
function partRequests(model: Model): { request(name: string): Promise<DataView>; close(): void } {
  const waiting = new Map<string, (bytes: DataView) => void>();
  const receive = (message: { part?: string }, buffers: DataView[]) => {
    if (message.part === undefined) return;
    waiting.get(message.part)?.(buffers[0]);
    waiting.delete(message.part);
  };
  model.on("msg:custom", receive);
  return {
    request: (name) =>
      new Promise((resolve) => {
        waiting.set(name, resolve);
        model.send({ part: name });
      }),
    close: () => model.off("msg:custom", receive),
  };
}

/** Keep the selections of the map and of Python the same, starting with Python's. */
function shareSelection(model: Model, { state, content }: App): () => void {
  let sending = false;
  const listen = () => {
    if (sending) return;
    const chosen = model.get("selection") as SelectionByKind;
    const items = content.domains.flatMap((domain) => (chosen[domain.about.name] ?? []).map((own) => domain.start + own));
    if (items.length || state.selection.value.length) state.selection.value = items;
  };
  listen();
  state.selection.on((items) => {
    sending = true;
    const chosen: SelectionByKind = {};
    for (const domain of content.domains) {
      const own = items.filter((item) => content.domainOf[item] === domain.index);
      if (own.length) chosen[domain.about.name] = own.map((item) => item - domain.start);
    }
    model.set("selection", chosen);
    model.save_changes();
    sending = false;
  });
  model.on("change:selection", listen);
  return () => model.off("change:selection", listen);
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

function followTheme(model: Model, { state }: App): () => void {
  const observer = new MutationObserver(() => (state.theme.value = THEMES[themeOf(model)]));
  observer.observe(document.body, { attributeFilter: ["data-jp-theme-light", "data-vscode-theme-kind"] });
  return () => observer.disconnect();
}
