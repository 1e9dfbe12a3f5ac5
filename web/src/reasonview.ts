// "Why is this here?" in the panel: what an item is tied to by vector, by links and on the map, and the ties that the
// map does not honour, which are drawn as strings.

import type { Content } from "./content";
import { make } from "./dom";
import { formatShare, plural, singleLine } from "./format";
import { ReasonSource, type Reasons, type Tie, placedBetterThan, shownReasons } from "./reasons";
import type { Stage } from "./stage";
import { NO_ITEM, type State } from "./state";

const COUNT = 6; // nearest items on the map that are listed; as many ties of each sort are stored
const SMALL_SHARE = 0.01; // below which a share is told with a digit more
const SILENCE = 20_000; // milliseconds after which Python seems not to answer
const STRINGS = { light: "#c2410c", dark: "#ffa46b" };

type EntryMaker = (item: number, note: string | null) => HTMLElement;

/** A share that may be small: 34 %, 3 %, 0.4 %. */
export function formatTie(share: number): string {
  return share < SMALL_SHARE ? `${(100 * share).toFixed(1)} %` : `${Math.round(100 * share)} %`;
}

/** What draws an item to its place, as a sentence: its own kind by likeness, the others by links. */
export function heldBy(content: Content, item: number, { byKind }: Reasons, alike: string): string {
  const own = content.domainOf[item];
  const parts = byKind
    .map((share, kind) => ({ share, kind }))
    .filter(({ share }) => share >= 0.005)
    .sort((a, b) => b.share - a.share)
    .map(({ share, kind }) => {
      const name = singleLine(content.domains[kind].about.name);
      if (kind !== own) return `links to ${name} (${formatShare(share)})`;
      return `${alike === "vector" ? "likeness" : alike} within ${name} (${formatShare(share)})`;
    });
  if (!parts.length) return "Nothing draws it anywhere: it has neither a vector nor a link that counts.";
  return `Held by ${parts.join(" and by ")}.`;
}

/** The score of an item's place, beside those of its kind: 0.43 of 1, better than 58 % of image; a dash without one. */
export function placement(content: Content, item: number, scores: ArrayLike<number>): string {
  const domain = content.domain(item);
  const own = item - domain.start;
  const share = placedBetterThan(scores, own);
  if (share === null) return Number.isNaN(scores[own]) ? "–" : scores[own].toFixed(2);
  return `${scores[own].toFixed(2)} of 1, better than ${formatShare(share)} of ${singleLine(domain.about.name)}`;
}

/** The ties that the map does not honour, as a sentence; empty where there is none. `left` ties are not shown. */
export function strained({ alike, linked, left = 0 }: Reasons & { left?: number }): string {
  const ties = [...alike, ...linked];
  const far = ties.filter((tie) => tie.far).length;
  const shown = left ? " that are shown" : "";
  if (!far) return ties.length ? `The map honours all of its strongest ties${shown}.` : "";
  return `The map does not honour ${far} of its ${plural(ties.length, "strongest tie")}${shown}: see the dashed ${far > 1 ? "lines" : "line"}.`;
}

/** How many ties are not listed, as a sentence. */
export function leftOut(ties: number): string {
  return ties === 1 ? "1 strong tie is to an item that is not shown." : `${plural(ties, "strong tie")} are to items that are not shown.`;
}

export class ReasonView {
  private readonly source: ReasonSource | null;
  private shown: { item: number; ties: Tie[] } = { item: NO_ITEM, ties: [] };

  constructor(
    private readonly content: Content,
    private readonly state: State,
    private readonly stage: Stage,
    private readonly entry: EntryMaker,
    private readonly painted: () => void,
  ) {
    const about = content.about.reasons ?? null;
    this.source = about && new ReasonSource(content, about);
    stage.onHighlight = (context, item) => {
      if (item === this.shown.item && item === state.pinned.value) this.drawStrings(context, item);
    };
  }

