// The dialog about the map: what is in it, and how far it can be trusted.

import type { About, Content, ReportLine } from "./content";
import { button, make, uniqueId } from "./dom";
import { formatCount, plural, singleLine } from "./format";
import { ICONS } from "./icons";

/** What the map shows: how many items of each kind, and how many links. */
export function facts(about: About): [string, string][] {
  const kinds = about.domains.map(({ name, count }): [string, string] => [singleLine(name), plural(count, "item")]);
  const links = about.relations.map(({ a, b, links }): [string, string] => {
    const ends = [a, b].map((index) => singleLine(about.domains[index].name));
    return [a === b ? `among ${ends[0]}` : ends.join(" and "), plural(links, "link")];
  });
  return [...kinds, ...links];
}

/** Of how many items the scores are, in words. */
export function basis(about: About): string {
  const { report } = about;
  if (!report) return "";
  if (report.sample !== null) return `Scores of a sample of ${formatCount(report.sample)} items of each kind.`;
  const coloured = about.domains.some((domain) => domain.placed !== null);
  return coloured ? "Scores of all items; to see where the map is good, colour it by “How well placed”." : "Scores of all items.";
}

export class Information {
  readonly element: HTMLDialogElement;

  constructor(content: Content) {
    const { about } = content;
    const title = uniqueId("information");
    const rows = facts(about).flatMap(([what, count]) => [make("dt", {}, what), make("dd", {}, count)]);
    this.element = make(
      "dialog",
      { class: "help information", "aria-labelledby": title },
      make(
        "header",
        {},
        make("h2", { id: title }, singleLine(about.title)),
        button("Close", ICONS.close, () => this.element.close(), { class: "close" }),
      ),
      make("dl", {}, ...rows),
      ...card(about),
    );
  }

  toggle(): void {
    if (this.element.open) this.element.close();
    else this.element.showModal();
  }
}

function card(about: About): HTMLElement[] {
  if (!about.report) return [];
  return [
    make("h3", {}, "How far can I trust this map?"),
    make("ul", { class: "scores" }, ...about.report.lines.map(score)),
    make("p", { class: "hint" }, basis(about)),
  ];
}

function score({ title, value, sentence }: ReportLine): HTMLElement {
  const filled = make("span", {});
  filled.style.width = `${100 * Math.min(1, Math.max(0, value))}%`;
  return make(
    "li",
    {},
    make("div", { class: "score" }, make("span", { class: "name" }, singleLine(title)), make("strong", {}, value.toFixed(2))),
    make("div", { class: "gauge", "aria-hidden": "true" }, filled),
    make("p", {}, sentence),
  );
}
