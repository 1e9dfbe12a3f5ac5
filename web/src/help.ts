// What one can do, on request.

import { button, make, unique } from "./dom";
import { ICONS } from "./icons";

const ACTIONS: [string, string][] = [
  ["Drag, arrow keys", "move"],
  ["Wheel, two fingers, double click, + and −", "zoom"],
  ["0", "see the whole map"],
  ["Point at something", "see it large, with its links"],
  ["Click or tap, or Enter for what is in the middle", "pin it and list its links; again for another at the same place"],
  ["/", "search"],
  ["Shift and drag, or L", "draw a lasso"],
  ["B", "draw a box"],
  ["Ctrl while drawing", "add to the selection"],
  ["D", "light or dark"],
  ["Back and forward", "go where you were"],
  ["Escape", "close, deselect"],
  ["?", "this help"],
];

export class Help {
  readonly element: HTMLDialogElement;

  constructor() {
    const title = unique("help");
    const rows = ACTIONS.flatMap(([keys, what]) => [make("dt", {}, keys), make("dd", {}, what)]);
    this.element = make(
      "dialog",
      { class: "help", "aria-labelledby": title },
      make("header", {}, make("h2", { id: title }, "How to use this map"), button("Close", ICONS.close, () => this.element.close(), { class: "close" })),
      make("p", {}, "Similar things are close, and linked things are close. Distances mean more nearby than far away."),
      make("dl", {}, ...rows),
    );
  }

  toggle(): void {
    if (this.element.open) this.element.close();
    else this.element.showModal();
  }
}
