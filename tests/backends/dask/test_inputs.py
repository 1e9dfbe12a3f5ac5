"""What can be handed over as data on a cluster, and what is said where it cannot be used."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import dask.array as da
import dask.dataframe as dd
import distributed
import numpy as np
import pandas as pd
import pytest
from distributed import Client
from scipy import sparse

from mrsne import MRSNE, RelationalData, embed, joint_affinities, metrics
from mrsne.backends.dask.connection import ClusterError, connected
from mrsne.data.lazy import LazyData
from mrsne.data.tables.matrices import lazy_matrix, npy_blocks
from mrsne.data.vectors import DataError
from mrsne.parameters import ParameterError
from mrsne.threads import current_team
from tests.backends.dask.test_against_one_machine import vectors


@pytest.mark.parametrize("kind", ["npy", "zarr", "parquet", "dataframe", "unknown lengths"])
def test_vectors_in_files_are_read_in_blocks(client: Client, tmp_path: Path, kind: str) -> None:
    X = vectors(200, 5)
    given: Any
    if kind == "npy":
        np.save(tmp_path / "x.npy", X)
        given = npy_blocks(tmp_path / "x.npy", block_bytes=3000)
        assert given.numblocks[0] > 2
    elif kind == "zarr":
        da.from_array(X, chunks=(60, -1)).to_zarr(str(tmp_path / "x.zarr"))
        given = lazy_matrix(tmp_path / "x.zarr")[0]
    elif kind == "parquet":
        pd.DataFrame(X, columns=list("abcde")).to_parquet(tmp_path / "x.parquet")
        given = lazy_matrix(tmp_path / "x.parquet")[0]
    elif kind == "dataframe":
        given = dd.from_pandas(pd.DataFrame(X), npartitions=3)
    else:
        given = da.from_array(X, chunks=(70, -1))
        given = given[given[:, 0] > -1e9]
    data = RelationalData({"a": given})
    assert isinstance(data, LazyData)
    assert data.sizes == {"a": 200}
    P: Any = joint_affinities(data, perplexity=5, neighbors="approximate")
    expected = joint_affinities(RelationalData({"a": X}), perplexity=5, neighbors="approximate")
    assert abs(P.to_csr() - expected).max() < 1e-6 * expected.max()


def test_links_may_name_items(client: Client) -> None:
    table = pd.DataFrame({"a": [0, 1, 2, 3], "tag": ["dog", "cat", "dog", "cat"]})
    names = {"tag": ["dog", "cat"]}
    X = vectors(20, 3)
    one = RelationalData({"a": X, "tag": 2}, {("a", "tag"): table}, names=names)
    blocks = da.from_array(X, chunks=(7, -1))
    many = RelationalData({"a": blocks, "tag": 2}, {("a", "tag"): dd.from_pandas(table, npartitions=2)}, names=names)
    expected, found = joint_affinities(one, neighbors="approximate"), joint_affinities(many, neighbors="approximate")
    assert abs(found.to_csr() - expected).max() < 1e-6 * expected.max()
    assert repr(many).startswith("RelationalData on a cluster(a: 20 items, 3-d; tag: 2 items, no vectors; a-tag: links")


def test_empty_parts_of_a_table(client: Client) -> None:
    X = vectors(90, 3)
    lazy = dd.from_pandas(pd.DataFrame(X), npartitions=3)
    some = lazy.map_partitions(lambda part: part[(part.index < 20) | (part.index > 70)])
    data = RelationalData({"a": some})
    P: Any = joint_affinities(data, perplexity=5)
    assert P.shape == (39, 39)
    assert abs(P.to_csr().sum() - 1) < 1e-5


def test_a_plain_dask_array_stays_in_blocks(client: Client) -> None:
    model = MRSNE(max_iter=2, perplexity=5, random_state=0)
    Y = model.fit_transform(da.from_array(vectors(60, 3), chunks=(30, -1)))
    assert Y.shape == (60, 2)
    assert hasattr(model.affinities_, "blocks")


def test_columns_of_links_are_looked_at_first() -> None:
    table = dd.from_pandas(pd.DataFrame({"a": [0], "c": [1]}))
    with pytest.raises(DataError, match=r"it needs 'a' and 'b'"):
        RelationalData({"a": da.zeros((4, 2)), "b": 2}, {("a", "b"): table})


def test_nothing_is_read_before_it_is_needed() -> None:
    def fail(block: Any) -> Any:
        raise AssertionError("read too early")

    lazy = da.from_array(np.zeros((40, 3)), chunks=(10, -1)).map_blocks(fail, dtype=np.float64, meta=np.empty((0, 0)))
    assert RelationalData({"a": lazy}).n_items == 40


def test_bad_numbers_are_named(client: Client) -> None:
    X = vectors(60, 3)
    X[41, 1] = np.nan
    data = RelationalData({"photo": da.from_array(X, chunks=(20, -1))})
    with pytest.raises(DataError, match=r"vectors\['photo'\] holds NaN or infinity in row 41, 1 in all"):
        joint_affinities(data)
    table = pd.DataFrame({"a": [0, 99], "b": [0, 1]})
    out = RelationalData({"a": da.from_array(vectors(30, 3)), "b": 2}, {("a", "b"): dd.from_pandas(table)})
    with pytest.raises(DataError, match="99"):
        MRSNE(max_iter=1).fit(out)


@pytest.mark.parametrize("weight", [1e-170, 1e300])
def test_weights_of_any_size(client: Client, weight: float) -> None:
    """Products of their sums would vanish or overflow."""
    X, links = vectors(50, 3), pd.DataFrame({"a": np.arange(50), "b": np.arange(50) % 5, "weight": weight})
    expected = joint_affinities(RelationalData({"a": X, "b": 5}, {("a", "b"): links}), perplexity=5)
    lazy = {("a", "b"): dd.from_pandas(links, npartitions=2)}
    found: Any = joint_affinities(RelationalData({"a": da.from_array(X, chunks=(25, -1)), "b": 5}, lazy), perplexity=5)
    assert abs(found.to_csr() - expected).max() <= 1e-6 * expected.max()


def test_what_a_cluster_cannot_do_is_said(client: Client) -> None:
    blocks = da.from_array(vectors(50, 3), chunks=(25, -1))
    data = RelationalData({"a": blocks})
    with pytest.raises(ParameterError, match=r"weights must be 'auto', 'size', 'equal' .* got 'balanced'"):
        MRSNE(weights="balanced").fit(data)
    with pytest.raises(ParameterError, match=r"metric must be one of 'euclidean', 'cosine' .* got 'precomputed'"):
        MRSNE(metric="precomputed").fit(data)
    with pytest.raises(ParameterError, match="device must be 'cpu' or 'auto' for data in dask collections, got 'cuda'"):
        joint_affinities(data, device="cuda")
    with pytest.raises(
        ParameterError, match="method must be 'auto' or 'fft' for data in dask collections, got 'exact'"
    ):
        MRSNE(method="exact", max_iter=2).fit(data)
    with pytest.raises(ParameterError, match=r"n_components must be 1, 2 or 3 .* got 4"):
        MRSNE(n_components=4).fit(RelationalData({"a": da.zeros((10**9, 900))}))  # which would take its time
    with pytest.raises(DataError, match=r"vectors\['b'\] is a sparse matrix"):
        RelationalData({"a": blocks, "b": sparse.eye(4, format="csr")})
    with pytest.raises(DataError, match="missing is for data in memory"):
        RelationalData({"a": blocks}, missing={"a": np.zeros(50, bool)})
    with pytest.raises(DataError, match="dask array of shape"):
        RelationalData({"a": blocks[:, 0]})
    with pytest.raises(AttributeError, match="data on a cluster has no 'subset'"):
        data.subset({"a": [1]})
    with pytest.raises(AttributeError, match="data on a cluster has no 'relation'"):
        data.relation("a", "b")
    table = dd.from_pandas(pd.DataFrame({"a": [0], "b": [1]}))
    with pytest.raises(DataError, match="vectors must be a non-empty mapping of domain names to arrays or counts, got"):
        RelationalData(blocks, {("a", "b"): table})
    model = MRSNE(max_iter=2, perplexity=5, init="random").fit(data)
    with pytest.raises(DataError, match="data is on a cluster; transform places new items into a map"):
        model.transform({"a": np.zeros((1, 3))})


def test_a_map_of_data_on_a_cluster_is_shown_with_its_names(client: Client, tmp_path: Path) -> None:
    table = dd.from_pandas(pd.DataFrame({"photo": np.arange(60), "tag": np.arange(60) % 3}), npartitions=2)
    blocks = da.from_array(vectors(60, 3), chunks=(30, -1))
    names = {"tag": ["sun", "rain", "snow"]}
    data = RelationalData({"photo": blocks, "tag": 3}, {("photo", "tag"): table}, names=names)
    embedding = MRSNE(max_iter=2, perplexity=5, init="random").fit_transform(data)
    embedding.to_html(tmp_path / "given.html", data)
    embedding.to_html(tmp_path / "known.html")
    assert (tmp_path / "given.html").read_text() == (tmp_path / "known.html").read_text()
    assert embedding.data is not None
    assert dict(embedding.data.names) == {"tag": ("sun", "rain", "snow")}
    with pytest.raises(DataError, match="data is on a cluster; scores need data in memory"):
        metrics.trustworthiness(embedding, data)


def test_affinities_on_a_cluster_say_what_they_are(client: Client) -> None:
    data = RelationalData({"a": da.from_array(vectors(60, 3), chunks=(30, -1))})
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0") as own:
        with distributed.Client(own):
            P: Any = joint_affinities(data, perplexity=5)
        assert repr(P) == "<matrix of 60 rows and columns in 1 blocks on a cluster>"
        with pytest.raises(ClusterError, match="the cluster that holds P̃ is closed"):
            embed(P)
        with pytest.raises(TypeError, match=r"P̃ on a cluster cannot be pickled; its to_csr\(\)"):
            pickle.dumps(P)


def test_a_column_of_text_is_named() -> None:
    table = dd.from_pandas(pd.DataFrame({"x": [0.0, 1.0], "name": ["a", "b"]}))
    with pytest.raises(DataError, match=r"vectors\['a'\] must hold real numbers, but the column 'name' does not"):
        RelationalData({"a": table})


def test_an_empty_file_is_said_to_be_empty(tmp_path: Path) -> None:
    np.save(tmp_path / "none.npy", np.empty((0, 4)))
    with pytest.raises(ValueError, match=r"none.npy' has shape \(0, 4\); a domain needs at least one item"):
        npy_blocks(tmp_path / "none.npy")


def test_more_items_than_columns_have_numbers_for(client: Client) -> None:
    data = RelationalData({"a": da.zeros((2**31, 1), chunks=(2**24, 1))})
    with pytest.raises(ParameterError, match=r"data has 2147483648 items, at most 2147483647"):
        joint_affinities(data)


def test_addresses() -> None:
    for wrong in ("somewhere", "local:0", "local:x"):
        with pytest.raises(ParameterError, match=r"cluster must be 'local', 'local:N' or an address"), connected(wrong):
            pass
    with pytest.raises(ClusterError, match=r"no scheduler at tcp://127\.0\.0\.1:9"), connected("tcp://127.0.0.1:9", 1):
        pass


def test_without_a_cluster_this_process_computes() -> None:
    data = RelationalData({"a": da.from_array(vectors(60, 3), chunks=(30, -1))})
    model = MRSNE(max_iter=3, perplexity=5, random_state=0)
    assert model.fit_transform(data)["a"].shape == (60, 2)
    assert abs(model.affinities_ - joint_affinities(data, perplexity=5)).max() < 1e-9, "both in memory"


def test_dask_is_not_loaded_without_need() -> None:
    code = "import sys, numpy, mrsne; mrsne.MRSNE(max_iter=2).fit(numpy.eye(9)); assert 'dask' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_an_interrupted_run_ends_without_a_word_of_its_workers(tmp_path: Path) -> None:
    """Ctrl-C on a terminal is for all processes of the group."""
    np.save(tmp_path / "x.npy", vectors(300, 4))
    command = [sys.executable, "-m", "mrsne", "fit", "--domain", f"image={tmp_path / 'x.npy'}", "--perplexity", "8"]
    command += ["--checkpoint", str(tmp_path / "state.npz"), "--max-iter", "9000", "-o", str(tmp_path / "map.npz")]
    command += ["--cluster", "local:1"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    while not (tmp_path / "state.npz").exists():
        assert process.poll() is None
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in said
    assert len(said.splitlines()) <= 2, said


def test_the_command_line(tmp_path: Path) -> None:
    X = vectors(120, 4)
    np.save(tmp_path / "x.npy", X)
    links = pd.DataFrame({"image": np.arange(120), "tag": np.arange(120) % 5})
    links.to_parquet(tmp_path / "links.parquet")
    command = [sys.executable, "-m", "mrsne", "fit", "--domain", f"image={tmp_path / 'x.npy'}", "--domain", "tag=5"]
    command += ["--relation", f"image:tag={tmp_path / 'links.parquet'}", "--perplexity", "8", "--max-iter", "20"]
    command += ["--json", "-o", str(tmp_path / "map.npz")]
    done = subprocess.run([*command, "--cluster", "local:2"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert summary["items"] == {"image": 120, "tag": 5}
    assert summary["neighbor_recall"] == {"image": 1.0}
    assert (summary["links"], summary["hit_rate_10"]) == (None, None)
    assert (tmp_path / "map.npz").exists()
    assert (tmp_path / "map.coordinates.csv").read_text().count("\n") == 126
    view = [sys.executable, "-m", "mrsne", "view", str(tmp_path / "map.npz"), "-o", str(tmp_path / "map.html")]
    shown = subprocess.run(view, capture_output=True, text=True, check=False)
    assert shown.returncode == 0, shown.stderr
    assert (tmp_path / "map.html").exists()
    failed = subprocess.run([*command, "--cluster", "nowhere"], capture_output=True, text=True, check=False)
    assert failed.returncode == 1
    assert "cluster must be 'local'" in failed.stderr
    assert "Traceback" not in failed.stderr


def test_threads_of_the_client_are_those_asked_for(client: Client) -> None:
    """The client moves the items itself."""
    data = RelationalData({"a": da.from_array(vectors(60, 3), chunks=(30, -1))})
    sizes: list[int | None] = []

    def look(iteration: int, kl: float, embedding: Any) -> None:
        team = current_team()
        sizes.append(None if team is None else team.size)

    MRSNE(max_iter=50, perplexity=5, init="random", n_jobs=2, callbacks=look).fit(data)
    assert sizes == [2]
    with pytest.raises(ParameterError, match="n_jobs must be None or a non-zero integer"):
        MRSNE(n_jobs=0).fit(data)


def test_a_table_with_a_column_called_client_is_no_cluster() -> None:
    P = pd.DataFrame(np.ones((3, 3)), columns=["client", "b", "c"])
    assert embed(P, max_iter=5, random_state=0).shape == (3, 2)
