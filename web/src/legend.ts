// The legend, with a switch for each kind.

import { REGION, colourOptions, colouringOf } from "./colouring";
import type { Content } from "./content";
import { focusedIn, make, swatch } from "./dom";
import { columnOf, switched, withRule } from "./filters";
import { formatCount, singleLine } from "./format";
import { hasPictures } from "./marks";
import type { State } from "./state";
import { CATEGORIES, domainColour, rampColour } from "./themes";

const NARROW = 640; // pixels; on such a screen the legend starts closed
const LEAST = 92 + 240 + 28; // pixels: what is above the panels, the lowest of them, and the gaps; as in filters.css

/** The legend; where `filtering` is true, categories are switches too. */
export function legend(content: Content, state: State, filtering = false): HTMLElement {
  const kinds = make("ul", {});
  const key = make("div", { class: "meaning" });
  const draw = () => {
    const [kind, category] = [focusedIn(kinds)?.dataset.domain, focusedIn(key)?.dataset.first];
    kinds.replaceChildren(...content.domains.map((_, index) => make("li", {}, kindSwitch(content, state, index))));
    key.replaceChildren(...colourKey(content, state, filtering));
    // the switches are new, so the one that had the focus gets it back
    if (kind !== undefined) kinds.querySelector<HTMLElement>(`[data-domain="${kind}"]`)?.focus({ preventScroll: true });
    if (category !== undefined) key.querySelector<HTMLElement>(`[data-first="${category}"]`)?.focus({ preventScroll: true });
  };
  const parts: HTMLElement[] = [kinds];
  const offered = colourOptions(content);
  if (offered.length > 1) {
    const select = make("select", {}, ...offered.map(({ key, label }) => make("option", { value: key }, singleLine(label))));
    select.addEventListener("change", () => (state.colour.value = select.value));
    state.colour.on((column) => (select.value = column));
    parts.push(make("label", { class: "colour" }, "Colour by", select));
  }
  if (hasPictures(content)) {
    const box = make("input", { type: "checkbox", checked: state.names.value });
    box.addEventListener("change", () => (state.names.value = box.checked));
    state.names.on((all) => (box.checked = all));
    parts.push(make("label", { class: "names" }, box, "All names that fit"));
  }
  state.theme.on(draw);
  state.colour.on(draw);
  state.hidden.on(draw);
  if (filtering) state.filters.on(() => syncSwitches(key, state));
  draw();
  const open = innerWidth > NARROW;
  const details = make("details", { class: "legend", open }, make("summary", {}, "Legend"), ...parts, key);
  return details;
}

function kindSwitch(content: Content, state: State, index: number): HTMLElement {
  const { name, count } = content.domains[index].about;
  const box = make("input", { type: "checkbox", checked: !state.hidden.value.has(index), "data-domain": index });
  box.addEventListener("change", () => {
    const hidden = new Set(state.hidden.value);
    if (box.checked) hidden.delete(index);
    else hidden.add(index);
    state.hidden.value = hidden;
  });
  const own = domainColour(state.theme.value, index);
  const label = make("span", { class: "name" }, singleLine(name));
  if (state.colour.value) label.style.color = own; // as of names on the map
  const dot = swatch(state.colour.value ? state.theme.value.muted : own, index);
  return make("label", {}, box, dot, label, make("span", { class: "count" }, formatCount(count)));
}

function colourKey(content: Content, state: State, filtering: boolean): HTMLElement[] {
  const { entries, range } = colouringOf(content, state.colour.value, state.theme.value);
  if (range) {
    const bar = make("div", { class: "ramp", role: "img", "aria-label": "Colours from low to high" });
    const steps = Array.from({ length: 9 }, (_, step) => rampColour(step / 8));
    bar.style.background = `linear-gradient(to right, ${steps.join(", ")})`;
    return [bar, make("div", { class: "ends" }, make("span", {}, range[0]), make("span", {}, range[1]))];
  }
  if (state.colour.value === REGION) return [make("p", { class: "hint" }, "As named on the map, their parts in shades.")];
  if (!entries.length) return state.colour.value ? [make("p", { class: "hint" }, "This column has no values.")] : [];
  const key = state.colour.value;
  const all = columnOf(content, key)?.column.categories?.length ?? 0;
  const kind = columnOf(content, key)?.domain.index ?? 0;
  const rows = entries.map(({ colour, label, count }, at) => {
    const parts = [swatch(colour, kind), make("span", { class: "name" }, singleLine(label)), make("span", { class: "count" }, formatCount(count))];
    if (!filtering) return make("li", {}, ...parts);
    const codes = at < CATEGORIES.length ? [at] : Array.from({ length: all - at }, (_, more) => at + more);
    const box = make("input", { type: "checkbox", "data-first": at, "data-count": codes.length });
    box.addEventListener("change", () => {
      const { filters } = state;
      filters.value = withRule(filters.value, key, switched(filters.value.rules.get(key), codes, box.checked));
    });
    return make("li", {}, make("label", {}, box, ...parts));
  });
  const list = make("ul", { class: "categories" }, ...rows);
  syncSwitches(list, state);
  return [list];
}

/** Let the switches of categories tell what passes. */
function syncSwitches(list: HTMLElement, { filters, colour }: State): void {
  const rule = filters.value.rules.get(colour.value);
  for (const box of list.querySelectorAll<HTMLInputElement>("input[data-first]")) {
    const [first, count] = [Number(box.dataset.first), Number(box.dataset.count)];
    let on = count;
    if (rule?.kind === "category") for (let code = first; code < first + count; code++) on -= Number(rule.off.has(code));
    box.checked = on > 0;
    box.indeterminate = on > 0 && on < count;
    box.closest("li")?.classList.toggle("off", on === 0);
  }
}

/** Keep account of how high the legend is, and of whether there is room for it and a panel. */
export function leaveRoomFor(legend: HTMLElement, area: HTMLElement): ResizeObserver {
  const observer = new ResizeObserver(() => {
    area.style.setProperty("--legend", `${legend.offsetHeight}px`);
    area.classList.toggle("crowded", area.clientHeight < LEAST + legend.offsetHeight);
  });
  observer.observe(legend);
  observer.observe(area);
  return observer;
}
