// The view in the page's address, so that links and the back button restore it.

import type { View } from "./camera";
import { colourOptions } from "./colouring";
import type { Content } from "./content";
import { NO_ITEM, type State } from "./state";

export interface AddressState {
  view: View | null;
  pinned: number;
  hidden: Set<number>;
  colour: string;
}

/** The part of an address after #. Zoom is relative to the whole map, so that it means the same on every screen. */
export function formatAddress(content: Content, state: State, view: View, whole: View): string {
  const parts = new URLSearchParams();
  const digits = (value: number) => String(Number(value.toPrecision(7)));
  parts.set("at", [digits(view.x), digits(view.y), digits(view.k / whole.k)].join(","));
  if (state.pinned.value !== NO_ITEM) {
    const domain = content.domain(state.pinned.value);
    parts.set("kind", domain.about.name);
    parts.set("item", content.id(state.pinned.value) ?? String(state.pinned.value - domain.start));
  }
  if (state.hidden.value.size) {
    parts.set("hide", JSON.stringify([...state.hidden.value].map((index) => content.domains[index].about.name)));
  }
  if (state.colour.value) parts.set("colour", state.colour.value);
  return parts.toString();
}

/** The view that an address asks for; anything in it that the map does not have is ignored. */
export function parseAddress(content: Content, address: string, whole: View): AddressState {
  const parts = new URLSearchParams(address.replace(/^#/, ""));
  const [x, y, zoom] = (parts.get("at") ?? "").split(",").map((text) => (text ? Number(text) : NaN));
  const view = Number.isFinite(x) && Number.isFinite(y) && zoom > 0 && zoom < 1e6 ? { x, y, k: zoom * whole.k } : null;
  const colour = parts.get("colour") ?? "";
  return {
    view,
    pinned: itemNamed(content, parts.get("kind"), parts.get("item")),
    hidden: hiddenDomains(content, parts.get("hide")),
    colour: colourOptions(content).some((option) => option.key === colour) ? colour : "",
  };
}

function itemNamed(content: Content, kind: string | null, name: string | null): number {
  const domain = content.domains.find((each) => each.about.name === kind);
  if (!domain || name === null) return NO_ITEM;
  const known = domain.ids ?? domain.names;
  const position = known ? known.indexOf(name) : /^\d+$/.test(name) ? Number(name) : -1;
  return position >= 0 && position < domain.count ? domain.start + position : NO_ITEM;
}

function hiddenDomains(content: Content, text: string | null): Set<number> {
  try {
    const names: unknown = JSON.parse(text ?? "[]");
    if (!Array.isArray(names)) return new Set();
    return new Set(content.domains.filter((domain) => names.includes(domain.about.name)).map((domain) => domain.index));
  } catch {
    return new Set();
  }
}
