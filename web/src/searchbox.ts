// The search box, with suggestions.

import type { Content } from "./content";
import { make, swatch, uniqueId } from "./dom";
import { formatCount, singleLine } from "./format";
import { Search } from "./search";
import type { State } from "./state";
import { domainColour } from "./themes";

const DELAY = 60; // milliseconds after the last keystroke

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
  let items: number[] = [];
  let searched = ""; // the text that `items` are for
  let active = 0;
  let timer = 0;

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
    active = (next + items.length) % Math.max(1, items.length);
    Array.from(list.children).forEach((row, index) => row.setAttribute("aria-selected", String(index === active)));
    if (items.length) input.setAttribute("aria-activedescendant", `${suggestions}-${active}`);
  };
  const suggest = () => {
    searched = input.value;
    items = search.find(searched);
    list.replaceChildren(...items.map((item, index) => suggestion(content, state, item, `${suggestions}-${index}`, () => choose(item))));
    list.hidden = items.length === 0;
    note.hidden = items.length > 0 || !input.value.trim();
    note.textContent = note.hidden ? "" : "No name matches.";
    input.setAttribute("aria-expanded", String(items.length > 0));
    mark(0);
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
      if (list.hidden || searched !== input.value) suggest(); // who types fast does not wait for suggestions
      if (items.length) choose(items[active]);
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
  input.addEventListener("blur", () => window.setTimeout(close, 150));
  return make("div", { class: "search" }, input, list, note);
}

function suggestion(content: Content, state: State, item: number, id: string, choose: () => void): HTMLElement {
  const domain = content.domain(item);
  const row = make(
    "li",
    { id, role: "option", "aria-selected": "false" },
    swatch(domainColour(state.theme.value, domain.index)),
    make("span", { class: "name" }, singleLine(content.name(item))),
    make("span", { class: "kind" }, domain.about.name),
  );
  row.addEventListener("pointerdown", (event) => {
    event.preventDefault(); // so that the input keeps the focus, and the list is still open for the click
    choose();
  });
  return row;
}
