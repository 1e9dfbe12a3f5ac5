"""
Reading a map critically
========================

A map of linked kinds is easy to look at, and easy to read too much into. Each section below has a small map with a
slider. Dots are photos, diamonds are tags, lines are links. Colours are groups that only we know about: the method does
not see them. The data is synthetic, so we know what is true. The code of each map is folded above it.

The short version:

- **Near means related.** Two neighbours share looks, links, or both. The map does not say which; pin one of them, and
  the panel does.
- **Far means little.** How far apart two groups lie, and how large a group is drawn, says little about the data.
- **A tag lies among its photos, or between them.** Between is a compromise: look at its links.
- **Structure can be chance.** The report card says how far to trust a map, and held-out links say it best.

.. raw:: html

    <details class="code"><summary>Synthetic photos and tags</summary>
"""

import numpy as np

import mrsne

NAMES = ["sea", "ship", "forest", "path", "town", "street"]
NAMES += ["field", "farm", "lake", "boat", "hill", "snow"]
ON_A_LINE = np.eye(10)[[0]]


def photos_and_tags(centres, spreads=1.0, strays=0.0, links=1):
    """Make groups of fifty photos in ten dimensions, with two tags each, one for either half."""
    random = np.random.default_rng(0)
    group = np.repeat(np.arange(len(centres)), 50)
    within = random.normal(size=(len(group), 10))
    width = (spreads * np.ones(len(centres)))[group]
    vectors = np.asarray(centres)[group] + within * width[:, None]
    half = (within[:, 1] + 0.5 * random.normal(size=len(group)) > 0).astype(int)
    tags = [2 * group + half, 2 * group + 1 - half][:links]
    pairs = {
        (photo, random.integers(2 * len(centres)) if random.random() < strays else tag[photo])
        for tag in tags
        for photo in range(len(group))
    }
    data = mrsne.RelationalData(
        {"photo": vectors, "tag": 2 * len(centres)},
        {("photo", "tag"): sorted(pairs)},
        names={"tag": NAMES[: 2 * len(centres)]},
    )
    return data, {"photo": group, "tag": np.repeat(np.arange(len(centres)), 2)}


# %%
# .. raw:: html
#
#     </details>
#
# Near, but by what?
# ------------------
#
# In most data, looks and links agree in part. Here they do not agree at all: colours are four groups of photos that
# look alike, and each tag is given to photos of all four. Move the slider. With little weight on the links, neighbours
# have the same colour. With much, they have the same tag. Both maps are right, and each hides what the other shows. So
# "near" alone says *related*; the weights decide by what.
#
# .. raw:: html
#
#     <details class="code"><summary>The code of this map</summary>


def with_weight(share):
    """Return a map of looks and links that contradict each other, and whose neighbours it keeps."""
    data, groups = photos_and_tags(6 * np.eye(10)[:4])
    tag = np.arange(200) % 4
    names = {"tag": ["sea", "town", "forest", "farm"]}
    links = list(enumerate(tag.tolist()))
    data = mrsne.RelationalData(
        {"photo": data.vectors["photo"], "tag": 4}, {("photo", "tag"): links}, names=names
    )
    model = mrsne.MRSNE(perplexity=15, weights=share, random_state=0)
    embedding = model.fit_transform(data)
    distance = np.linalg.norm(embedding["photo"][:, None] - embedding["photo"], axis=2)
    nearest = np.argsort(distance, axis=1)[:, 1:11]
    looks = np.mean(groups["photo"][nearest] == groups["photo"][:, None])
    tags = np.mean(tag[nearest] == tag[:, None])
    sentence = (
        f"Of the ten nearest photos, {looks:.0%} look alike and {tags:.0%} have the same tag."
    )
    return embedding, data, {"photo": groups["photo"], "tag": np.full(4, -1)}, sentence


# %%
# .. raw:: html
#
#     </details>

# sphinx_gallery_start_ignore
from sliders import write_sliders

controls = {"weight of links": (0.05, 0.2, 0.4, 0.6, 0.8, 0.95)}
write_sliders("near.html", "Maps by looks and by links", controls, with_weight)
# sphinx_gallery_end_ignore

# %%
# Perplexity: how many neighbours count
# -------------------------------------
#
# Perplexity is the number of neighbours by vector that count for an item. Set it to 2 where links hardly count, which
# is nearly t-SNE: the groups fall into pieces that mean nothing. Where links count, groups stay whole, and only their
# arrangement changes. An arrangement that changes with a setting is not in the data.
#
# .. raw:: html
#
#     <details class="code"><summary>The code of this map</summary>


