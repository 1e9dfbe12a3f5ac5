"""The same map on a Dask cluster: vectors and P̃ stay on the workers, the map comes to the client.

The stages are those of one machine, over blocks of rows: :mod:`~mrsne.cluster.data` reads, :mod:`~mrsne.cluster.search`
finds neighbours in :mod:`~mrsne.cluster.shards`, :mod:`~mrsne.cluster.affinities` makes P̃,
:mod:`~mrsne.cluster.matrix` holds it, and :mod:`~mrsne.cluster.loop` iterates. What is scheduled where, sent and
repeated after a failure is Dask's.
"""
