// The map as a widget: it brings what it shows at first, Python sends further parts when they are asked for, and hears
// of the selection.

import { App } from "./app";
import { type About, Content } from "./content";
import { make } from "./dom";
import { notebookSource } from "./sources";
import { THEMES } from "./themes";

/** What anywidget hands to a widget. */
export interface Model {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  save_changes(): void;
  on(name: string, listener: (...given: never[]) => void): void;
  off(name: string, listener: (...given: never[]) => void): void;
  send(content: unknown): void;
}

type Chosen = Record<string, number[]>;

/** Show the map; what is returned takes it away again, at any time: a cell may run again before its map is there. */
export function render({ model, el }: { model: Model; el: HTMLElement }): () => void {
  const waiting = make("p", { class: "waiting" }, "This map comes when Python answers. If it does not run, run the cell.");
  const root = make("div", { class: "mrsne", tabindex: -1 }, waiting);
  root.style.height = `${Number(model.get("height")) || 560}px`;
  root.dataset.theme = themeOf(model);
  keepKeys(root);
  el.append(root);
  const parts = partsOf(model);
  const leaving: (() => void)[] = [() => parts.close(), () => root.remove()];
  let gone = false;

  const start = async () => {
    const about = { ...(model.get("about") as About), theme: themeOf(model) };
    const content = await Content.open(about, notebookSource(model.get("kept") as Record<string, DataView>, parts.ask));
    if (gone) return;
    const app = new App(root, content);
    Object.assign(root, { app }); // for scripts, as in a page
    leaving.push(() => app.destroy());
    await app.start();
    if (gone) return;
    leaving.push(shareSelection(model, app), followTheme(model, app), returnFocus(app));
  };
  start().catch((error: unknown) => {
    if (gone) return;
    root.textContent = `This map cannot be shown: ${error instanceof Error ? error.message : String(error)}`;
    root.dataset.ready = "failed";
    console.error(error);
  });
  return () => {
    gone = true;
    for (const leave of leaving) leave();
  };
}

/** Parts that Python sends when they are asked for. */
function partsOf(model: Model): { ask(name: string): Promise<DataView>; close(): void } {
  const waiting = new Map<string, (bytes: DataView) => void>();
  const hear = (message: { part?: string }, buffers: DataView[]) => {
    if (message.part === undefined) return;
    waiting.get(message.part)?.(buffers[0]);
    waiting.delete(message.part);
  };
  model.on("msg:custom", hear);
  return {
    ask: (name) =>
      new Promise((resolve) => {
        waiting.set(name, resolve);
        model.send({ part: name });
      }),
    close: () => model.off("msg:custom", hear),
  };
}

/** Keep the selection of the map and of Python the same, from Python's on. */
function shareSelection(model: Model, { state, content }: App): () => void {
  let telling = false;
  const listen = () => {
    if (telling) return;
    const chosen = model.get("selection") as Chosen;
    const items = content.domains.flatMap((domain) => (chosen[domain.about.name] ?? []).map((own) => domain.start + own));
    if (items.length || state.selection.value.length) state.selection.value = items;
  };
  listen();
  state.selection.on((items) => {
    telling = true;
    const chosen: Chosen = {};
    for (const domain of content.domains) {
      const own = items.filter((item) => content.domainOf[item] === domain.index);
      if (own.length) chosen[domain.about.name] = own.map((item) => item - domain.start);
    }
    model.set("selection", chosen);
    model.save_changes();
    telling = false;
  });
  model.on("change:selection", listen);
  return () => model.off("change:selection", listen);
}

/**
 * Keep plain keys from the notebook, where b, x and twice d would insert, cut and delete cells. For that, the root can
 * have the focus: otherwise, a click beside all buttons would give it to the cell.
 */
function keepKeys(root: HTMLElement): void {
  root.addEventListener("keydown", (event) => {
    const runs = event.key === "Enter" && event.shiftKey;
    if (!(event.ctrlKey || event.metaKey || event.altKey || runs)) event.stopPropagation();
  });
}

/** Give the focus back to the cell on Escape, when there is nothing to close, and on a click beside the map. */
function returnFocus(app: App): () => void {
  const { root } = app;
  const cell = () => root.parentElement?.closest<HTMLElement>("[tabindex]")?.focus({ preventScroll: true });
  const escape = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || !app.idle || event.target instanceof HTMLInputElement) return;
    event.stopPropagation();
    cell();
  };
  // JupyterLab itself does not, for a click on the number of the cell that is already the active one
  const beside = (event: Event) => {
    if (root.contains(document.activeElement) && !root.contains(event.target as Node)) cell();
  };
  root.addEventListener("keydown", escape, { capture: true });
  document.addEventListener("pointerdown", beside, { capture: true });
  return () => document.removeEventListener("pointerdown", beside, { capture: true });
}

/** The theme that Python asks for or, for "auto", that JupyterLab, VS Code or else the browser has. */
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
