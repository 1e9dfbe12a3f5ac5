// The number of device pixels for each pixel of the page, which changes when a window is moved to another screen or the
// page is zoomed; the size of an element need not change with it.

/** Calls `act` after every change until the signal aborts. */
export function onDensityChange(act: () => void, signal: AbortSignal): void {
  if (signal.aborted) return;
  // a query is about one density, so that each change needs a new one
  const query = matchMedia(`(resolution: ${devicePixelRatio}dppx)`);
  const changed = () => {
    act();
    onDensityChange(act, signal);
  };
  query.addEventListener("change", changed, { once: true, signal });
}