def with_perplexity(perplexity, links):
    """Return a map of four groups at a perplexity, with links or nearly without."""
    data, groups = photos_and_tags(5 * np.eye(10)[:4])
    weights = "auto" if links == "count" else 0.02
    model = mrsne.MRSNE(perplexity=perplexity, weights=weights, random_state=0)
    embedding = model.fit_transform(data)
    share = embedding.weights["photo", "tag"]
    sentence = f"About {perplexity} neighbours count; links have {share:.0%} of the weight."
    return embedding, data, groups, sentence


# %%
# .. raw:: html
#
#     </details>

# sphinx_gallery_start_ignore
controls = {"perplexity": (2, 5, 15, 30, 50), "links": ("count", "hardly count")}
write_sliders("perplexity.html", "Maps of several perplexities", controls, with_perplexity)
# sphinx_gallery_end_ignore

# %%
# How large a group is drawn means nothing
# ----------------------------------------
#
# The green photos differ more and more from each other. The map hardly shows it: every item is given the same number of
# neighbours, near or far. So do not say "this group is more diverse" because it covers more ground.
#
# .. raw:: html
#
#     <details class="code"><summary>The code of this map</summary>


def with_spread(factor):
    """Return a map in which the third group is spread wider than the first by a factor."""
    centres = ON_A_LINE * [[0], [40], [120]]
    data, groups = photos_and_tags(centres, spreads=[1, factor**0.5, factor])
    embedding = mrsne.MRSNE(perplexity=15, random_state=0).fit_transform(data)
    wide = {
        colour: embedding["photo"][groups["photo"] == i].std(axis=0).mean()
        for i, colour in ((0, "blue"), (2, "green"))
    }
    drawn = wide["green"] / wide["blue"]
    sentence = f"In the data, green is {factor}× as wide as blue; on the map, {drawn:.1f}×."
    return embedding, data, groups, sentence


# %%
# .. raw:: html
#
#     </details>

# sphinx_gallery_start_ignore
controls = {"green wider by": (1, 3, 10)}
write_sliders("spread.html", "Maps of groups of different width", controls, with_spread)
# sphinx_gallery_end_ignore

# %%
# How far apart groups lie means little
# -------------------------------------
#
# In the data, green moves away from the other two. On the map it hardly moves. Beyond the nearest neighbours no
# distance is kept, so "these groups are farther from each other than those" cannot be read from a map.
#
# .. raw:: html
#
#     <details class="code"><summary>The code of this map</summary>


def with_distance(distance):
    """Return a map in which the third group is some way from the second."""
    data, groups = photos_and_tags(ON_A_LINE * [[0], [8], [8 + distance]])
    embedding = mrsne.MRSNE(perplexity=15, random_state=0).fit_transform(data)
    blue, orange, green = (embedding["photo"][groups["photo"] == i].mean(axis=0) for i in range(3))
    drawn = np.linalg.norm(green - orange) / np.linalg.norm(orange - blue)
    sentence = (
        f"From orange, green is {distance / 8:g}× as far as blue in the data, "
        f"and {drawn:.1f}× on the map."
    )
    return embedding, data, groups, sentence


# %%
# .. raw:: html
#
#     </details>

# sphinx_gallery_start_ignore
controls = {"green away by": (8, 20, 80, 400)}
write_sliders("distance.html", "Maps of groups that move apart", controls, with_distance)
# sphinx_gallery_end_ignore

# %%
# A tag between two groups
# ------------------------
#
# A tag lies among what it is linked to. The tag *holiday* is given to half of the photos of one group, then of two,
# then of three. With two, it lies between them or brings them together; with three, in the middle. A tag in the middle
# of a map may be linked to everything, or to nothing in particular. Neither says that the items around it have much to
# do with it. So point at the tag: its links show what it means.
#
# .. raw:: html
#
#     <details class="code"><summary>The code of this map</summary>


