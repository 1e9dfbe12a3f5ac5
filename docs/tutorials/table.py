"""
From a DataFrame to a map
=========================

A table with one row for each item is all that is needed. Cells with lists, and values that many rows share, become
further kinds of items.
"""

import pandas as pd

import mrsne

books = pd.DataFrame(
    [
        ("Emma", "Jane Austen", "love; family", 1815),
        ("Persuasion", "Jane Austen", "love; sea", 1817),
        ("Frankenstein", "Mary Shelley", "horror; science", 1818),
        ("Moby-Dick", "Herman Melville", "sea; whale", 1851),
        ("The Woman in White", "Wilkie Collins", "detective; letters", 1860),
        ("The Moonstone", "Wilkie Collins", "detective; letters", 1868),
        ("Treasure Island", "Robert Louis Stevenson", "sea; treasure", 1883),
        ("Kidnapped", "Robert Louis Stevenson", "sea; family", 1886),
        ("The Sign of the Four", "Arthur Conan Doyle", "detective; treasure", 1890),
        ("The Time Machine", "H. G. Wells", "science; time", 1895),
        ("Dracula", "Bram Stoker", "horror; letters", 1897),
        ("The War of the Worlds", "H. G. Wells", "science; war", 1898),
    ],
    columns=["title", "author", "themes", "year"],
)
books.head(3)

# %%
# Say what the columns are
# ------------------------
#
# Columns you name are used as you say; the rest is guessed from headings and values. ``mrsne map books.csv --dry-run``
# prints the guesses.

data = mrsne.RelationalData.from_frame(
    books,
    item="book",
    label="title",
    kinds={"theme": "themes", "author": "author"},
    numbers=["year"],
)
data

# %%
# Make the map
# ------------
#
# With twelve books the perplexity must be small; with thousands leave it out.

embedding = mrsne.MRSNE(perplexity=3, random_state=0).fit_transform(data)
embedding.to_html("books.html", data, title="Books, themes and authors")

# %%
# Themes lie among their books, and so do authors. In the panel, colour by *year*.
#
# Back to a table
# ---------------
#
# Every item with its place, and with its columns if you like. ``embedding.to_parquet`` writes the same for other
# programs.

frame = embedding.to_frame(columns=True)
frame.head(3)

# %%
# Save it, and come back
# ----------------------
#
# A map and its data lie side by side; loading one finds the other.

import tempfile
from pathlib import Path

folder = Path(tempfile.mkdtemp())
data.save(folder / "books.data.npz")
embedding.save(folder / "books.npz")
mrsne.Embedding.load(folder / "books.npz").data

# %%
# Where to go on: :doc:`/tables` has every role that a column can have, two tables that belong together, AnnData and
# networkx.
