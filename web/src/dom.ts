// Elements of a page. Text only ever becomes text: there is no way here to give markup.

import type { Signal } from "./signal";
import { CORNERS, SHAPES } from "./shapes";

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

/** The element with the focus, if it is inside another or the other itself; a widget's page sees no further than its root. */
export function focusedIn(element: HTMLElement): HTMLElement | null {
  const { activeElement } = element.getRootNode() as Document | ShadowRoot;
  return activeElement instanceof HTMLElement && element.contains(activeElement) ? activeElement : null;
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

/** A button that stays pressed while something is on. */
export function toggleButton<T>(label: string, drawing: string, act: () => void, signal: Signal<T>, isOn: (value: T) => boolean): HTMLButtonElement {
  const made = button(label, drawing, act, { "aria-pressed": String(isOn(signal.value)) });
  signal.on((value) => made.setAttribute("aria-pressed", String(isOn(value))));
  return made;
}

/** A spot of colour, round or in the shape of a kind's dots. */
export function swatch(colour: string, kind = 0): HTMLElement {
  const dot = make("span", { class: "swatch", "aria-hidden": "true" });
  dot.style.background = colour;
  const corners = CORNERS[kind % SHAPES].map(([x, y]) => `${50 + 80 * x}% ${50 + 80 * y}%`);
  if (corners.length) Object.assign(dot.style, { borderRadius: "0", clipPath: `polygon(${corners.join(",")})` });
  return dot;
}
