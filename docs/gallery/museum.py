"""
A museum
========

A table of sixty paintings, with artists, subjects, years and the museums that hold them. The table was written for this
page, from common knowledge: the paintings are real, the subjects are our own words for what they show.

The same on the command line: ``mrsne map museum.csv --kind subject=subjects --label title -o museum.html``.
"""

import pandas as pd

import mrsne

works = pd.read_csv("museum.csv")
works.head()

# %%
# A painting has no vector here, only links: to its artist, its subjects and its museum. Paintings that share subjects
# become neighbours, so the map still has regions.

data = mrsne.RelationalData.from_frame(
    works,
    item="work",
    label="title",
    kinds={"subject": "subjects", "artist": "artist", "museum": "museum"},
    numbers=["year"],
    ignore=["medium"],
)
data

# %%

embedding = mrsne.MRSNE(perplexity=8, random_state=0).fit_transform(data)
embedding.to_html("museum.html", data, title="Paintings, artists and subjects")

# %%
# As a picture: works are dots, and the names of the other kinds are written.

figure = mrsne.plot.map_figure(
    embedding, data, labels=["subject", "artist", "museum"], links={"artist": ["Rembrandt"]}
)
figure.savefig("museum.png", dpi=80)

# %%
# As a table again, for a spreadsheet or another program.

embedding.to_frame().groupby("kind").head(2)
