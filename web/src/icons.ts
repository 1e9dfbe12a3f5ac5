// Line drawings for buttons, 24 by 24.

export const ICONS = {
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  whole: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
  lasso: "M12 4c5 0 8 2.4 8 5.6s-3 5.6-8 5.6-8-2.400-8-5.600S7 4 12 4zM8 15c-1.500.5-2 3 0 3.500s2 2-.5 2.500",
  box: "M5 8V5h3M11 5h2M16 5h3v3M19 11v2M19 16v3h-3M13 19h-2M8 19H5v-3M5 13v-2",
  light: "M12 8a4 4 0 100 8 4 4 0 000-8zM12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M19 5l-2 2M7 17l-2 2",
  again: "M20 11a8 8 0 10-2.300 6.300M20 5v6h-6",
  play: "M8 5l11 7-11 7z",
  turn: "M9 6l6 6-6 6",
  close: "M6 6l12 12M18 6L6 18",
} as const;
