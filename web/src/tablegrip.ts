// The upper edge of the table, by which its height is changed: with a pointer, or with arrow keys.

import { make } from "./dom";

const [SMALLEST, LARGEST] = [15, 80]; // per cent of the whole
const STEP = 5;
const AT_FIRST = { wide: 38, narrow: 46 };
const NARROW = 640; // pixels; as in narrow.css

/** An edge that sets two properties of `root`: how high the table is and, when the edge rests, what the map leaves free. */
export function resizeGrip(root: HTMLElement): HTMLElement {
  const grip = make("div", {
    class: "grip",
    role: "separator",
    tabindex: 0,
    "aria-label": "Height of the table",
    "aria-orientation": "horizontal",
    "aria-valuemin": SMALLEST,
    "aria-valuemax": LARGEST,
  });
  let share = root.clientWidth <= NARROW ? AT_FIRST.narrow : AT_FIRST.wide;
  const stretch = (to: number) => {
    share = Math.min(LARGEST, Math.max(SMALLEST, to));
    root.style.setProperty("--table", `${share}%`);
    grip.setAttribute("aria-valuenow", String(Math.round(share)));
  };
  // drawing the map takes longer than a frame where it has many items: it waits until the edge rests
  const rest = () => root.style.setProperty("--beside", `${share}%`);
  grip.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    grip.setPointerCapture(event.pointerId);
  });
  grip.addEventListener("pointermove", (event) => {
    if (!grip.hasPointerCapture(event.pointerId)) return;
    const { bottom, height } = root.getBoundingClientRect();
    stretch((100 * (bottom - event.clientY)) / height);
  });
  for (const end of ["pointerup", "pointercancel"]) grip.addEventListener(end, rest);
  grip.addEventListener("keydown", (event) => {
    const step = { ArrowUp: STEP, ArrowDown: -STEP }[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    stretch(share + step);
    rest();
  });
  stretch(share);
  rest();
  return grip;
}
