// The search box, with suggestions.

import type { Content } from "./content";
import { type Child, make, swatch, uniqueId } from "./dom";
import { formatCount, singleLine } from "./format";
import { Search } from "./search";
import type { State } from "./state";
import { domainColour } from "./themes";

const DELAY = 60; // milliseconds after the last keystroke
const FIRST_HITS = 8; // suggestions that are shown at first
const MORE_HITS = 40; // shown by each choice of "Show more"

/** The box; `leave` gives the focus back to the map, so that the next keys are commands again. */
export function searchBox(content: Content, state: State, go: (item: number) => void, leave: () => void): HTMLElement {
  const search = new Search(content);
  const suggestions = uniqueId("suggestions");
  const input = make("input", {
    type: "search",
    placeholder: `Search ${formatCount(content.count)} names`,
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
  let hits = search.find(""); // what matches
  let items: number[] = []; // of it, in the list
  let searched = ""; // the text that it matches
  let active = 0;
  let timer = 0;
  let closing = 0;

  const choose = (item: number) => {
    input.value = singleLine(content.name(item));
    close();
    leave();
    go(item);
  };
  const close = () => {
    list.hidden = note.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  const mark = (next: number) => {
    const rows = Array.from(list.children);
    active = (next + rows.length) % Math.max(1, rows.length);
    rows.forEach((row, index) => row.setAttribute("aria-selected", String(index === active)));
    if (rows.length) input.setAttribute("aria-activedescendant", rows[active].id);
    rows[active]?.scrollIntoView({ block: "nearest" });
  };
  /** Show some more of what matches and, last, a row that shows more again. */
  const extend = (count: number) => {
    list.querySelector(".more")?.remove();
    const from = items.length;
    items = hits.first(from + count);
    for (const [at, item] of items.entries()) {
      if (at >= from) list.append(suggestion(content, state, item, `${suggestions}-${at}`, () => choose(item)));
    }
    if (items.length < hits.count) {
      const label = `Show more (${formatCount(hits.count - items.length)})`;
      list.append(option(`${suggestions}-${items.length}`, { class: "more" }, [label], () => extend(MORE_HITS)));
    }
    mark(from);
  };
  const suggest = () => {
    searched = input.value;
    const { passing } = state;
    hits = search.find(searched, (item) => passing.value?.[item] !== 0);
    items = [];
    const { count, left } = hits;
    list.replaceChildren();
    list.hidden = !count;
    note.hidden = (count > 0 && !left) || !input.value.trim();
    const others = left ? ` ${formatCount(left)} ${count ? "more " : ""}${left === 1 ? "does" : "do"} not pass the filters.` : "";
    note.textContent = note.hidden ? "" : `${count ? "" : "No name matches."}${others}`.trim();
    input.setAttribute("aria-expanded", String(count > 0));
    extend(FIRST_HITS);
  };
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = window.setTimeout(suggest, content.count > 50_000 ? 3 * DELAY : DELAY);
  });
  input.addEventListener("keydown", (event) => {
    if (event.isComposing) return; // Enter accepts a character, not a suggestion
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      mark(active + (event.key === "ArrowDown" ? 1 : -1));
    } else if (event.key === "Enter") {
      event.preventDefault();
      clearTimeout(timer);
      if (list.hidden || searched !== input.value) suggest(); // fast typists need not wait for suggestions
      if (active < items.length) choose(items[active]);
      else if (items.length) extend(MORE_HITS);
    } else if (event.key === "Escape") {
      event.stopPropagation();
      clearTimeout(timer);
      if (list.hidden) {
        input.value = "";
        leave();
      }
      close();
    }
  });
  input.addEventListener("blur", () => (closing = window.setTimeout(close, 150)));
  input.addEventListener("focus", () => {
    clearTimeout(closing); // coming back at once keeps the suggestions
    void search.prepare(); // while the first letters are typed
  });
  return make("div", { class: "search" }, input, list, note);
}

function suggestion(content: Content, state: State, item: number, id: string, choose: () => void): HTMLElement {
  const domain = content.domain(item);
  const parts = [
    swatch(domainColour(state.theme.value, domain.index), domain.index),
    make("span", { class: "name" }, singleLine(content.name(item))),
    make("span", { class: "kind" }, domain.about.name),
  ];
  return option(id, {}, parts, choose);
}

function option(id: string, attributes: Record<string, string>, parts: Child[], choose: () => void): HTMLElement {
  const row = make("li", { id, role: "option", "aria-selected": "false", ...attributes }, ...parts);
  row.addEventListener("pointerdown", (event) => event.preventDefault()); // the input keeps the focus, and the list stays open
  row.addEventListener("click", choose);
  return row;
}
