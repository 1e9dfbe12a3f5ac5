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

let ids = 0;

/** An id for an element that nothing else on the page has, other maps included. */
export function uniqueId(name: string): string {
  return `mrsne-${name}-${++ids}`;
}

const SVG = "http://www.w3.org/2000/svg";

export function makeSvg<K extends keyof SVGElementTagNameMap>(
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
  return makeSvg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, makeSvg("path", { d: path }));
}

export function button(label: string, drawing: string, act: () => void, extra: Attributes = {}): HTMLButtonElement {
  return make("button", { type: "button", "aria-label": label, title: label, click: () => act(), ...extra }, icon(drawing));
}

export function swatch(colour: string): HTMLElement {
  const dot = make("span", { class: "swatch", "aria-hidden": "true" });
  dot.style.background = colour;
  return dot;
}