def with_common_tag(shared_by):
    """Return a map with one more tag, which the photos of some groups have."""
    data, groups = photos_and_tags(6 * np.eye(10)[:3])
    links = data.relation("photo", "tag").toarray()
    holiday = (groups["photo"] < shared_by) & (np.arange(len(links)) % 2 == 0)
    data = mrsne.RelationalData(
        {"photo": data.vectors["photo"], "tag": 7},
        {("photo", "tag"): np.column_stack([links, holiday])},
        names={"tag": [*data.names["tag"], "holiday"]},
    )
    embedding = mrsne.MRSNE(perplexity=15, random_state=0).fit_transform(data)
    groups = {**groups, "tag": np.array([0, 0, 1, 1, 2, 2, -1])}
    of = "1 group" if shared_by == 1 else f"{shared_by} groups"
    return embedding, data, groups, f'"holiday" is linked to {int(holiday.sum())} photos of {of}.'


# %%
# .. raw:: html
#
#     </details>

# sphinx_gallery_start_ignore
controls = {"groups with it": (1, 2, 3)}
write_sliders("common-tag.html", "Maps with a tag of several groups", controls, with_common_tag)
# sphinx_gallery_end_ignore

# %%
# Structure that is chance
# ------------------------
#
# Here the vectors are noise, and a growing share of the links is drawn at random. Even when all of it is chance, the
# map has a shape, and tags sit among the photos that happen to have them. Nothing on the map shows this. Held-out
# links do: make a map without some of the links, rank all tags by distance from the photo, and see where its missing
# tag ranks. The first rank is the best; the sentence below the map says which rank chance would give.
#
# .. raw:: html
#
#     <details class="code"><summary>The code of this map</summary>


def with_strays(share):
    """Return a map of photos without structure, and what it says of links that it has not seen."""
    data, groups = photos_and_tags(np.zeros((3, 10)), strays=share, links=2)
    model = mrsne.MRSNE(perplexity=15, random_state=0)
    rest, held_out = mrsne.metrics.hold_out(data, 0.2, random_state=0)
    report = mrsne.metrics.report(model.fit_transform(rest), rest, held_out=held_out)
    score = report["held_out_mrr"]["photo", "tag"]
    chance = report.chances["held_out_mrr"]["photo", "tag"]
    sentence = (
        f"{share:.0%} of the links are random. The rank of a held-out tag is {1 / score:.1f}, "
        f"by chance {1 / chance:.1f} (harmonic means)."
    )
    return model.fit_transform(data), data, groups, sentence


# %%
# .. raw:: html
#
#     </details>

# sphinx_gallery_start_ignore
controls = {"random links": (0, 0.3, 0.6, 1)}
write_sliders("chance.html", "Maps with random links", controls, with_strays)
# sphinx_gallery_end_ignore

# %%
# Another run, another map
# ------------------------
#
# The initialisation decides where each group ends up. What stays the same from seed to seed can be trusted; what
# changes cannot. Here the neighbours stay, and the arrangement does not. (By default the initialisation is spectral,
# and maps change far less between seeds; here it is random.)
#
# .. raw:: html
#
#     <details class="code"><summary>The code of this map</summary>


def with_seed(seed):
    """Return a map from another random initialisation."""
    data, groups = photos_and_tags(6 * np.eye(10)[:6])
    model = mrsne.MRSNE(perplexity=15, init="random", random_state=seed)
    embedding = model.fit_transform(data)
    return embedding, data, groups, f"KL divergence {embedding.kl_divergence:.3f}."


# %%
# .. raw:: html
#
#     </details>

# sphinx_gallery_start_ignore
write_sliders("seeds.html", "Maps of other seeds", {"seed": (0, 1, 2, 3)}, with_seed)
# sphinx_gallery_end_ignore

# %%
# The report card
# ---------------
#
# Every page of mrsne carries one (press ``I``), ``mrsne evaluate map.npz`` prints it, and so does this:

data, _ = photos_and_tags(6 * np.eye(10)[:6])
embedding = mrsne.MRSNE(perplexity=15, random_state=0).fit_transform(data)
print(mrsne.metrics.report(embedding, data))

# %%
# - *Trustworthiness*: are neighbours on the map alike by vector? It does not see neighbours that were lost.
# - *Mixing*: do the kinds share one map? It does not see whether the right items meet.
# - *Neighbours kept*: by vector and by links, beyond chance. It is strict, and rarely high on real data.
# - *Held-out links*: does the map predict links it has not seen? Compare it with what chance gives.
#
# :doc:`/metrics` shows on spoilt maps what each score sees and what it misses. Colouring a page by *How well placed*
# shows which parts of a map to trust.
