"""
Icons, words and authors: three kinds
=====================================

7,447 icons of the package ``@mdi/svg``, the words for them, and the people who drew them. Icons are linked to words and
to authors. An author has no vector, and none is needed: links place the author.
"""

import numpy as np

import mrsne

data = mrsne.datasets.load_icons()
data

# %%
# Every third icon makes a smaller page, with the words and authors that these have. ``subset`` keeps the links among
# what is chosen. Leave this out to map everything.

data = data.subset({"icon": range(0, 7447, 3)})
data = data.subset(
    {kind: np.unique(data.relation("icon", kind).indices) for kind in ("alias", "author")}
)
data

# %%

embedding = mrsne.MRSNE(random_state=0).fit_transform(data)
embedding.to_html("icons.html", data, title="Icons, words and authors")

# %%
# Each kind and each relation has its share of the map's weight. Shares sum to one.

for block, share in embedding.weights.items():
    print(f"{share:.2f}", block if isinstance(block, str) else " - ".join(block))

# %%
# The parts of the map have names: words that set each part apart from its surroundings.

regions = embedding.regions(data)
for region in regions.at(0):
    print(f"{region.size:5,} items  {region.name}")

# %%
# And as a picture, with these names on it.

mrsne.plot.map_figure(embedding, data, regions=True, labels=[]).savefig("icons.png", dpi=80)
