"""The colours of a figure."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Theme:
    """Colours of the background, of text and of the domains in turn."""

    ground: str
    ink: str
    domains: tuple[str, ...]

    def colour(self, index: int) -> str:
        """Return the colour of a domain."""
        return self.domains[index % len(self.domains)]


LIGHT = Theme("#ffffff", "#1c1c28", ("#5b7db1", "#1f7a48", "#c2663b", "#8455a8", "#a8841f", "#4c4c57"))
DARK = Theme("#14151c", "#ececf2", ("#7ea3dc", "#7fdca8", "#f0a47d", "#c49be6", "#e6cc73", "#b9b9c6"))
THEMES = {"light": LIGHT, "dark": DARK}
