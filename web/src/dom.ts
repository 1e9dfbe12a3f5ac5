// Elements of a page. Text only ever becomes text: there is no way here to give markup.

export type Child = Node | string | null;

type Attributes = Record<string, string | number | boolean | ((event: Event) => void)>;

export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (typeof value === "boolean") element.toggleAttribute(name, value);
    else element.setAttribute(name, String(value));
  }
  element.append(...children.filter((child): child is Node | string => child !== null));
  return element;
}

let maps = 0;

/** A name for an element that no other map on the same page has. */
export function unique(name: string): string {
  return `mrsne-${name}-${++maps}`;
}

const SVG = "http://www.w3.org/2000/svg";

export function shape<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Record<string, string> = {},
  ...children: Node[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** A line drawing of 24 by 24. */
export function icon(path: string): SVGSVGElement {
  return shape("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, shape("path", { d: path }));
}

export function button(label: string, drawing: string, act: () => void, extra: Attributes = {}): HTMLButtonElement {
  return make("button", { type: "button", "aria-label": label, title: label, click: () => act(), ...extra }, icon(drawing));
}

export function swatch(colour: string): HTMLElement {
  const dot = make("span", { class: "swatch", "aria-hidden": "true" });
  dot.style.background = colour;
  return dot;
}

const COUNT = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const WHOLE = new Intl.NumberFormat("en", { maximumFractionDigits: 0, useGrouping: false });
const VALUE = new Intl.NumberFormat("en", { maximumSignificantDigits: 6, useGrouping: false });

/** A number of things: 12,345. */
export function counted(count: number): string {
  return COUNT.format(count);
}

/** A value of a column or a weight: years stay years, 2001, and fractions are cut to six digits. */
export function valued(value: number): string {
  if (Math.abs(value) >= 1e15 || (value !== 0 && Math.abs(value) < 1e-4)) return String(Number(value.toPrecision(6)));
  return Number.isInteger(value) ? WHOLE.format(value) : VALUE.format(value);
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${counted(count)} ${count === 1 ? one : many}`;
}

/** Text of a name for a panel: one line, and something to see where there is nothing. */
export function inLine(text: string): string {
  return text.replace(/\s+/g, " ").trim() || "(no name)";
}
