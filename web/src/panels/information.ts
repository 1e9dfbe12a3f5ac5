// The dialog about the map: what is in it, and how far it can be trusted.

import type { About } from "../content";
import { make } from "../dom";
import { formatCount, formatShare, plural, singleLine } from "../format";
import { type Panel, type PanelHost, type PanelKind, dialog } from "./panel";

/** A score of the report card. */
interface ReportLine {
  title: string;
  value: number;
  sentence: string;
}

/** A region that is not as it was in the map before. */
interface RegionChange {
  name: string;
  level: number; // of the overview, 0
  state: "kept" | "new" | "gone";
  joined: Record<string, number>; // how many items of each kind came
  left: Record<string, number>;
  because: { kind: string; name: string; items: number }[];
}

declare module "../content" {
  interface About {
    changes?: { sentences: string[]; regions: RegionChange[] } | null; // since the map that this one continues
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

/** What happened to a region, in words. */
export function told({ state, joined, left, because }: RegionChange): string {
  const counted = (counts: Record<string, number>) => Object.entries(counts).map(([kind, count]) => plural(count, singleLine(kind))).join(", ");
  const parts = [
    state === "kept" ? "" : state,
    Object.keys(joined).length ? `${counted(joined)} came` : "",
    Object.keys(left).length && state !== "gone" ? `${counted(left)} went` : "",
    because.length ? `because of ${because.map(({ kind, name }) => `the ${singleLine(kind)} “${singleLine(name)}”`).join(", ")}` : "",
  ];
  return parts.filter(Boolean).join(", ").replace(", because", " because");
}

/** What changed since the map before, as a section; a region that is still there is a click away. */
function changed(host: PanelHost, close: () => void): HTMLElement[] {
  const { content } = host;
  const { changes } = content.about;
  if (!changes) return [];
  const rows = changes.regions.map((region) => {
    const at = content.regions.all.findIndex((each) => each.name === region.name && each.depth === region.level);
    const go = () => {
      close();
      host.goToRegion(at);
    };
    const name = singleLine(region.name) || "a region without a name";
    const link = at < 0 || region.state === "gone" ? name : make("button", { type: "button", class: "region-link", click: go }, name);
    return make("li", {}, link, `: ${told(region)}`);
  });
  return [
    make("h3", {}, "What changed since the map before?"),
    ...changes.sentences.map((sentence) => make("p", {}, singleLine(sentence))),
    ...(rows.length ? [make("ul", { class: "changes" }, ...rows)] : []),
  ];
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
  make: (host) => {
    const { about } = host.content;
    const meaning = meaningOfShares(about);
    const rows = facts(about).flatMap(([what, count]) => [make("dt", {}, what), make("dd", {}, count)]);
    const hint = meaning ? make("p", { class: "hint" }, meaning) : null;
    const panel: Panel = dialog("help information", singleLine(about.title), make("dl", {}, ...rows), hint, ...changed(host, () => panel.toggle()), ...card(about));
    return panel;
  },
};
