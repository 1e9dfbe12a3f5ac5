// Beside the map: the pinned item and what it is linked to, or the selection and what it is about.

import { paintPreview } from "./card";
import { type Content, type Domain, MISSING } from "./content";
import { button, counted, inLine, make, plural, swatch, valued } from "./dom";
import { type Enriched, enriched } from "./enriched";
import { asTable, download } from "./export";
import { ICONS } from "./icons";
import type { Stage } from "./stage";
import { NOTHING, type State } from "./state";
import { domainColour } from "./themes";

const FIRST = 60; // linked items that are listed at first
const MORE = 300; // and on request
const PREVIEW = 160; // pixels of the pinned item's thumbnail
const SMALL = 44; // pixels of a thumbnail in a list

export class Panel {
  readonly element = make("aside", { class: "panel", "aria-label": "Details", hidden: true, tabindex: -1 });
  private unpainted: (() => boolean)[] = [];

  constructor(
    private readonly content: Content,
    private readonly state: State,
    private readonly stage: Stage,
    private readonly go: (item: number) => void,
    private readonly copyLink: (() => void) | null,
  ) {
    state.pinned.on(() => this.update());
    state.selection.on(() => this.update());
    state.theme.on(() => this.update());
  }

  update(): void {
    const { pinned, selection } = this.state;
    const focused = this.element.contains(document.activeElement);
    this.unpainted = [];
    if (pinned.value !== NOTHING) this.element.replaceChildren(...this.item(pinned.value));
    else if (selection.value.length) this.element.replaceChildren(...this.selected(selection.value));
    else this.element.replaceChildren();
    this.element.hidden = this.element.childElementCount === 0;
    this.element.scrollTop = 0;
    if (focused && !this.element.hidden) this.element.focus(); // what had the focus is gone
    else if (focused) this.stage.element.focus({ preventScroll: true });
    this.paint();
  }

  /** Draw the thumbnails that were not there yet. */
  paint(): void {
    this.unpainted = this.unpainted.filter((paint) => !paint());
  }

  private item(item: number): HTMLElement[] {
    const { content } = this;
    const domain = content.domain(item);
    const linked = content.links.of(item);
    const head = make(
      "header",
      {},
      make("h2", {}, inLine(content.name(item))),
      button("Close", ICONS.close, () => (this.state.pinned.value = NOTHING), { class: "close" }),
      make("p", { class: "kind" }, swatch(this.colour(domain)), `${domain.about.name} · ${plural(linked.length, "link")}`),
    );
    const chosen = this.state.selection.value.length;
    const back = chosen
      ? make("button", { type: "button", class: "more", click: () => (this.state.pinned.value = NOTHING) }, `Back to ${plural(chosen, "selected item")}`)
      : null;
    const parts = [head, back, this.picture(domain, item), this.values(domain, item)];
    parts.push(
      make(
        "div",
        { class: "actions" },
        make("button", { type: "button", click: () => this.stage.flyTo(item) }, "Go there"),
        linked.length ? make("button", { type: "button", click: () => this.selectLinked(linked) }, "Select linked") : null,
        this.copyLink && make("button", { type: "button", click: () => this.copyLink?.() }, "Copy link"),
      ),
    );
    for (const other of content.domains) {
      const own = linked.filter((link) => content.domainOf[link.item] === other.index);
      if (own.length) parts.push(this.list(`Linked: ${other.about.name}`, own.map((link) => link.item), own));
    }
    if (!linked.length) parts.push(make("p", { class: "hint" }, "This item has no links."));
    return parts.filter((part): part is HTMLElement => part !== null);
  }

  private selectLinked(linked: { item: number }[]): void {
    this.state.selection.value = linked.map((link) => link.item).sort((a, b) => a - b);
    this.state.pinned.value = NOTHING;
  }

  private picture(domain: Domain, item: number): HTMLElement | null {
    const own = item - domain.start;
    if (domain.about.pictures && this.content.source.picture) {
      const address = this.content.source.picture(domain.index, own);
      const picture = make("img", { class: "preview", src: address, alt: inLine(this.content.name(item)) });
      picture.addEventListener("error", () => {
        picture.parentElement?.replaceWith(domain.about.thumbnails ? this.thumbnail(item, PREVIEW, "preview") : "");
        this.paint();
      });
      return make("a", { href: address, target: "_blank", rel: "noopener", title: "Open in full size" }, picture);
    }
    return domain.about.thumbnails ? this.thumbnail(item, PREVIEW, "preview") : null;
  }

  private thumbnail(item: number, pixels: number, style: string): HTMLCanvasElement {
    const canvas = make("canvas", { class: style, "aria-hidden": "true" });
    canvas.width = canvas.height = pixels * devicePixelRatio;
    this.unpainted.push(() => paintPreview(canvas, this.stage.sheets, item));
    return canvas;
  }

