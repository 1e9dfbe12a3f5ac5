// The legend, with a switch for each kind.

import { colourOptions, colouringOf } from "./colouring";
import type { Content } from "./content";
import { make, swatch } from "./dom";
import { formatCount, singleLine } from "./format";
import type { State } from "./state";
import { domainColour, rampColour } from "./themes";

const NARROW = 640; // pixels; on such a screen the legend starts closed

export function legend(content: Content, state: State): HTMLElement {
  const kinds = make("ul", {});
  const key = make("div", { class: "meaning" });
  const draw = () => {
    kinds.replaceChildren(...content.domains.map((_, index) => make("li", {}, kindSwitch(content, state, index, kinds))));
    key.replaceChildren(...colourKey(content, state));
  };
  const parts: HTMLElement[] = [kinds];
  const offered = colourOptions(content);
  if (offered.length > 1) {
    const select = make("select", {}, ...offered.map(({ key, label }) => make("option", { value: key }, singleLine(label))));
    select.addEventListener("change", () => (state.colour.value = select.value));
    state.colour.on((column) => (select.value = column));
    parts.push(make("label", { class: "colour" }, "Colour by", select));
  }
  state.theme.on(draw);
  state.colour.on(draw);
  state.hidden.on(draw);
  draw();
  const open = innerWidth > NARROW;
  const details = make("details", { class: "legend", open }, make("summary", {}, "Legend"), ...parts, key);
  return details;
}

function kindSwitch(content: Content, state: State, index: number, list: HTMLElement): HTMLElement {
  const { name, count } = content.domains[index].about;
  const box = make("input", { type: "checkbox", checked: !state.hidden.value.has(index), "data-domain": index });
  box.addEventListener("change", () => {
    const hidden = new Set(state.hidden.value);
    if (box.checked) hidden.delete(index);
    else hidden.add(index);
    state.hidden.value = hidden;
    // the list is new, so the switch that was used gets the focus back
    list.querySelector<HTMLInputElement>(`input[data-domain="${index}"]`)?.focus();
  });
  const colour = state.colour.value ? state.theme.value.muted : domainColour(state.theme.value, index);
  return make("label", {}, box, swatch(colour), make("span", { class: "name" }, singleLine(name)), make("span", { class: "count" }, formatCount(count)));
}

function colourKey(content: Content, state: State): HTMLElement[] {
  const { entries, range } = colouringOf(content, state.colour.value, state.theme.value);
  if (range) {
    const bar = make("div", { class: "ramp", role: "img", "aria-label": "Colours from low to high" });
    const steps = Array.from({ length: 9 }, (_, step) => rampColour(step / 8));
    bar.style.background = `linear-gradient(to right, ${steps.join(", ")})`;
    return [bar, make("div", { class: "ends" }, make("span", {}, range[0]), make("span", {}, range[1]))];
  }
  if (!entries.length) return state.colour.value ? [make("p", { class: "hint" }, "This column has no values.")] : [];
  const rows = entries.map(({ colour, label, count }) =>
    make("li", {}, swatch(colour), make("span", { class: "name" }, singleLine(label)), make("span", { class: "count" }, formatCount(count))),
  );
  return [make("ul", { class: "categories" }, ...rows)];
}
