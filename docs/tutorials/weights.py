"""
Choosing weights
================

Vectors say what items look like, links say what belongs together. Where they disagree, somebody has to decide how much
each counts. By default the data does: ``weights="auto"``. This page shows what that means, and when to decide yourself.

The data here are 200 drawn shapes. Their vectors are pixels, so a vector knows colours and hardly any shapes. Their
tags name colour, shape and size. So looks and links partly agree.
"""

import numpy as np

import mrsne

data, pictures = mrsne.datasets.make_shapes(200, random_state=0)
data

# %%
# From looks to links
# -------------------
#
# ``weights=0.3`` gives the links 30 % of the map's weight. Move the slider. On the left hardly anything but looks
# counts: pictures of one colour are together, whatever their shape. On the right only links do, and each combination of
# tags is a spot of its own. The dots have the colours of the shapes, which only the tags know.

names = list(data.names["tag"])
links = data.relation("picture", "tag").toarray()
shapes = [tag for tag in ("disc", "ring", "square", "triangle", "cross", "star") if tag in names]
has_shape = links[:, [names.index(tag) for tag in shapes]]
shape = np.where(has_shape.any(axis=1), has_shape.argmax(axis=1), -1)
tag_shape = np.array([shapes.index(tag) if tag in shapes else -1 for tag in names])


def with_links(share):
    """Return the map in which links have a share of the weight, and the neighbours that it keeps."""
    model = mrsne.MRSNE(weights="auto" if share == "auto" else share, random_state=0)
    embedding = model.fit_transform(data)
    report = mrsne.metrics.report(embedding, data)
    by_vector, by_links = report["kept_by_vector"]["picture"], report["kept_by_links"]["picture"]
    taken = model.weights_["picture", "tag"]
    sentence = f"Links have {taken:.0%} of the weight. Pictures keep {by_vector:.0%} of their neighbours by looks, and "
    return (
        embedding,
        data,
        {"picture": shape, "tag": tag_shape},
        f"{sentence}{by_links:.0%} of their tags.",
    )


# sphinx_gallery_start_ignore
from sliders import write_sliders

controls = {"links": (0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 1, "auto")}
write_sliders("weights.html", "Maps with more and more weight on the links", controls, with_links)
# sphinx_gallery_end_ignore

# %%
# What "auto" does
# ----------------
#
# An item that has both gives two thirds of its weight to its links, and up to 90 % where the nearest by vector hardly
# share more links than any two items do. Items without links give everything to their neighbours, items without a
# vector everything to their links. The result is kept with the map:

model = mrsne.MRSNE(random_state=0).fit(data)
model.weights_

# %%
# When to decide yourself
# -----------------------
#
# - **The links are noisy**, such as tags that a program guessed: less, ``weights=0.3``.
# - **The vectors are poor**, or there to fill gaps: more, ``weights=0.8``. On the command line ``--links 0.8``.
# - **One relation matters more than another**: name every part. Shares are divided by their sum.

weights = {"picture": 1, ("picture", "tag"): 3}
mrsne.MRSNE(weights=weights, random_state=0).fit(data).weights_

# %%
# - **You repeat the paper**: ``weights="size"`` or ``"equal"`` with ``relation_norm="pmi"``. Equal weights crowd a
#   small kind in the middle.
#
# How to tell which is better? Not by the looks of the map, but by links that it has not seen:

rest, held_out = mrsne.metrics.hold_out(data, random_state=0)
for share in (0.1, 0.5, "auto"):
    embedding = mrsne.MRSNE(weights=share, random_state=0).fit_transform(rest)
    report = mrsne.metrics.report(embedding, rest, held_out=held_out)
    print(f"{share!s:5} MRR of held-out tags {report['held_out_mrr']['picture', 'tag']:.2f}")

# %%
# :doc:`/guide` lists all choices, :doc:`/algorithm` has the equations behind "auto", and :doc:`/experiments` compares
# them on real data.