  /** The section about an item, which fills itself when its part has come; null where the map knows no reasons. */
  section(item: number): HTMLElement | null {
    const { source, content } = this;
    if (!source) return null;
    this.shown = { item, ties: [] };
    const section = make("section", { class: "reasons", "aria-busy": "true" }, make("h3", {}, "Why is this here?"));
    const hint = make("p", { class: "hint" }, "Computing …");
    section.append(hint);
    const silence = () => {
      hint.textContent = "Python is not answering: it is busy or not running.";
      section.removeAttribute("aria-busy");
    };
    const silent = content.about.source === "notebook" ? window.setTimeout(silence, SILENCE) : 0;
    const found = source.of(item).finally(() => clearTimeout(silent));
    found.then(
      (all) => {
        if (this.state.pinned.value !== item) return;
        const reasons = shownReasons(all, this.stage.isShown);
        this.shown = { item, ties: [...reasons.alike, ...reasons.linked].filter((tie) => tie.far) };
        const alike = source.about.alike[content.domainOf[item]];
        const sentences = [heldBy(content, item, reasons, alike), strained(reasons)].filter(Boolean);
        section.replaceChildren(
          make("h3", {}, "Why is this here?"),
          ...sentences.map((sentence) => make("p", {}, sentence)),
          make(
            "div",
            { class: "columns" },
            this.column(`By ${alike}`, reasons.alike),
            this.column("By links", reasons.linked),
            this.nearest(item, reasons),
          ),
          ...(reasons.left ? [make("p", { class: "hint" }, leftOut(reasons.left))] : []),
        );
        section.removeAttribute("aria-busy");
        this.painted();
        this.stage.requestDecorations();
      },
      () => section.remove(), // the panel lists links as before
    );
    return section;
  }

  private column(title: string, ties: Tie[]): HTMLElement {
    const rows = ties.map((tie) => {
      const row = make("li", { class: tie.far ? "far" : "" }, this.entry(tie.item, `${formatTie(tie.share)}${tie.far ? " · far" : ""}`));
      if (tie.far) {
        const kind = singleLine(this.content.domain(tie.item).about.name);
        row.firstElementChild?.setAttribute("title", `${singleLine(this.content.name(tie.item))}: ${plural(tie.nearer, `${kind} item`)} nearer`);
      }
      return row;
    });
    return make("div", {}, make("h4", {}, title), rows.length ? make("ul", {}, ...rows) : make("p", { class: "hint" }, "none"));
  }

  private nearest(item: number, { alike, linked }: Reasons): HTMLElement {
    const tied = new Map([...alike.map((tie) => [tie.item, "alike"] as const), ...linked.map((tie) => [tie.item, "linked"] as const)]);
    for (const link of this.content.links.of(item)) tied.set(link.item, "linked");
    const rows = this.stage.nearestTo(item, COUNT).map((other) => make("li", {}, this.entry(other, tied.get(other) ?? null)));
    return make("div", {}, make("h4", {}, "On the map"), make("ul", {}, ...rows));
  }

  private drawStrings(context: CanvasRenderingContext2D, item: number): void {
    const { stage, content } = this;
    const { camera, sheets, marks } = stage;
    const theme = this.state.theme.value;
    const ties = this.shown.ties.filter((tie) => stage.isShown(tie.item));
    const at = (other: number): [number, number] => [camera.screenX(content.x[other]), camera.screenY(content.y[other])];
    const [fromX, fromY] = at(item);
    const string = (tie: Tie) => {
      const [x, y] = at(tie.item);
      const start = Math.min(1, (0.8 * stage.markSize(item)) / Math.max(1, Math.hypot(x - fromX, y - fromY))); // not over its picture
      context.beginPath();
      context.moveTo(fromX + start * (x - fromX), fromY + start * (y - fromY));
      context.lineTo(x, y);
      context.stroke();
    };
    context.save();
    context.lineWidth = 3;
    context.strokeStyle = theme.background; // in place of the line of a link
    ties.forEach(string);
    context.lineWidth = 2;
    context.strokeStyle = STRINGS[theme.name === "dark" ? "dark" : "light"];
    context.setLineDash([7, 5]);
    ties.forEach(string);
    context.setLineDash([]);
    const named: number[] = [];
    for (const tie of ties) {
      const [x, y] = at(tie.item);
      const domain = content.domain(tie.item);
      if (domain.about.thumbnails && sheets.has(tie.item) && sheets.paint(context, tie.item, x, y, stage.markSize(tie.item))) continue;
      context.beginPath();
      context.arc(x, y, 5, 0, 2 * Math.PI);
      context.fillStyle = theme.background;
      context.fill();
      context.stroke();
      if (domain.names && !domain.about.thumbnails) named.push(tie.item);
    }
    context.restore();
    if (named.length) marks.drawNamesOf(context, camera, theme, named, []);
  }
}
