"""
Photographs and tags
====================

A folder of pictures and a table of tags become a map. This page has to run on any computer, so 400 of the bundled
emoji, written as PNG files, stand in for photographs; the steps are the same. On the command line all of this is one
line, ``mrsne map photos --tags tags.csv -o map.html``.

It needs ``pip install 'mrsne[images]'``, for the network that looks at pictures.
"""

import csv
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image

import mrsne

emoji = mrsne.datasets.load_emoji()
photos = Path(tempfile.mkdtemp(), "photos")
photos.mkdir()
chosen = range(0, emoji.sizes["image"], 4)
paths = [photos / f"{number:04}.png" for number in chosen]
for number, path in zip(chosen, paths, strict=True):
    Image.fromarray(emoji.pictures["image"][number]).resize((224, 224)).save(path)

links = emoji.relation("image", "tag")
with open(photos / "tags.csv", "w", newline="", encoding="utf-8") as file:
    table = csv.writer(file)
    table.writerow(["picture", "tag"])
    for number, path in zip(chosen, paths, strict=True):
        table.writerows([path.name, emoji.names["tag"][tag]] for tag in links[number].indices)
len(paths)

# %%
# A bundled network turns every picture into a vector, and bundled word vectors turn every tag into one. Both run on the
# processor, and nothing leaves the computer. A word that is not known has no vector; its links still place it.

with open(photos / "tags.csv", newline="", encoding="utf-8") as file:
    pairs = [(row["picture"], row["tag"]) for row in csv.DictReader(file)]
tags = sorted({tag for _, tag in pairs})
words = mrsne.encoders.encode_words(tags)

data = mrsne.RelationalData(
    vectors={"photo": mrsne.encoders.encode_images(paths), "tag": words},
    missing={"tag": np.isnan(words).any(axis=1)},
    relations={("photo", "tag"): pairs},
    names={"photo": [path.name for path in paths], "tag": tags},
    pictures={
        "photo": np.stack(
            [np.asarray(Image.open(path).convert("RGBA").resize((64, 64))) for path in paths]
        )
    },
)
data

# %%
# Make the map.

embedding = mrsne.MRSNE(random_state=0).fit_transform(data)
embedding.to_html("photos.html", data, title="Pictures and their tags")

# %%
# As a picture, with the links of one tag.

mrsne.plot.map_figure(embedding, data, links={"tag": ["cat"]}).savefig("photos.png", dpi=80)
