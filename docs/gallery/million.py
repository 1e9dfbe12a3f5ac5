"""
A million items
===============

The same three lines map a million items. This page ran with 20,000, so that it builds on any computer;
``python million.py 1000000`` runs the real thing, which needs about 3 GiB of memory.
"""

import sys
import time

import numpy as np

import mrsne

items = int(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1].isdigit() else 20_000

# %%
# Points of 64 numbers in thirty clusters. Half precision is enough, and vectors in a file are read in blocks:
# ``np.load("vectors.npy", mmap_mode="r")``.

random = np.random.default_rng(0)
cluster = random.integers(30, size=items)
vectors = (3 * random.normal(size=(30, 64))[cluster] + random.normal(size=(items, 64))).astype(
    np.float16
)

# %%
# ``affinity="uniform"`` takes a third of the memory, and ``max_seconds`` gives you a map in the time you have.

start = time.perf_counter()
model = mrsne.MRSNE(affinity="uniform", random_state=0)
places = model.fit_transform(vectors)
recall = model.neighbor_recall_["items"]
print(f"{items:,} items in {time.perf_counter() - start:.1f} s, recall of the search {recall:.3f}")

# %%
# A million dots are too many for single marks. Counts on a grid show where items are.

import matplotlib.pyplot as plt

figure, axes = plt.subplots(figsize=(7, 7), layout="constrained")
axes.hexbin(*places.T, gridsize=250, bins="log", cmap="magma", mincnt=1)
axes.set(xticks=[], yticks=[], aspect="equal")
figure.savefig("million.png", dpi=90)

# %%
# Measured on two cores, from vectors to map: 100,000 items 12 s, 1,000,000 items 126 s with a peak of 2.3 GiB above the
# vectors, with the default affinities (:doc:`/performance`). ``mrsne view`` shows such maps in the browser.
