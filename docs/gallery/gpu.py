"""
On a GPU
========

``device="cuda"`` computes everything on an NVIDIA GPU: neighbours, affinities, initialisation and iterations.
``"auto"`` uses one if there is one, so this script runs anywhere. It needs ``pip install 'mrsne[gpu]'``, for torch and
triton.

This page ran with 5,000 items, on a GPU if there was one, otherwise on the processor: the line that it prints says
which. ``python gpu.py 1000000`` maps a million items.
"""

import sys
import time

import numpy as np

import mrsne

try:
    import torch

    where = "the GPU" if torch.cuda.is_available() else "the processor"
except ImportError:
    where = "the processor"

items = int(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1].isdigit() else 5_000
random = np.random.default_rng(0)
cluster = random.integers(30, size=items)
vectors = (3 * random.normal(size=(30, 64))[cluster] + random.normal(size=(items, 64))).astype(
    np.float32
)

# %%
# The first run in a process compiles its loops, so it is not the one to measure.

model = mrsne.MRSNE(device="auto", random_state=0)
model.fit(vectors[:2000])
start = time.perf_counter()
model.fit(vectors)
seconds = time.perf_counter() - start
print(f"{items:,} items in {seconds:.2f} s on {where}, KL divergence {model.kl_divergence_:.3f}")

# %%
# Measured on one NVIDIA H200 (:doc:`/performance`, 15 November 2026), from vectors to map. The same seed gives the same
# map on the same GPU, to the last bit.

import matplotlib.pyplot as plt

measured = {2_585: 0.18, 20_000: 0.40, 100_000: 0.65, 1_000_000: 3.0, 10_000_000: 33}
figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
axes.loglog(list(measured), list(measured.values()), "o-", color="#5b7db1")
for count, seconds in measured.items():
    axes.annotate(
        f"{seconds:g} s", (count, seconds), textcoords="offset points", xytext=(-6, 8), ha="right"
    )
axes.set(xlabel="items", ylabel="seconds from vectors to map", ylim=(0.1, 100))
axes.spines[["top", "right"]].set_visible(False)
figure.savefig("gpu.png", dpi=90)
