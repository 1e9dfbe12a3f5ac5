"""
Comparing two maps
==================

Two maps of the same items never lie on top of each other: a map may be turned, mirrored or stretched and say the same.
``mrsne.metrics.compare`` brings the second map as near to the first as that allows, and reports what still differs.

Here the same emoji are mapped twice: once with weights that follow from the data, and once with links that hardly
count, so that looks decide.
"""

import mrsne

data = mrsne.datasets.load_emoji()
first = mrsne.MRSNE(random_state=0).fit_transform(data)
second = mrsne.MRSNE(weights=0.05, random_state=0).fit_transform(data)

comparison = mrsne.metrics.compare(first, second)
comparison

# %%
# *Neighbours kept* is the number that matters, since neighbours are what a map shows: the share of the ten nearest
# items that are the same in both maps.
#
# Both maps side by side. Point at an item, or pin it with a click: the other map shows where it went. The list has what
# moved farthest.

comparison.to_html(
    "two-maps.html",
    title="Emoji twice",
    titles=("weights from the data", "looks decide"),
)

# %%
# The same as a table. ``moved`` is a distance in radii of the map, ``kept`` the share of neighbours.

comparison.to_frame().head(8)[["kind", "label", "moved", "kept"]].round(2)

# %%
# Where do both maps agree? Bright emoji keep their neighbours: there, looks and keywords say the same.

import matplotlib.pyplot as plt

figure, panels = plt.subplots(1, 2, figsize=(10, 5), layout="constrained")
titles = ("weights from the data", "looks decide")
for panel, places, title in zip(panels, (comparison.first, comparison.second), titles, strict=True):
    dots = panel.scatter(*places["image"].T, s=8, c=comparison.kept["image"], cmap="viridis")
    panel.set(title=title, xticks=[], yticks=[], aspect="equal")
figure.colorbar(dots, ax=panels, label="share of neighbours kept", shrink=0.7)
figure.savefig("two-maps.png", dpi=90)

# %%
# On the command line: ``mrsne compare before.npz after.npz -o compare.html``.
