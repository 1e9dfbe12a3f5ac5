// The table below the map: what is selected or in view, by kind, to read, sort, go to and save.

import type { View } from "../camera";
import type { Content } from "../content";
import { button, focusedIn, make, swatch, uniqueId } from "../dom";
import { copyCommand, download, isPlain, itemsCsv, linksCsv, mapBeside } from "../export";
import { formatCount, singleLine } from "../format";
import { ICONS } from "../icons";
import { NO_REGION } from "../regions";
import type { Stage } from "../stage";
import type { State } from "../state";
import { type Sort, Sorter, type TableColumn, columnsOf, listItems, nextSort, shownKind } from "../table";
import { TableGrid } from "../tablegrid";
import { resizeGrip } from "../tablegrip";
import { domainColour } from "../themes";
import type { Panel, PanelHost, PanelKind } from "./panel";
import "../table.css";

class TableView implements Panel {
  onToggle: (open: boolean) => void = () => {};
  readonly element: HTMLElement;
  private readonly content: Content;
  private readonly state: State;
  private readonly stage: Stage;
  private readonly grid: TableGrid;
  private readonly sorter: Sorter;
  private readonly kinds = make("div", { class: "kinds", role: "tablist", "aria-label": "Kinds" });
  private readonly about = make("p", { class: "about" });
  private readonly again = button("List this view", ICONS.again, () => this.update(), { class: "again", hidden: true });
  private readonly menu: HTMLDetailsElement;
  private readonly panel: HTMLElement;
  private readonly empty = make("p", { class: "hint", hidden: true });
  private listed: Uint32Array[] | null = null;
  private kind = 0; // of the rows
  private request = 0;
  private heldView: View | null = null; // which the table itself has asked for

  constructor(private readonly host: PanelHost) {
    const { root, content, state, stage } = host;
    this.content = content;
    this.state = state;
    this.stage = stage;
    this.again.append(make("span", {}, "List this view"));
    this.sorter = new Sorter(content);
    this.grid = new TableGrid(content, state, stage, { choose: (item) => this.choose(item), sortBy: (column) => this.sortBy(column) });
    this.menu = make("details", { class: "menu" }, make("summary", {}, "Export"), make("div", { class: "choices" }));
    this.menu.addEventListener("toggle", () => this.menu.open && this.writeMenu());
    this.menu.addEventListener("focusout", (event) => {
      if (event.relatedTarget instanceof Node && !this.menu.contains(event.relatedTarget)) this.menu.open = false;
    });
    this.panel = make("div", { class: "listed", role: "tabpanel", id: uniqueId("listed") }, this.grid.element, this.empty);
    const head = make("header", {}, this.kinds, this.about, this.again, this.menu, button("Close the table", ICONS.close, () => this.toggle(), { class: "close" }));
    this.element = make("section", { class: "table", "aria-label": "Table", hidden: true }, resizeGrip(root), head, this.panel);
    this.element.addEventListener("keydown", (event) => this.onKey(event));
    this.kinds.addEventListener("keydown", (event) => this.onKindKey(event));
    state.table.on(() => this.apply());
    state.selection.on(() => this.update());
    state.hidden.on(() => this.update());
    state.passing.on(() => this.update());
    state.theme.on(() => this.open && this.writeKinds());
  }

  get open(): boolean {
    return this.state.table.value.open;
  }

  toggle(): void {
    const { table } = this.state;
    table.value = { ...table.value, open: !this.open };
    if (this.open) this.grid.element.focus({ preventScroll: true });
    else this.host.leave();
  }

  /** List what is selected or in view now. */
  update(): void {
    if (!this.open) return;
    this.heldView = null;
    this.listed = listItems(this.content, this.state.selection.value, this.stage.camera.box(), this.stage.isShown);
    void this.show();
  }

  /** Follow the view, once it has come to rest; not where the table itself has led, or its rows would be gone. */
  onRest(): void {
    if (!this.open || this.state.selection.value.length) return;
    const { camera } = this.stage;
    if (!this.heldView || !sameView(this.heldView, camera.view)) return this.update();
    this.again.hidden = false;
    this.tell();
  }

  /** Draw the thumbnails that had not been loaded before. */
  paint(): void {
    if (this.open) this.grid.paint();
  }

  private apply(): void {
    const { open } = this;
    if (open === this.element.hidden) {
      this.element.hidden = !open;
      this.host.root.toggleAttribute("data-table", open);
      this.stage.resize();
      this.listed = null;
      this.closeMenu();
      this.onToggle(open);
    }
    if (!open) {
      this.request++; // what is being sorted is not shown
      this.grid.items = new Uint32Array(); // the next time it starts from the top
    }
    if (open && this.listed) void this.show();
    else if (open) this.update();
  }

  private async show(): Promise<void> {
    const { table } = this.state;
    const listed = this.listed!;
    const kind = shownKind(listed, table.value.kind);
    if (!(table.value.kind in listed)) return void (table.value = { ...table.value, kind }); // which shows it
    const domain = this.content.domains[kind];
    const sort = columnsOf(this.content, domain).some(({ key }) => key === table.value.sort?.key) ? table.value.sort : null;
    const request = ++this.request;
    const busy = window.setTimeout(() => this.tell("Sorting …"), 100);
    const items = await this.sorter.sorted(domain, listed[kind], sort);
    clearTimeout(busy);
    if (request !== this.request) return;
    this.kind = kind;
    const relisted = focusedIn(this.again) !== null;
    this.again.hidden = true;
    this.closeMenu();
    this.writeKinds();
    this.tell();
    this.empty.hidden = items.length > 0;
    this.empty.textContent = this.state.selection.value.length ? "None of the selected items is shown." : "Nothing is in view.";
    this.grid.element.hidden = !items.length;
    this.grid.show(domain, items, sort);
    this.element.dataset.rows = String(items.length);
    if (relisted) (items.length ? this.grid.element : this.kinds.querySelector<HTMLElement>("[aria-selected=true]"))?.focus({ preventScroll: true });
  }

