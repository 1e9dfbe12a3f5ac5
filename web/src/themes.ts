// Colours of the map; those of the panels are in base.css.

export interface Theme {
  name: "light" | "dark";
  background: string;
  muted: string; // of items without a value
  domains: string[];
}

export const THEMES: Record<"light" | "dark", Theme> = {
  light: {
    name: "light",
    background: "#ffffff",
    muted: "#c9c9d2",
    domains: ["#5373a6", "#1f7a48", "#b5562c", "#8455a8", "#8a6a10", "#4c4c57", "#a8325e", "#0f7482", "#5d6e1e", "#3a4fc2"],
  },
  dark: {
    name: "dark",
    background: "#14151c",
    muted: "#484a57",
    domains: ["#7ea3dc", "#7fdca8", "#f0a47d", "#c49be6", "#e6cc73", "#b9b9c6", "#f291b2", "#6fd6e0", "#bcd46a", "#9aa8ff"],
  },
};

export function domainColour(theme: Theme, index: number): string {
  return theme.domains[index % theme.domains.length];
}

/** Ten colours for categories, which also differ in lightness, and one for all others. */
export const CATEGORIES = [
  "#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#b07aa1", "#76b7b2", "#edc948", "#9c755f", "#ff9da7", "#2f6f6f",
];
export const OTHER = "#8d8d99";

// Viridis (van der Walt and Smith) at nine even steps.
const RAMP = ["#440154", "#472d7b", "#3b528b", "#2c728e", "#21918c", "#28ae80", "#5ec962", "#addc30", "#fde725"];

/** The colour of the ramp at a share between 0 and 1. */
export function rampColour(share: number): string {
  const at = Math.min(1, Math.max(0, share)) * (RAMP.length - 1);
  const low = Math.min(RAMP.length - 2, Math.floor(at));
  const mixed = [1, 3, 5].map((from) => {
    const [a, b] = [RAMP[low], RAMP[low + 1]].map((colour) => parseInt(colour.slice(from, from + 2), 16));
    return Math.round(a + (b - a) * (at - low));
  });
  return `#${mixed.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}
