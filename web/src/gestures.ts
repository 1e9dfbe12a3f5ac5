// Pointer gestures on the map: drag, pinch, wheel, click, draw a lasso or a box.

import type { Camera } from "./camera";

export type Mode = "pan" | "lasso" | "box";
export type Corner = [number, number];

interface GestureHandlers {
  mode(): Mode;
  hover(px: number, py: number): void;
  leave(): void;
  click(px: number, py: number): void;
  firstClick(): number; // of what may be a double click; returns what is pinned
  zoomIn(px: number, py: number, pinned: number): void; // `pinned` is what was pinned before the first of the two clicks
  outline(corners: Corner[]): void; // of what is being drawn, in pixels
  enclose(corners: Corner[], add: boolean): void;
}

const CLICK_SLOP = 5; // pixels that the pointer may move during a click
const TAP_SLOP = 40; // pixels between two taps of a finger that browsers take for a double click
const DOUBLE_CLICK = 500; // most milliseconds between the clicks of a double click

/** What is being drawn with the pointer. */
export interface Drawing {
  readonly active: boolean;
  /** Give it up; false where nothing is being drawn. */
  cancel(): boolean;
}

export function listenToGestures(stage: HTMLElement, camera: Camera, handlers: GestureHandlers): Drawing {
  const pointers = new Map<number, Corner>();
  let began: Corner = [0, 0];
  let moved = false;
  let drawing: Corner[] | null = null;
  let [before, clickedAt] = [-1, -Infinity];
  let clicked: Corner = [0, 0];

  const at = (event: PointerEvent | WheelEvent | MouseEvent): Corner => {
    const box = stage.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };

  stage.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    stage.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, at(event));
    camera.stop();
    if (pointers.size === 1) {
      began = at(event);
      moved = false;
      drawing = handlers.mode() !== "pan" || event.shiftKey ? [began] : null;
    } else {
      drawing = null;
      moved = true;
    }
  });

  stage.addEventListener("pointermove", (event) => {
    const now = at(event);
    const before = pointers.get(event.pointerId);
    if (!before) {
      if (event.pointerType !== "touch") handlers.hover(...now);
      return;
    }
    if (Math.hypot(now[0] - began[0], now[1] - began[1]) > CLICK_SLOP) moved = true;
    if (drawing && moved) {
      extend(drawing, began, now, handlers.mode());
      handlers.outline(drawing);
    } else if (pointers.size === 2) {
      pinch(camera, pointers, event.pointerId, now);
    } else if (moved) {
      camera.pan(now[0] - before[0], now[1] - before[1]);
    }
    pointers.set(event.pointerId, now);
  });

  const end = (event: PointerEvent, cancelled: boolean) => {
    if (!pointers.delete(event.pointerId)) return;
    if (drawing) {
      handlers.outline([]);
      if (!cancelled && moved && drawing.length > 2) handlers.enclose(drawing, event.ctrlKey || event.metaKey);
      drawing = null;
    }
    if (cancelled || moved || pointers.size) return;
    const now = at(event);
    const slop = event.pointerType === "touch" ? TAP_SLOP : CLICK_SLOP;
    const elsewhere = Math.hypot(now[0] - clicked[0], now[1] - clicked[1]) > slop;
    if (elsewhere || event.timeStamp - clickedAt > DOUBLE_CLICK) before = handlers.firstClick();
    [clicked, clickedAt] = [now, event.timeStamp];
    handlers.click(...now);
  };
  stage.addEventListener("pointerup", (event) => end(event, false));
  stage.addEventListener("pointercancel", (event) => end(event, true));
  stage.addEventListener("pointerleave", () => pointers.size === 0 && handlers.leave());
  stage.addEventListener("dblclick", (event) => handlers.zoomIn(...at(event), before));
  stage.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
      camera.zoom(Math.exp(-Math.max(-240, Math.min(240, event.deltaY * lines)) * (event.ctrlKey ? 0.01 : 0.0022)), ...at(event));
    },
    { passive: false },
  );
  return {
    get active() {
      return drawing !== null;
    },
    cancel() {
      if (!drawing) return false;
      drawing = null;
      pointers.clear(); // the rest of the movement does nothing
      handlers.outline([]);
      return true;
    },
  };
}

function extend(drawing: Corner[], began: Corner, now: Corner, mode: Mode): void {
  if (mode === "box") {
    drawing.length = 0;
    drawing.push(began, [now[0], began[1]], now, [began[0], now[1]]);
  } else {
    const last = drawing[drawing.length - 1];
    if (Math.hypot(now[0] - last[0], now[1] - last[1]) > 3) drawing.push(now);
  }
}

function pinch(camera: Camera, pointers: Map<number, Corner>, id: number, now: Corner): void {
  const before = pointers.get(id)!;
  const [, other] = [...pointers].find(([key]) => key !== id)!;
  const factor = Math.hypot(now[0] - other[0], now[1] - other[1]) / Math.max(1, Math.hypot(before[0] - other[0], before[1] - other[1]));
  camera.pan((now[0] - before[0]) / 2, (now[1] - before[1]) / 2);
  camera.zoom(factor, (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
}
