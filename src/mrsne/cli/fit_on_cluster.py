"""``mrsne fit --cluster``: files that the workers of a cluster read, and a map that they compute."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from mrsne.cli.reporter import Reporter
from mrsne.parameters import ParameterError

if TYPE_CHECKING:
    from mrsne.data.collection.files import DataFiles


def fitted_on_cluster(files: DataFiles, model: Any, cluster: str, report: Reporter) -> tuple[Any, Any]:
    """Return data that the workers of a cluster read, and the model fitted to it there."""
    from mrsne.backends.choice import check_cluster_device
    from mrsne.backends.dask.connection import connected, workers_of
    from mrsne.data.relational import RelationalData

    check_cluster_device(model.device)
    before = logging.root.manager.disable
    logging.disable(max(before, logging.ERROR))  # errors of Dask come as exceptions too, and are said once
    try:
        with connected(cluster) as client:
            report.note(f"cluster of {workers_of(client)}, dashboard {client.dashboard_link}")
            data = files.read_lazily()
            if isinstance(data, RelationalData):
                raise ParameterError(
                    "--cluster needs vectors or links in .npy, .zarr or .parquet, which workers read in blocks"
                )
            return data, model.fit(data)
    finally:
        logging.disable(before)
