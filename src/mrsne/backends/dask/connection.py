"""Which cluster computes: the one this program is connected to, one that is named, or this process."""

from __future__ import annotations

import logging
import re
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any, NamedTuple

from mrsne.parameters import ParameterError

LARGEST_SHARE = 2**34  # bytes of memory for a task, where workers have more or do not tell
COPIES = 32  # of a block, that this must be enough for

logger = logging.getLogger("mrsne")


class ClusterError(ConnectionError):
    """A cluster that cannot be reached, or was lost."""


def import_dask() -> Any:
    """Return the module ``distributed``, or raise an error that says how to install it."""
    try:
        import distributed
    except ImportError as error:
        raise ClusterError(
            "computing on a cluster needs Dask, which is not installed: pip install 'mrsne[dask]'"
        ) from error
    return distributed


def current_client() -> Any:
    try:
        return import_dask().Client.current()
    except ValueError:
        return None


@contextmanager
def connected(cluster: str | None = None, timeout: float = 10) -> Iterator[Any]:
    """Connect to a cluster, within ``timeout`` seconds, or use the connection there is.

    ``cluster`` is ``"tcp://host:port"`` of a scheduler, ``"local"`` or ``"local:4"`` for processes on this machine; by
    default the client that this program has made, or else threads of this process.
    """
    distributed = import_dask()
    if cluster is None:
        here = current_client()
        with nullcontext(here) if here else distributed.Client(processes=False, dashboard_address=":0") as client:
            yield client
        return
    local = re.fullmatch(r"local(?::([1-9][0-9]*))?", cluster)
    if local is None and not re.match(r"[a-z]+://.", cluster):
        raise ParameterError(
            f"cluster must be 'local', 'local:N' or an address such as 'tcp://host:8786', got {cluster!r}"
        )
    if local is not None:
        workers = {"n_workers": int(local[1])} if local[1] else {}
        with uninterrupted():
            machine = distributed.LocalCluster(
                threads_per_worker=1, dashboard_address=":0", silence_logs=logging.CRITICAL, **workers
            )
        with machine, distributed.Client(machine) as client:
            yield announced(client)
        return
    try:
        client = distributed.Client(cluster, timeout=timeout)
    except (OSError, TimeoutError) as error:
        raise ClusterError(f"there is no scheduler at {cluster} ({error})") from error
    with client:
        if not client.nthreads():
            raise ClusterError(f"the cluster at {cluster} has no workers")
        yield announced(client)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Ignore Ctrl-C, here and in processes that are started meanwhile: this program handles it, and ends them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def losses_named(client: Any) -> Iterator[None]:
    """Raise a ClusterError that says what happened where the cluster is lost in the enclosed block."""
    from distributed.client import FutureCancelledError
    from distributed.comm.core import CommClosedError
    from distributed.scheduler import KilledWorker

    try:
        yield
    except KilledWorker as error:
        raise ClusterError(
            f"a task ended every worker that tried it, probably for lack of memory ({error.task}); give workers "
            "more memory or fewer threads"
        ) from error
    except Exception as error:
        if not isinstance(error, (CommClosedError, FutureCancelledError, ClusterError)) and not is_closed(client):
            raise
        address = getattr(client.scheduler, "address", "") or "an address that is gone"
        raise ClusterError(
            f"the cluster at {address} was lost; where there is a checkpoint, the same call on another one goes on "
            "from the last state that was saved"
        ) from error


def is_closed(client: Any) -> bool:
    """Return whether there is no scheduler at the other end."""
    return client.status != "running" or client.scheduler is None


def check_open(client: Any) -> None:
    """Raise where the cluster that P̃ is on is gone."""
    if is_closed(client):
        raise ClusterError("the cluster that holds P̃ is closed; connect to one before the map is computed")


def announced(client: Any) -> Any:
    logger.info("cluster of %s, dashboard at %s", workers_of(client), client.dashboard_link)
    return client


def workers_of(client: Any) -> str:
    count = len(client.nthreads())
    return "1 worker" if count == 1 else f"{count} workers"


class Capacity(NamedTuple):
    """What a cluster has when a run begins; a worker that is being replaced later must not change how work is cut."""

    workers: int
    slots: int  # tasks at a time
    block_bytes: int  # of vectors, so that a task has room for several copies of two blocks

    @classmethod
    def of(cls, client: Any) -> Capacity:
        threads = client.nthreads()
        workers = client.scheduler_info()["workers"].values()
        limits = [worker["memory_limit"] / worker["nthreads"] for worker in workers if worker.get("memory_limit")]
        return cls(max(1, len(threads)), max(1, sum(threads.values())), int(min([*limits, LARGEST_SHARE]) / COPIES))
