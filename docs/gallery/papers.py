"""
Papers, keywords and authors
============================

Fifty well-known papers on machine learning and visualisation, in a table written for this page: titles, years and
authors are facts, the keywords are ours. So this is an example of the steps, not a study of the literature. Your own
table may come from a reference manager: one row for each paper, with lists in some cells.
"""

import pandas as pd

import mrsne

papers = pd.read_csv("papers.csv")
papers.head()

# %%
# ``from_frame`` says what each column is. Lists become further kinds of items, and papers are compared by what the
# words of their titles mean. With an abstract in the table, name that instead. Authors are written with initials, so
# that they are taken for people and get no word vectors.

data = mrsne.RelationalData.from_frame(
    papers,
    item="paper",
    label="title",
    kinds={"keyword": "keywords", "author": "authors"},
    numbers=["year"],
    texts=["title"],
)
data

# %%
# The set is small, so the perplexity is small too. Colour the map by *year* in the panel.

embedding = mrsne.MRSNE(perplexity=8, random_state=0).fit_transform(data)
embedding.to_html("papers.html", data, title="Papers, keywords and authors")

# %%
# Which keywords lie nearest to "t-SNE"? Distances to the next few items are what a map is made for.

import numpy as np

keywords = np.array(data.names["keyword"])
place = embedding["keyword"][keywords == "t-SNE"]
distance = np.linalg.norm(embedding["keyword"] - place, axis=1)
print(*keywords[np.argsort(distance)[1:6]], sep="\n")

# %%
# As a picture, with titles left out to make room for keywords and authors.

figure = mrsne.plot.map_figure(embedding, data, labels=["keyword", "author"])
figure.savefig("papers.png", dpi=80)
