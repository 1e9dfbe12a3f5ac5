"""
The paper's Figure 1 again
==========================

Figure 1 of the paper shows the same pictures and tags by three methods: MR-SNE, PMvGE and CDMCA. Its Flickr photographs
are not free to share, so the bundled emoji stand in for them: many items on both sides, a few links each.
``mrsne reproduce emoji`` makes the whole comparison, with every method, seed and table (:doc:`/experiments`).

It needs ``pip install 'mrsne[neural]'`` for PMvGE.
"""

import matplotlib.pyplot as plt
import numpy as np

import mrsne
from mrsne import baselines, metrics

emoji = mrsne.datasets.load_emoji()
without = np.flatnonzero(~emoji.has_vector("tag"))
data = emoji.subset(
    {
        "image": range(0, emoji.sizes["image"], 4),
        "tag": np.setdiff1d(np.arange(emoji.sizes["tag"]), without),
    }
)
data

# %%
# The baselines need a vector for every item, so keywords without one are left out. CDMCA and PMvGE use the settings
# that did best for us; ``CDMCA.paper()`` and ``PMvGE.paper()`` follow the paper.

methods = {
    "MR-SNE, Algorithm 1": mrsne.MRSNE.paper(random_state=0),
    "CDMCA": baselines.CDMCA(),
    "PMvGE": baselines.PMvGE(max_iter=400, random_state=0),
    "MR-SNE, our default": mrsne.MRSNE(random_state=0),
}
maps = {name: method.fit_transform(data) for name, method in methods.items()}

# %%
# Below each map is the AUC of its links, the number that Figure 1 gives: how often a linked pair is nearer than a pair
# that is not linked.

figure, panels = plt.subplots(2, 2, figsize=(10, 10), layout="constrained")
for panel, (name, embedding) in zip(panels.flat, maps.items(), strict=True):
    panel.scatter(*embedding["image"].T, s=5, label="emoji", color="#5b7db1")
    panel.scatter(*embedding["tag"].T, s=9, label="keywords", color="#c2663b")
    auc = metrics.link_auc(embedding, data, ("image", "tag"))
    panel.set(title=f"{name}\nAUC of links {auc:.2f}", xticks=[], yticks=[])
panels[0, 0].legend()
figure.savefig("figure-1.png", dpi=80)
