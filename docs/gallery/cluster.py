"""
On a cluster
============

Where vectors fit on no single machine, Dask reads them in blocks on many. This script starts two workers on this
computer; with ``Client("tcp://scheduler:8786")`` the same lines use a cluster. It needs ``pip install 'mrsne[dask]'``.

Use a cluster for data that is too large for one machine. For small data it is far slower than one process: every
iteration waits for messages (:doc:`/scaling`).
"""

import sys

import dask.array as da
from distributed import Client, LocalCluster

import mrsne


def mapped(items: int) -> mrsne.Embedding:
    """Map clustered points that exist only as blocks on the workers."""
    random = da.random.default_rng(0)
    centres = 3 * random.normal(size=(10, 32), chunks=(10, 32))
    cluster = random.integers(0, 10, size=items, chunks=items // 4)
    vectors = da.take(centres, cluster, axis=0) + random.normal(
        size=(items, 32), chunks=(items // 4, 32)
    )
    data = mrsne.RelationalData({"point": vectors.astype("float32")})
    return mrsne.MRSNE(max_iter=100, random_state=0).fit_transform(data)


# %%
# Workers are separate processes, so a script starts them under this condition.

if __name__ == "__main__":
    items = int(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1].isdigit() else 2_000
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster),
    ):
        embedding = mapped(items)
    print(embedding)
    mrsne.plot.map_figure(embedding, size=6).savefig("cluster.png", dpi=80)

# %%
# :doc:`/scaling` says what moves over the network and what happens when a worker dies, with figures of up to a million
# items: an iteration there takes 241 ms with one worker, and 176 ms in one process without Dask.
