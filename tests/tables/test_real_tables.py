"""Tables that nobody here made: mrsne takes their columns for what a careful person would, without an option.

``expectations.toml`` says what that is, and was written before mrsne was run on any of them; ``real/LICENCES.md`` says
where the tables are from. Tables that may not be passed on are tried where MRSNE_REAL_TABLES names the folder that
``tools/real_tables.py --fetch`` wrote.
"""

from __future__ import annotations

import gzip
import os
import tomllib
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial import cKDTree

from mrsne import MRSNE, Embedding, RelationalData
from mrsne.viewer.content import Content
from tests.cli.conftest import run
from tests.tables.judging import Judged

HERE = Path(__file__).parent
EXPECTED = tomllib.loads((HERE / "expectations.toml").read_text())
KNOWN = tomllib.loads((HERE / "known_mistakes.toml").read_text())
BUNDLED = sorted(path.name.removesuffix(".gz") for path in (HERE / "real").glob("*.gz"))
FETCHED = Path(os.environ.get("MRSNE_REAL_TABLES", HERE / "not fetched"))
TABLES = [*BUNDLED, *sorted(name for name in EXPECTED if name not in BUNDLED and (FETCHED / name).exists())]

FEWEST = 40
CIRCLE = 0.1  # of the items of a map
SHARED = 0.1  # of the items of a kind: others say nothing of what belongs together
FEW_ROWS = 100  # of which hardly any might share something
MEGABYTES = 3
PIXEL = 1 / 2e6  # at full zoom, LARGEST_SCALE of web/src/camera.ts, of a map from -1 to 1

pytestmark = pytest.mark.skipif(not BUNDLED, reason="tables under other licences are in the repository only")


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All tables, unpacked."""
    unpacked = tmp_path_factory.mktemp("real")
    for name in TABLES:
        packed = HERE / "real" / f"{name}.gz"
        data = gzip.decompress(packed.read_bytes()) if packed.exists() else (FETCHED / name).read_bytes()
        (unpacked / name).write_bytes(data)
    return unpacked


@pytest.mark.parametrize("name", TABLES)
def test_columns_are_what_a_careful_person_would_take_them_for(name: str, folder: Path) -> None:
    mistakes = Judged(folder / name, EXPECTED[name]).mistakes()
    if name in KNOWN["columns"]:
        assert mistakes, f"{name} is right now: remove it from known_mistakes.toml"
    else:
        assert not mistakes


@pytest.mark.parametrize("name", [name for name in TABLES if name not in KNOWN["columns"]])
def test_a_dry_run_needs_no_option(name: str, folder: Path) -> None:
    code, printed, errors = run("map", folder / name, "--dry-run")
    assert (code, errors) == (0, "")
    assert name in printed


def test_all_known_mistakes_are_of_tables_that_are_there() -> None:
    assert len(BUNDLED) >= FEWEST
    assert {*KNOWN["columns"], *KNOWN["maps"]} <= set(EXPECTED)


def test_the_documentation_says_how_many_are_right() -> None:
    right = set(BUNDLED) - set(KNOWN["columns"])
    text = " ".join((HERE.parents[1] / "docs" / "tables.md").read_text().split())
    assert f"written down for {len(BUNDLED)} tables" in text
    assert f"{len(right)} of {len(BUNDLED)} are right" in text


def test_at_least_nine_in_ten_of_the_real_tables_are_right() -> None:
    assert len(set(BUNDLED) - set(KNOWN["columns"])) >= 0.9 * len(BUNDLED)


def test_where_every_table_is_from_is_said_and_the_bundle_is_small() -> None:
    said = (HERE / "real" / "LICENCES.md").read_text()
    assert [name for name in BUNDLED if f"| {name} |" not in said] == []
    assert sum(path.stat().st_size for path in (HERE / "real").iterdir()) < MEGABYTES * 1e6


def places_on_page(embedding: Embedding, data: RelationalData) -> dict[str, Any]:
    """Return where the page draws the items of each kind that has several."""
    packed = Content(embedding, data, report=False).parts["places"]()
    places = np.frombuffer(gzip.decompress(packed), "<f4").reshape(2, -1).T
    parts = np.split(places, np.cumsum(list(data.sizes.values()))[:-1])
    return {kind: part for kind, part in zip(data.sizes, parts, strict=True) if len(part) > 1}


def problems_of_map(judged: Judged) -> Iterable[str]:
    """Return what is wrong with a map: of ids, of what it should show, much on the circle, items on one another."""
    data = judged.data
    model = MRSNE(random_state=0)
    with warnings.catch_warnings(action="ignore"):  # of the few items on the circle
        model.fit(data)
    lost = np.diff(model.affinities_.indptr) == 0
    if lost.mean() > CIRCLE:
        yield f"{lost.mean():.0%} of the items on the circle"
    for kind, places in places_on_page(model.embedding_, data).items():
        nearest = cKDTree(places).query(places, k=2)[0][:, 1].min()
        if nearest < PIXEL:
            yield f"two items of {kind} are drawn {nearest / PIXEL:.2g} pixels from each other"
    for (one, other), links in data.relations.items():
        if one != other and data.sizes[one] > FEW_ROWS:
            shared = np.bincount(links.indices, minlength=data.sizes[other]) > 1
            if shared.mean() < SHARED:
                yield f"{other} is a kind of ids"
    rows = next(iter(data.sizes))
    for heading in judged.expected.get("class", ()):
        if heading not in data.columns[rows] or heading in data.sizes:
            yield f"{heading} is not there to colour by"


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in TABLES if name not in KNOWN["columns"]])
def test_maps_are_of_what_rows_share_and_hardly_anything_is_on_the_circle(name: str, folder: Path) -> None:
    problems = list(problems_of_map(Judged(folder / name, EXPECTED[name])))
    if name in KNOWN["maps"]:
        assert problems, f"the map of {name} is right now: remove it from known_mistakes.toml"
    else:
        assert not problems
