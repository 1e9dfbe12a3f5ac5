// The search box, with suggestions.

import type { Content } from "./content";
import { type Child, make, swatch, uniqueId } from "./dom";
import { formatCount, plural, singleLine } from "./format";
import { Meaning, type Meant, type Near } from "./meaning";
import { Search } from "./search";
import type { State } from "./state";
import { domainColour } from "./themes";

const DELAY = 60; // milliseconds after the last keystroke
const FIRST_HITS = 8; // suggestions that are shown at first
const MORE_HITS = 40; // shown by each choice of "Show more"
const NEAR = 5; // suggestions that are near in meaning: names, or what is linked to them
const FEWER = 3; // of the other
const SHORTEST = 3; // letters that have a meaning
const ALIKE = 0.7; // of the closeness of the best, from which items are selected together

/** The box; `leave` gives the focus back to the map, so that the next keys are commands again. */
export function searchBox(content: Content, state: State, go: (item: number) => void, leave: () => void): HTMLElement {
  const search = new Search(content);
  const meaning = new Meaning(content);
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
  let actions: (() => void)[] = []; // of the rows of the list
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
  /** Add a row to the list. */
  const add = (attributes: Record<string, string>, parts: Child[], action: () => void) => {
    list.append(option(`${suggestions}-${actions.length}`, attributes, parts, action));
    actions.push(action);
  };
  /** Show some more of what matches and, last, a row that shows more again. */
  const extend = (count: number) => {
    const from = items.length;
    list.querySelector(".more")?.remove();
    actions.length = from;
    items = hits.first(from + count);
    for (const item of items.slice(from)) add({}, suggestion(content, state, item), () => choose(item));
    if (items.length < hits.count) add({ class: "more" }, [`Show more (${formatCount(hits.count - items.length)})`], () => extend(MORE_HITS));
    mark(from);
  };
  /** Add what is near in meaning, and a row that selects all of it that is linked. */
  const addNear = ({ named, linked, words, unknown }: Meant) => {
    const shown = ({ item }: Near) => !items.includes(item) && state.passing.value?.[item] !== 0;
    const [names, others] = [named.filter(shown), linked.filter(shown)];
    // what ties several words together is likelier meant than what is near one of them
    const near = words > 1 ? [...others.slice(0, NEAR), ...names.slice(0, FEWER)] : [...names.slice(0, NEAR), ...others.slice(0, FEWER)];
    const how = items.length ? "near in meaning" : "";
    const alike = others.filter((each) => each.closeness >= ALIKE * linked[0].closeness).map((each) => each.item);
    for (const { item } of near) add({ class: "near" }, suggestion(content, state, item, how), () => choose(item));
    if (alike.length > 1) {
      add({ class: "more near" }, [`Select the ${plural(alike.length, "item")} nearest in meaning`], () => {
        close();
        leave();
        state.selection.value = alike;
      });
    }
    if (!hits.count && !hits.left) {
      if (near.length) note.textContent = "No name matches; these are near in meaning.";
      if (unknown.length) note.textContent = `Nothing here is near “${unknown.join("”, “")}” in meaning.`;
    }
    list.hidden = !actions.length;
    input.setAttribute("aria-expanded", String(!list.hidden));
    mark(active);
  };
  const suggest = () => {
    searched = input.value;
    const { passing } = state;
    hits = search.find(searched, (item) => passing.value?.[item] !== 0);
    items = [];
    actions = [];
    const { count, left } = hits;
    list.replaceChildren();
    list.hidden = !count;
    note.hidden = (count > 0 && !left) || !input.value.trim();
    const others = left ? ` ${formatCount(left)} ${count ? "more " : ""}${left === 1 ? "does" : "do"} not pass the filters.` : "";
    note.textContent = note.hidden ? "" : `${count ? "" : "No name matches."}${others}`.trim();
    input.setAttribute("aria-expanded", String(count > 0));
    extend(FIRST_HITS);
    if (!meaning.exists || count >= FIRST_HITS || searched.trim().length < SHORTEST) return;
    const text = searched;
    void meaning.find(text, (word) => search.called(word)).then((found) => {
      if (input.value === text && input.matches(":focus") && actions.length === items.length) addNear(found);
    });
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
      actions[active]?.();
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

function suggestion(content: Content, state: State, item: number, more = ""): Child[] {
  const domain = content.domain(item);
  return [
    swatch(domainColour(state.theme.value, domain.index), domain.index),
    make("span", { class: "name" }, singleLine(content.name(item))),
    make("span", { class: "kind" }, more ? `${domain.about.name}, ${more}` : domain.about.name),
  ];
}

function option(id: string, attributes: Record<string, string>, parts: Child[], choose: () => void): HTMLElement {
  const row = make("li", { id, role: "option", "aria-selected": "false", ...attributes }, ...parts);
  row.addEventListener("pointerdown", (event) => event.preventDefault()); // the input keeps the focus, and the list stays open
  row.addEventListener("click", choose);
  return row;
}
