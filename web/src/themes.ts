// Colours of what is drawn; those of panels are in style.css.

export interface Theme {
  name: "light" | "dark";
  ground: string;
  soft: string; // names, where colours mean something else
  faint: string; // items that a colouring says nothing about
  domains: string[];
}

export const THEMES: Record<"light" | "dark", Theme> = {
  light: {
    name: "light",
    ground: "#ffffff",
    soft: "#4a4a58",
    faint: "#c9c9d2",
    domains: ["#5b7db1", "#1f7a48", "#b5562c", "#8455a8", "#8a6a10", "#4c4c57", "#a8325e", "#0f7482", "#5d6e1e", "#3a4fc2"],
  },
  dark: {
    name: "dark",
    ground: "#14151c",
    soft: "#c9cad6",
    faint: "#484a57",
    domains: ["#7ea3dc", "#7fdca8", "#f0a47d", "#c49be6", "#e6cc73", "#b9b9c6", "#f291b2", "#6fd6e0", "#bcd46a", "#9aa8ff"],
  },
};

export function domainColour(theme: Theme, index: number): string {
  return theme.domains[index % theme.domains.length];
}

/** For categories: ten colours that differ in lightness too, and one for all further ones. */
export const CATEGORIES = [
  "#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#b07aa1", "#76b7b2", "#edc948", "#9c755f", "#ff9da7", "#2f6f6f",
];
export const OTHER = "#8d8d99";

// Viridis (van der Walt and Smith) at nine even steps.
const RAMP = ["#440154", "#472d7b", "#3b528b", "#2c728e", "#21918c", "#28ae80", "#5ec962", "#addc30", "#fde725"];

/** The colour at a share (0 … 1) of the ramp for numbers. */
export function rampColour(share: number): string {
  const at = Math.min(1, Math.max(0, share)) * (RAMP.length - 1);
  const low = Math.min(RAMP.length - 2, Math.floor(at));
  const mixed = [1, 3, 5].map((from) => {
    const [a, b] = [RAMP[low], RAMP[low + 1]].map((colour) => parseInt(colour.slice(from, from + 2), 16));
    return Math.round(a + (b - a) * (at - low));
  });
  return `#${mixed.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}