  private values(domain: Domain, item: number): HTMLElement | null {
    if (!domain.columns.length) return null;
    const rows = domain.columns.flatMap((column) => {
      const value = column.values[item - domain.start];
      const missing = column.categories ? value === MISSING : Number.isNaN(value);
      const text = missing ? "–" : column.categories ? column.categories[value] : valued(value);
      return [make("dt", {}, inLine(column.name)), make("dd", {}, inLine(text))];
    });
    return make("dl", {}, ...rows);
  }

  private list(title: string, items: number[], weights: { weight: number }[] | null): HTMLElement {
    const { content } = this;
    const pictured = Boolean(content.domain(items[0]).about.thumbnails);
    const list = make("ul", { class: pictured ? "thumbs" : "rows" });
    const heaviest = weights ? weights[0].weight : 0;
    const uneven = weights ? weights.some((link) => link.weight !== heaviest) : false;
    const show = (from: number, to: number) => {
      for (let at = from; at < Math.min(to, items.length); at++) {
        const note = uneven && weights ? valued(weights[at].weight) : null;
        list.append(make("li", {}, this.entry(items[at], note)));
      }
      this.paint();
    };
    show(0, FIRST);
    const section = make("section", {}, make("h3", {}, `${title} (${counted(items.length)})`), list);
    if (items.length > FIRST) {
      const more = make("button", { type: "button", class: "more" });
      const label = () => (more.textContent = `Show more (${counted(items.length - list.childElementCount)})`);
      more.addEventListener("click", () => {
        show(list.childElementCount, list.childElementCount + MORE);
        if (list.childElementCount === items.length) more.remove();
        else label();
      });
      label();
      section.append(more);
    }
    return section;
  }

  private entry(item: number, note: string | null): HTMLElement {
    const { content } = this;
    const name = inLine(content.name(item));
    const pictured = Boolean(content.domain(item).about.thumbnails);
    const row = make(
      "button",
      { type: "button", class: "entry", title: name, click: () => this.go(item) },
      pictured ? this.thumbnail(item, SMALL, "thumb") : swatch(this.colour(content.domain(item))),
      make("span", { class: "name" }, name),
      note === null ? null : make("span", { class: "note" }, note),
    );
    row.addEventListener("pointermove", (event) => {
      // not when the panel has opened under a pointer that rests
      if (event.movementX || event.movementY) this.state.hovered.value = item;
    });
    row.addEventListener("pointerleave", () => (this.state.hovered.value = NOTHING));
    row.addEventListener("focus", () => (this.state.hovered.value = item));
    row.addEventListener("blur", () => (this.state.hovered.value = NOTHING));
    return row;
  }

  private selected(items: readonly number[]): HTMLElement[] {
    const { content } = this;
    const counts = content.domains.map((domain) => ({
      domain,
      count: items.reduce((sum, item) => sum + Number(content.domainOf[item] === domain.index), 0),
    }));
    const title = `${plural(items.length, "item")} selected`;
    const head = make(
      "header",
      {},
      make("h2", {}, title),
      button("Clear the selection", ICONS.close, () => (this.state.selection.value = []), { class: "close" }),
    );
    const table = make("dl", {});
    for (const { domain, count } of counts) {
      table.append(
        make("dt", {}, swatch(this.colour(domain)), domain.about.name),
        make("dd", {}, `${counted(count)} of ${counted(domain.count)}`),
      );
    }
    const actions = make(
      "div",
      { class: "actions" },
      make("button", { type: "button", click: () => download("selection.csv", asTable(content, items)) }, "Export CSV"),
      make("button", { type: "button", click: () => this.stage.flyAround(items) }, "Go there"),
    );
    const parts: HTMLElement[] = [head, table, actions];
    const about = enriched(content, items);
    if (about.length) parts.push(this.enrichedList(about));
    for (const { domain, count } of counts) {
      const own = items.filter((item) => content.domainOf[item] === domain.index);
      if (count) parts.push(this.list(`Selected: ${domain.about.name}`, own, null));
    }
    return parts;
  }

  private enrichedList(about: Enriched[]): HTMLElement {
    const list = make("ul", { class: "rows enriched" });
    for (const { item, inside, all, times } of about) {
      const note = `${counted(inside)} of ${counted(all)} · ${times >= 10 ? Math.round(times) : times.toFixed(1)}×`;
      list.append(make("li", {}, this.entry(item, note)));
    }
    return make("section", {}, make("h3", {}, "Linked more often than by chance"), list);
  }

  private colour(domain: Domain): string {
    return domainColour(this.state.theme.value, domain.index);
  }
}
