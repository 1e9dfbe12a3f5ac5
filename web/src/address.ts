// The view in the page's address, so that links and the back button restore it.

import type { View } from "./camera";
import { colourOptions } from "./colouring";
import type { Content } from "./content";
import { type Filters, NO_FILTERS } from "./filters";
import { filterWords, rulesOf } from "./filterwords";
import { NO_REGION } from "./regions";
import { NO_ITEM, type State } from "./state";
import { CLOSED, type TableChoice, formatSort, parseSort } from "./table";

interface AddressState {
  view: View | null;
  pinned: number;
  hidden: Set<number>;
  colour: string;
  region: number;
  table: TableChoice;
  filters: Filters;
  dimming: boolean;
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
  if (state.region.value !== NO_REGION) parts.set("region", content.regions.address(state.region.value));
  const { open, kind, sort } = state.table.value;
  if (open && kind in content.domains) parts.set("table", content.domains[kind].about.name);
  if (open && sort) parts.set("sort", formatSort(sort));
  const { filters, dimming } = state;
  if (filters.value.rules.size) {
    parts.set("filter", JSON.stringify(filterWords(content, filters.value)));
    if (filters.value.linked) parts.set("linked", "1");
    if (dimming.value) parts.set("dim", "1");
  }
  return parts.toString();
}

/** The view that an address asks for; anything in it that the map does not have is ignored. */
export function parseAddress(content: Content, address: string, whole: View): AddressState {
  const parts = new URLSearchParams(address.replace(/^#/, ""));
  const [x, y, zoom] = (parts.get("at") ?? "").split(",").map((text) => (text ? Number(text) : NaN));
  const view = Number.isFinite(x) && Number.isFinite(y) && zoom > 0 && zoom < 1e6 ? { x, y, k: zoom * whole.k } : null;
  const colour = parts.get("colour") ?? "";
  const rules = rulesOf(content, parsed(parts.get("filter")));
  return {
    view,
    pinned: itemNamed(content, parts.get("kind"), parts.get("item")),
    hidden: hiddenDomains(content, parts.get("hide")),
    colour: colourOptions(content).some((option) => option.key === colour) ? colour : "",
    region: content.regions.named(parts.get("region")),
    table: tableOf(content, parts.get("table"), parts.get("sort")),
    filters: rules.size ? { rules, linked: parts.get("linked") === "1" } : NO_FILTERS,
    dimming: rules.size > 0 && parts.get("dim") === "1",
  };
}

function tableOf(content: Content, name: string | null, sort: string | null): TableChoice {
  const kind = content.domains.findIndex((domain) => domain.about.name === name);
  return kind < 0 ? CLOSED : { open: true, kind, sort: parseSort(content, kind, sort) };
}

function itemNamed(content: Content, kind: string | null, name: string | null): number {
  const domain = content.domains.find((each) => each.about.name === kind);
  if (!domain || name === null) return NO_ITEM;
  const known = domain.ids ?? domain.names;
  const position = known ? known.indexOf(name) : /^\d+$/.test(name) ? Number(name) : -1;
  return position >= 0 && position < domain.count ? domain.start + position : NO_ITEM;
}

function hiddenDomains(content: Content, text: string | null): Set<number> {
  const names = parsed(text);
  if (!Array.isArray(names)) return new Set();
  return new Set(content.domains.filter((domain) => names.includes(domain.about.name)).map((domain) => domain.index));
}

function parsed(json: string | null): unknown {
  try {
    return JSON.parse(json ?? "null");
  } catch {
    return null;
  }
}
