// The dialog about the map: what is in it, and how far it can be trusted.

import type { About } from "../content";
import { make } from "../dom";
import { formatCount, formatShare, plural, singleLine } from "../format";
import { type PanelKind, dialog } from "./panel";

/** A score of the report card. */
interface ReportLine {
  title: string;
  value: number;
  sentence: string;
}

declare module "../content" {
  interface About {
    report: { lines: ReportLine[]; sample: number | null } | null; // of how many items of each kind, where not of all
  }
}

/** What the map shows: how many items of each kind, how many links, and how much each of these counts. */
export function facts(about: About): [string, string][] {
  const weighed = (count: string, share: number | null, has: string) =>
    share === null ? count : `${count}, ${has} ${formatShare(share)} of the weight`;
  const kinds = about.domains.map(({ name, count, share }): [string, string] => [
    singleLine(name),
    weighed(plural(count, "item"), share, "whose likeness has"),
  ]);
  const links = about.relations.map(({ a, b, links, share }): [string, string] => {
    const ends = [a, b].map((index) => singleLine(about.domains[index].name));
    return [a === b ? `among ${ends[0]}` : ends.join(" and "), weighed(plural(links, "link"), share, "with")];
  });
  return [...kinds, ...links];
}

/** What the shares in the facts are shares of, in words. */
export function meaningOfShares(about: About): string {
  const known = [...about.domains, ...about.relations].some(({ share }) => share !== null);
  return known ? "The weight says how much of what draws items together comes from likeness within a kind and how much from links." : "";
}

/** Of how many items the scores are, in words. */
export function basis(about: About): string {
  const { report } = about;
  if (!report) return "";
  if (report.sample !== null) return `Scores of a sample of ${formatCount(report.sample)} items of each kind.`;
  const coloured = about.domains.some((domain) => domain.placed !== null);
  return coloured ? "Scores of all items; to see where the map is good, colour it by “How well placed”." : "Scores of all items.";
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

export const information: PanelKind = {
  name: "information",
  place: "dialog",
  button: {
    label: "About this map",
    icon: "M12 3a9 9 0 100 18 9 9 0 000-18zM12 11v5M12 7.800v.2",
    key: "i",
    help: [["I", "show what is in this map, and how far it can be trusted"]],
  },
  make: ({ content: { about } }) => {
    const meaning = meaningOfShares(about);
    const rows = facts(about).flatMap(([what, count]) => [make("dt", {}, what), make("dd", {}, count)]);
    const hint = meaning ? make("p", { class: "hint" }, meaning) : null;
    return dialog("help information", singleLine(about.title), make("dl", {}, ...rows), hint, ...card(about));
  },
};
