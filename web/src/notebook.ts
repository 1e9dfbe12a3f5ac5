// The map as a widget: Python sends parts when they are asked for, and hears of the selection.

import { App } from "./app";
import { type About, Content } from "./content";
import { make } from "./dom";
import { notebookSource } from "./sources";

/** What anywidget hands to a widget. */
export interface Model {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  save_changes(): void;
  on(name: string, listener: (...given: never[]) => void): void;
  off(name: string, listener: (...given: never[]) => void): void;
  send(content: unknown): void;
}

export async function render({ model, el }: { model: Model; el: HTMLElement }): Promise<() => void> {
  const root = make("div", { class: "mrsne" });
  root.style.height = `${Number(model.get("height")) || 560}px`;
  el.append(root);
  const waiting = new Map<string, (bytes: DataView) => void>();
  const hear = (message: { part?: string }, buffers: DataView[]) => {
    if (message.part === undefined) return;
    waiting.get(message.part)?.(buffers[0]);
    waiting.delete(message.part);
  };
  model.on("msg:custom", hear);
  const source = notebookSource(
    (name) =>
      new Promise((resolve) => {
        waiting.set(name, resolve);
        model.send({ part: name });
      }),
  );
  const about = model.get("about") as About;
  const app = new App(root, await Content.open(about, source));
  await app.start();
  const { state, content } = app;
  let telling = false;
  state.selection.on((items) => {
    telling = true;
    const chosen: Record<string, number[]> = {};
    for (const domain of content.domains) {
      const own = items.filter((item) => content.domainOf[item] === domain.index);
      if (own.length) chosen[domain.about.name] = own.map((item) => item - domain.start);
    }
    model.set("selection", chosen);
    model.save_changes();
    telling = false;
  });
  const listen = () => {
    if (telling) return;
    const chosen = model.get("selection") as Record<string, number[]>;
    state.selection.value = content.domains.flatMap((domain) =>
      (chosen[domain.about.name] ?? []).map((own) => domain.start + own),
    );
  };
  model.on("change:selection", listen);
  listen();
  return () => {
    model.off("msg:custom", hear);
    model.off("change:selection", listen);
    app.destroy();
  };
}
