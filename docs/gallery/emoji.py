"""
Emoji and their keywords
========================

1,636 emoji and the 997 keywords that people use for them. Every emoji has a vector that says what it looks like, every
keyword one that says what it means, and 6,726 links say which keyword belongs to which emoji. It is all bundled. In
this data an emoji is an *image*, and a keyword is a *tag*.
"""

import mrsne

data = mrsne.datasets.load_emoji()
data

# %%
# Nothing has to be chosen. How much looks and links count follows from the data, and the map keeps the result.

embedding = mrsne.MRSNE(random_state=0).fit_transform(data)
{part: round(share, 2) for part, share in embedding.weights.items()}

# %%
# One HTML file holds the whole map. Press ``/`` and type *dog*; point at a keyword to see its emoji.

embedding.to_html("emoji.html", data, title="Emoji and their keywords")

# %%
# How far can it be trusted? The report card answers with a few scores and a sentence for each.

print(mrsne.metrics.report(embedding, data))

# %%
# The same map as a picture, for a paper or a slide.

figure = mrsne.plot.map_figure(embedding, data, links={"tag": ["dog"]})
figure.savefig("emoji.png", dpi=80)
