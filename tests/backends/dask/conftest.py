"""A real cluster of two processes, the same for all tests that do not harm it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from distributed import Client, LocalCluster

SETTINGS: dict[str, Any] = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": 50}


@pytest.fixture(scope="package")
def shared() -> Iterator[Client]:
    with LocalCluster(**SETTINGS) as cluster, Client(cluster, set_as_default=False) as client:
        yield client


@pytest.fixture
def client(shared: Client) -> Iterator[Client]:
    """Make the cluster this thread's own."""
    with shared.as_current():
        yield shared


@pytest.fixture
def own_cluster() -> Iterator[LocalCluster]:
    """One whose workers may be killed."""
    with LocalCluster(**SETTINGS) as cluster:
        yield cluster
