// Search over all names, with suggestions.

import type { Content } from "./content";
import { counted, inLine, make, swatch, unique } from "./dom";
import type { State } from "./state";
import { domainColour } from "./themes";

const MOST = 8;
const PATIENCE = 60; // milliseconds after the last letter

export class Search {
  private folded: string[] | null = null;

  constructor(private readonly content: Content) {}

  /** Items whose names fit, the best first: the whole name, its beginning, a word's beginning, anywhere. */
  find(text: string, most = MOST): number[] {
    const wanted = fold(text.trim());
    if (!wanted) return [];
    const words = wanted.split(/\s+/);
    this.folded ??= this.allFolded();
    const { strength } = this.content.links;
    const found: { item: number; rank: number }[] = [];
    const word = new RegExp(`[^\\p{L}\\p{N}]${wanted.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")}`, "u");
    for (let item = 0; item < this.folded.length; item++) {
      const name = this.folded[item];
      const at = name.indexOf(wanted);
      if (at < 0 && words.length > 1 && words.every((each) => name.includes(each))) found.push({ item, rank: 4 });
      if (at >= 0) found.push({ item, rank: rank(this.folded[item], wanted, at, word) });
    }
    found.sort((a, b) => a.rank - b.rank || strength[b.item] - strength[a.item] || a.item - b.item);
    return found.slice(0, most).map((hit) => hit.item);
  }

  private allFolded(): string[] {
    return Array.from({ length: this.content.count }, (_, item) => fold(this.content.name(item)));
  }
}

function fold(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

function rank(name: string, wanted: string, at: number, word: RegExp): number {
  if (name === wanted) return 0;
  if (at === 0) return 1;
  return word.test(name) ? 2 : 3;
}

export function searchBox(content: Content, state: State, go: (item: number) => void): HTMLElement {
  const search = new Search(content);
  const suggestions = unique("suggestions");
  const input = make("input", {
    type: "search",
    placeholder: `Search ${counted(content.count)} names`,
    "aria-label": "Search the names of all items",
    role: "combobox",
    "aria-autocomplete": "list",
    "aria-expanded": "false",
    "aria-controls": suggestions,
    autocomplete: "off",
    spellcheck: "false",
  });
  const list = make("ul", { id: suggestions, role: "listbox", "aria-label": "Suggestions", hidden: true });
  const note = make("div", { class: "hint", role: "status", hidden: true });
  let items: number[] = [];
  let active = 0;
  let timer = 0;

  const choose = (item: number) => {
    input.value = inLine(content.name(item));
    close();
    go(item);
  };
  const close = () => {
    list.hidden = note.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  const mark = (next: number) => {
    active = (next + items.length) % Math.max(1, items.length);
    Array.from(list.children).forEach((row, index) => row.setAttribute("aria-selected", String(index === active)));
    if (items.length) input.setAttribute("aria-activedescendant", `${suggestions}-${active}`);
  };
  const suggest = () => {
    items = search.find(input.value);
    list.replaceChildren(...items.map((item, index) => suggestion(content, state, item, `${suggestions}-${index}`, () => choose(item))));
    list.hidden = items.length === 0;
    note.hidden = items.length > 0 || !input.value.trim();
    note.textContent = note.hidden ? "" : "Nothing has this name.";
    input.setAttribute("aria-expanded", String(items.length > 0));
    mark(0);
  };
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = window.setTimeout(suggest, content.count > 50_000 ? PATIENCE * 3 : PATIENCE);
  });
  input.addEventListener("keydown", (event) => {
    if (event.isComposing) return; // Enter chooses a character, not an item
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      mark(active + (event.key === "ArrowDown" ? 1 : -1));
    } else if (event.key === "Enter") {
      event.preventDefault();
      clearTimeout(timer);
      if (list.hidden) suggest();
      if (items.length) choose(items[active]);
    } else if (event.key === "Escape") {
      event.stopPropagation();
      if (list.hidden) input.value = "";
      close();
    }
  });
  input.addEventListener("blur", () => window.setTimeout(close, 150));
  return make("div", { class: "search" }, input, list, note);
}

function suggestion(content: Content, state: State, item: number, id: string, choose: () => void): HTMLElement {
  const domain = content.domain(item);
  const row = make(
    "li",
    { id, role: "option", "aria-selected": "false" },
    swatch(domainColour(state.theme.value, domain.index)),
    make("span", { class: "name" }, inLine(content.name(item))),
    make("span", { class: "kind" }, domain.about.name),
  );
  row.addEventListener("pointerdown", (event) => {
    event.preventDefault(); // the input keeps the focus, so the list is still there when the click comes
    choose();
  });
  return row;
}
