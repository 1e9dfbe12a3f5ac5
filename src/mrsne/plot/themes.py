"""The colours of a figure."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Theme:
    """Colours of the background, of text and of the domains in turn.

    Parameters
    ----------
    ground : str
        The background.
    ink : str
        Text.
    domains : tuple of str
        A colour for each domain, from the first again where there are more.

    See Also
    --------
    mrsne.plot.map_figure : Takes one by its name.
    mrsne.plot.THEMES : Those that there are.

    Examples
    --------
    >>> import mrsne
    >>> mrsne.plot.THEMES["dark"].colour(1)
    '#7fdca8'
    """

    ground: str
    ink: str
    domains: tuple[str, ...]

    def colour(self, index: int) -> str:
        """Return the colour of a domain.

        Parameters
        ----------
        index : int
            Position of the domain in the data.
        """
        return self.domains[index % len(self.domains)]


#: Dark on white, the default: ``map_figure(theme="light")``.
LIGHT = Theme("#ffffff", "#1c1c28", ("#5b7db1", "#1f7a48", "#c2663b", "#8455a8", "#a8841f", "#4c4c57"))
#: Bright on nearly black: ``map_figure(theme="dark")``.
DARK = Theme("#14151c", "#ececf2", ("#7ea3dc", "#7fdca8", "#f0a47d", "#c49be6", "#e6cc73", "#b9b9c6"))
#: The themes by the names that :func:`mrsne.plot.map_figure` takes.
THEMES = {"light": LIGHT, "dark": DARK}
