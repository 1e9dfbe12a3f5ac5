// The help dialog.

import { button, make, uniqueId } from "./dom";
import { ICONS } from "./icons";

const ACTIONS: [string, string][] = [
  ["Drag, arrow keys", "move"],
  ["Wheel, two fingers, double click, + and −", "zoom"],
  ["0", "show the whole map"],
  ["Point at an item", "enlarge it and show its links"],
  ["Click or tap an item, or Enter for the one in the middle", "pin it: why it is here, and its links; again for the next at the same place"],
  ["/", "search"],
  ["C", "list the contents of the map: its regions and their parts"],
  ["T", "list what is selected or in view in a table, to sort and to export"],
  ["Click or tap the name of a region", "select what is in it"],
  ["F", "filter by what is known of the items; arrow keys move the ends of a histogram's brush"],
  ["Shift and drag, or L", "draw a lasso"],
  ["B", "draw a box"],
  ["Ctrl while drawing", "add to the selection"],
  ["I", "tell what is in this map, and how far it can be trusted"],
  ["D", "switch between light and dark"],
  ["Back and forward", "return to earlier views"],
  ["Escape", "close, deselect"],
  ["?", "show this help"],
];

export class Help {
  readonly element: HTMLDialogElement;

  constructor() {
    const title = uniqueId("help");
    const rows = ACTIONS.flatMap(([keys, what]) => [make("dt", {}, keys), make("dd", {}, what)]);
    this.element = make(
      "dialog",
      { class: "help", "aria-labelledby": title },
      make("header", {}, make("h2", { id: title }, "How to use this map"), button("Close", ICONS.close, () => this.element.close(), { class: "close" })),
      make("p", {}, "Similar items are close to each other, and so are linked items. Small distances mean more than large ones."),
      make("dl", {}, ...rows),
    );
  }

  toggle(): void {
    if (this.element.open) this.element.close();
    else this.element.showModal();
  }
}
