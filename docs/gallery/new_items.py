"""
New items in an old map
=======================

You have a map that people know, and new items arrive. ``transform`` places them without changing the map. Here every
tenth emoji is held back and placed afterwards, first by its looks, then by looks and keywords together.
"""

import numpy as np

import mrsne

data = mrsne.datasets.load_emoji()
new = np.arange(0, data.sizes["image"], 10)
known = np.setdiff1d(np.arange(data.sizes["image"]), new)

model = mrsne.MRSNE(random_state=0)
embedding = model.fit_transform(data.subset({"image": known}))

# %%
# Vectors place a new item beside what looks like it. Links place it beside its keywords.

vectors = data.vectors["image"][new]
links = data.relation("image", "tag")[new]
by_looks = model.transform({"image": vectors})
by_both = model.transform({"image": vectors}, {("image", "tag"): links})
by_both

# %%
# How many of the new emoji have one of their own keywords among the ten nearest? Those placed by looks have never seen
# their keywords.


def share_with_a_keyword_near(places: np.ndarray) -> float:
    """Return the share of places that have one of their keywords among the ten nearest."""
    distance = np.linalg.norm(places[:, None] - embedding["tag"][None], axis=2)
    nearest = np.argsort(distance, axis=1)[:, :10]
    return float(np.mean([links[i, nearest[i]].nnz > 0 for i in range(len(new))]))


print(f"by looks: {share_with_a_keyword_near(by_looks['image']):.0%}")
print(f"by looks and keywords: {share_with_a_keyword_near(by_both['image']):.0%}")

# %%
# The new ones as pictures, the old ones as dots.

everything = mrsne.Embedding(
    {"new": by_both["image"], "old": embedding["image"], "tag": embedding["tag"]}
)
pictures = {"new": data.pictures["image"][new]}
mrsne.plot.map_figure(everything, pictures=pictures).savefig("new-emoji.png", dpi=80)

# %%
# On the command line ``mrsne place map.npz new-photos`` does the same and marks the new items on the page;
# ``mrsne update`` adds them for good.
