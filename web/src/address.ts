// The view in the page's address, so that a link restores it and the browser's back button returns to it.

import type { View } from "./camera";
import type { Content } from "./content";
import { NOTHING, type State } from "./state";

export interface Place {
  view: View | null;
  pinned: number;
  hidden: Set<number>;
  colour: string;
}

/** The part of an address after #. Zoom is relative to the whole map, so that it means the same on every screen. */
export function written(content: Content, state: State, view: View, whole: View): string {
  const parts = new URLSearchParams();
  const digits = (value: number) => String(Number(value.toPrecision(7)));
  parts.set("at", [digits(view.x), digits(view.y), digits(view.k / whole.k)].join(","));
  if (state.pinned.value !== NOTHING) {
    const domain = content.domain(state.pinned.value);
    parts.set("kind", domain.about.name);
    parts.set("item", domain.names ? content.name(state.pinned.value) : String(state.pinned.value - domain.start));
  }
  if (state.hidden.value.size) {
    parts.set("hide", JSON.stringify([...state.hidden.value].map((index) => content.domains[index].about.name)));
  }
  if (state.colour.value) parts.set("colour", state.colour.value);
  return parts.toString();
}

/** What an address asks for; whatever it says that the map does not have is left out. */
export function read(content: Content, address: string, whole: View): Place {
  const parts = new URLSearchParams(address.replace(/^#/, ""));
  const [x, y, zoom] = (parts.get("at") ?? "").split(",").map(Number);
  const view = Number.isFinite(x) && Number.isFinite(y) && zoom > 0 && zoom < 1e6 ? { x, y, k: zoom * whole.k } : null;
  const colour = parts.get("colour") ?? "";
  const [domain, column] = colour.split(".").map(Number);
  return {
    view,
    pinned: itemNamed(content, parts.get("kind"), parts.get("item")),
    hidden: hiddenDomains(content, parts.get("hide")),
    colour: content.domains[domain]?.columns[column] ? colour : "",
  };
}

function itemNamed(content: Content, kind: string | null, name: string | null): number {
  const domain = content.domains.find((each) => each.about.name === kind);
  if (!domain || name === null) return NOTHING;
  const own = domain.names ? domain.names.indexOf(name) : Number(name);
  return Number.isInteger(own) && own >= 0 && own < domain.count ? domain.start + own : NOTHING;
}

function hiddenDomains(content: Content, given: string | null): Set<number> {
  try {
    const names: unknown = JSON.parse(given ?? "[]");
    if (!Array.isArray(names)) return new Set();
    return new Set(content.domains.filter((domain) => names.includes(domain.about.name)).map((domain) => domain.index));
  } catch {
    return new Set();
  }
}
