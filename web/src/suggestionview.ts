// What an item may lack, as a section of the panel, and the list of what was accepted.

import type { Content } from "./content";
import { make } from "./dom";
import { download } from "./export";
import { plural, singleLine } from "./format";
import { NO_ITEM, type State } from "./state";
import { Suggestions } from "./suggestions";

type EntryMaker = (item: number, note: string | null) => HTMLElement;

export class SuggestionView {
  private readonly source: Suggestions | null;

  constructor(
    private readonly content: Content,
    private readonly state: State,
    private readonly entry: EntryMaker,
    private readonly painted: () => void,
  ) {
    this.source = content.about.suggestions?.length ? new Suggestions(content) : null;
  }

  /** The section about an item, which fills itself when its part has come; null where the map has no suggestions. */
  section(item: number): HTMLElement | null {
    const { source } = this;
    if (!source) return null;
    const section = make("section", { class: "suggestions", hidden: true });
    void source.of(item).then((found) => {
      if (this.state.pinned.value !== item || !found.length) return;
      const footer = make("div", {});
      const rows = found.map(({ item: other, score }) => this.row(item, other, score, () => this.fill(footer)));
      section.append(make("h3", {}, "May be missing"), make("ul", { class: "rows" }, ...rows), footer);
      section.hidden = false;
      this.fill(footer);
      this.painted();
    });
    return section;
  }

  private row(item: number, other: number, score: number, changed: () => void): HTMLElement {
    const name = singleLine(this.content.name(other));
    const box = make("input", { type: "checkbox", "aria-label": `Accept ${name}`, checked: this.source!.isAccepted(item, other) });
    box.addEventListener("change", () => {
      this.source!.toggle(item, other);
      changed();
    });
    return make("li", {}, box, this.entry(other, `${Math.max(1, Math.round(100 * score))} %`));
  }

  /** Say what has been accepted so far, with a button that exports it. */
  private fill(footer: HTMLElement): void {
    const { length } = this.source!.accepted.value;
    const save = () => {
      for (const { name, text } of this.source!.tables()) download(name, text);
    };
    const button = make("button", { type: "button", class: "more", click: save }, `Export all links with ${plural(length, "accepted one", "accepted ones")}`);
    footer.replaceChildren(...(length && this.state.pinned.value !== NO_ITEM ? [button] : []));
  }
}
