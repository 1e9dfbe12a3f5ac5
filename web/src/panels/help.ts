// The help: what the pointer and the keys do.

import { make } from "../dom";
import { type PanelHost, type PanelKind, dialog } from "./panel";

type Lines = [keys: string, what: string][];

const MOVING: Lines = [
  ["Drag, arrow keys", "move"],
  ["Wheel, two fingers, double click, + and −", "zoom"],
  ["0", "show the whole map"],
  ["Point at an item", "enlarge it and show its links"],
  ["Click or tap an item, or Enter for the one in the middle", "pin it: why it is here, and its links; again for the next at the same place"],
  ["/", "search"],
];
const SELECTING: Lines = [
  ["Shift and drag, or L", "draw a lasso"],
  ["B", "draw a box"],
  ["Ctrl while drawing", "add to the selection"],
];
const RETURNING: Lines = [
  ["N", "show all names that fit on a map of pictures, or a few"],
  ["D", "switch between light and dark"],
  ["Back and forward", "return to earlier views"],
  ["Escape", "close, deselect"],
];

export const help: PanelKind = {
  name: "help",
  place: "dialog",
  button: { label: "Help", icon: "M9 9a3 3 0 115 2.200c-1.400 1-2 1.500-2 3M12 18v.2", key: "?", help: [["?", "show this help"]] },
  make: ({ kinds }: PanelHost) => {
    const others = kinds.filter((kind) => kind !== help);
    const linesOf = (chosen: readonly PanelKind[]) => chosen.flatMap(({ button }) => button?.help ?? []);
    const lines = [
      ...MOVING,
      ...linesOf(others.filter(({ place }) => place !== "dialog")),
      ...SELECTING,
      ...linesOf(others.filter(({ place }) => place === "dialog")),
      ...RETURNING,
      ...linesOf([help]),
    ];
    return dialog(
      "help",
      "How to use this map",
      make("p", {}, "Similar items are close to each other, and so are linked items. Small distances mean more than large ones."),
      make("dl", {}, ...lines.flatMap(([keys, what]) => [make("dt", {}, keys), make("dd", {}, what)])),
    );
  },
};