  /** Say what is listed. */
  private tell(now?: string): void {
    const { selection, region } = this.state;
    const chosen = region.value === NO_REGION ? "Selected" : singleLine(this.content.regions.all[region.value].name);
    this.about.textContent = now ?? (selection.value.length ? chosen : this.again.hidden ? "In view" : "In the previous view");
    this.about.title = this.about.textContent;
    if (now) this.element.setAttribute("aria-busy", "true");
    else this.element.removeAttribute("aria-busy");
  }

  private writeKinds(): void {
    const { domains } = this.content;
    const focused = focusedIn(this.kinds) !== null;
    const tabs = domains.map((domain, kind) => {
      const chosen = kind === this.kind;
      const count = this.listed?.[kind].length ?? 0;
      const tab = make(
        "button",
        { type: "button", role: "tab", disabled: !count && !chosen, id: `${this.panel.id}-${kind}`, "aria-controls": this.panel.id, "aria-selected": String(chosen), tabindex: chosen ? 0 : -1 },
        swatch(domainColour(this.state.theme.value, kind), kind),
        make("span", { class: "name" }, singleLine(domain.about.name)),
        make("span", { class: "count" }, formatCount(count)),
      );
      tab.addEventListener("click", () => this.chooseKind(kind));
      return tab;
    });
    this.kinds.replaceChildren(...tabs);
    this.panel.setAttribute("aria-labelledby", tabs[this.kind].id);
    if (focused) tabs[this.kind].focus({ preventScroll: true });
    tabs[this.kind].scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /** Show another kind, sorted in the same way where that is possible. */
  private chooseKind(kind: number): void {
    const { table } = this.state;
    const kept = table.value.sort && /\D/.test(table.value.sort.key) ? table.value.sort : null; // columns of the data are others
    table.value = { ...table.value, kind, sort: kept };
  }

  private onKindKey(event: KeyboardEvent): void {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    const count = this.content.domains.length;
    for (let kind = (this.kind + step + count) % count; kind !== this.kind; kind = (kind + step + count) % count) {
      if (this.listed?.[kind].length) return this.chooseKind(kind);
    }
  }

  private async sortBy(column: TableColumn): Promise<void> {
    const { table } = this.state;
    const sort: Sort | null = nextSort(table.value.sort, column.key);
    table.value = { ...table.value, kind: this.kind, sort };
    await this.sorter.sorted(this.content.domains[this.kind], new Uint32Array(), sort); // when its keys are there
    this.host.announce(this.grid.told(sort));
  }

  private choose(item: number): void {
    this.host.go(item);
    this.heldView = this.stage.camera.aim;
  }

  private onKey(event: KeyboardEvent): void {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    if (!this.menu.open) return this.toggle();
    this.closeMenu();
  }

  /** Close the menu; what was focused in it is gone, but its button is not. */
  private closeMenu(): void {
    if (focusedIn(this.menu)) this.menu.querySelector("summary")?.focus({ preventScroll: true });
    this.menu.open = false;
  }

  private writeMenu(): void {
    const { content, grid } = this;
    const domain = content.domains[this.kind];
    const { name, thumbnails, pictures } = domain.about;
    const choice = (text: string, act: () => void) => {
      const chosen = () => {
        this.closeMenu();
        act();
      };
      return make("button", { type: "button", click: chosen }, text);
    };
    const rows = formatCount(grid.items.length);
    const parts: HTMLElement[] = [choice(`Items: ${rows} of ${singleLine(name)}, as CSV`, () => download("items.csv", ...itemsCsv(content, domain, grid.items)))];
    if (content.hasLinks) parts.push(choice("Their links, as CSV", () => download("links.csv", ...linksCsv(content, grid.items))));
    if (thumbnails || pictures) {
      const whole = this.state.passing.value ? null : content.regions.nameOfOne(this.state.region.value); // filters leave a part of it
      const command = copyCommand(whole, mapBeside(location.pathname));
      const hint = isPlain(whole) ? "This command copies the pictures of the region:" : "Save the items first; then this command copies their pictures:";
      parts.push(make("p", {}, hint), make("code", {}, command), choice("Copy the command", () => void this.copy(command)));
    }
    this.menu.querySelector(".choices")!.replaceChildren(...parts);
  }

  private async copy(command: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(command);
      this.host.flash("Command copied");
    } catch {
      this.host.flash(command); // to be read, where a browser lets nobody copy
    }
  }

  destroy(): void {
    this.request++;
    this.grid.destroy();
  }
}

function sameView(one: View, other: View): boolean {
  const near = 0.5 / other.k; // half a pixel
  return Math.abs(one.x - other.x) < near && Math.abs(one.y - other.y) < near && Math.abs(one.k / other.k - 1) < 1e-3;
}

export const table: PanelKind = {
  name: "table",
  place: "below",
  button: {
    label: "Table",
    icon: "M4 5h16v14H4zM4 10h16M4 14.500h16M10 10v9",
    key: "t",
    help: [
      ["T", "list what is selected or in view in a table, to sort and to export"],
      ["Click or tap the name of a region", "select what is in it"],
    ],
  },
  make: (host) => new TableView(host),
};
