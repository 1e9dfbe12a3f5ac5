"""A second run computes nothing; a cache that cannot be used is said once, and the run goes on without it."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from mrsne.encoders import encode_pictures
from mrsne.encoders.cache import VectorCache, in_half_precision
from mrsne.encoders.cache_file import CacheError
from tests.encoders.models import save_mean_model
from tests.io.hostile_files import in_another_process


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_mean_model(tmp_path_factory.mktemp("model") / "mean.onnx")


@pytest.fixture
def paths(tmp_path: Path) -> list[Path]:
    for index in range(4):
        Image.new("RGB", (40, 30), (60 * index, 200, 90)).save(tmp_path / f"{index}.png")
    return [tmp_path / f"{index}.png" for index in range(4)]


@pytest.fixture
def expected(paths: list[Path], model: Path, tmp_path: Path) -> NDArray[np.float32]:
    """The vectors, which are in the cache then."""
    return encode_pictures(paths, model=model, cache=tmp_path / "cache").vectors


def database(folder: Path) -> sqlite3.Connection:
    return sqlite3.connect(folder / "cache" / "vectors.sqlite", isolation_level=None)


def test_a_second_run_decodes_and_computes_nothing(
    paths: list[Path], model: Path, expected: NDArray[np.float32], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "elsewhere.png"
    copy.write_bytes(paths[0].read_bytes())

    def refuse(file: Any) -> Any:
        raise AssertionError("decoded again")

    monkeypatch.setattr("mrsne.encoders.reading.read_picture", refuse)
    again = encode_pictures([*paths, copy], model=model, cache=tmp_path / "cache")
    assert again.n_known == 5
    np.testing.assert_array_equal(again.vectors, expected[[0, 1, 2, 3, 0]])


def test_vectors_are_the_same_without_a_cache(model: Path, tmp_path: Path) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (30, 40, 3), dtype=np.uint8)
    Image.fromarray(noise).save(tmp_path / "noise.png")
    kept, not_kept = (
        encode_pictures([tmp_path / "noise.png"], model=model, cache=cache).vectors
        for cache in (tmp_path / "cache", None)
    )
    np.testing.assert_array_equal(kept, not_kept)


def test_a_vector_with_another_bit_is_computed_again(
    paths: list[Path], model: Path, expected: NDArray[np.float32], tmp_path: Path
) -> None:
    connection = database(tmp_path)
    [(content, stored)] = connection.execute("SELECT content, vector FROM vectors LIMIT 1").fetchall()
    changed = bytearray(stored)
    changed[-1] ^= 4  # another exponent: a number, but not this one
    connection.execute("UPDATE vectors SET vector = ? WHERE content = ?", (bytes(changed), content))
    connection.close()
    with pytest.warns(UserWarning, match="has damaged vectors"):
        again = encode_pictures(paths, model=model, cache=tmp_path / "cache")
    np.testing.assert_array_equal(again.vectors, expected)


@pytest.mark.skipif(os.name != "posix", reason="rights of folders are those of POSIX")
def test_others_cannot_look_into_the_cache(expected: NDArray[np.float32], tmp_path: Path) -> None:
    assert (tmp_path / "cache").stat().st_mode & 0o077 == 0


def not_a_database(folder: Path) -> None:
    (folder / "cache" / "vectors.sqlite").write_text("no database" * 100)


def damaged_pages(folder: Path) -> None:
    path = folder / "cache" / "vectors.sqlite"
    content = bytearray(path.read_bytes())
    content[4096:] = os.urandom(len(content) - 4096)
    path.write_bytes(content)


def cut_off(folder: Path) -> None:
    path = folder / "cache" / "vectors.sqlite"
    path.write_bytes(path.read_bytes()[:5000])


def another_schema(folder: Path) -> None:
    database(folder).executescript("DROP TABLE vectors; CREATE TABLE vectors (key TEXT, value REAL)")


def a_query_without_end(folder: Path) -> None:
    """A view in place of the table: SQLite would count for ever."""
    database(folder).executescript(
        "DROP TABLE vectors; CREATE VIEW vectors AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
        "SELECT '' AS model, zeroblob(32) AS content, zeroblob(6) AS vector FROM n"
    )


def a_trigger(folder: Path) -> None:
    database(folder).executescript("CREATE TRIGGER forget AFTER INSERT ON vectors BEGIN DELETE FROM vectors; END")


def a_pipe(folder: Path) -> None:
    (folder / "cache" / "vectors.sqlite").unlink()
    os.mkfifo(folder / "cache" / "vectors.sqlite")


def a_circle(folder: Path) -> None:
    (folder / "cache" / "vectors.sqlite").unlink()
    os.symlink("vectors.sqlite", folder / "cache" / "vectors.sqlite")


DAMAGES = [not_a_database, damaged_pages, cut_off, another_schema, a_query_without_end, a_trigger, a_pipe, a_circle]


def test_one_thing_that_is_wrong_with_the_whole_folder_is_said_once(
    paths: list[Path], model: Path, tmp_path: Path
) -> None:
    for name in ("vectors", "thumbnails", "files"):
        (tmp_path / "cache" / f"{name}.sqlite").mkdir(parents=True)
    with pytest.warns(UserWarning, match=r"vectors.sqlite' cannot be used \(it is not a file\)") as caught:
        found = encode_pictures(paths, model=model, cache=tmp_path / "cache", thumbnail_side=8)
    assert len(caught) == 1
    assert not found.problems


def test_a_cache_of_vectors_alone_is_still_good(
    paths: list[Path], model: Path, expected: NDArray[np.float32], tmp_path: Path
) -> None:
    """As version 0.1.0 leaves it; that version can go on with it, too."""
    (tmp_path / "cache" / "files.sqlite").unlink()
    before = (tmp_path / "cache" / "vectors.sqlite").read_bytes()
    found = encode_pictures(paths, model=model, cache=tmp_path / "cache", thumbnail_side=8)
    assert found.n_known == 4
    np.testing.assert_array_equal(found.vectors, expected)
    assert (tmp_path / "cache" / "vectors.sqlite").read_bytes() == before


@pytest.mark.parametrize("thumbnail_side", [None, 8])
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_cache_that_cannot_be_used_is_said_once_and_the_run_goes_on(
    damage: Callable[[Path], None],
    thumbnail_side: int | None,
    paths: list[Path],
    model: Path,
    expected: NDArray[np.float32],
    tmp_path: Path,
) -> None:
    damage(tmp_path)
    with pytest.warns(UserWarning, match=r"^the cache '.*vectors.sqlite' cannot be used \(.*computed again") as caught:
        found = encode_pictures(
            paths, model=model, batch_size=1, cache=tmp_path / "cache", thumbnail_side=thumbnail_side
        )
    assert len(caught) == 1
    np.testing.assert_array_equal(found.vectors, expected)
    assert not found.problems


@pytest.mark.parametrize("thumbnail_side", [None, 8])
@pytest.mark.parametrize(
    "stored",
    [b"", b"short", b"\0" * 8, "sixsix", None, 3.5, np.full(3, np.nan, np.float16).tobytes(), b"\0\x7c" * 3],
    ids=["empty", "short", "long", "text", "null", "number", "nan", "inf"],
)
def test_damaged_vectors_are_computed_again_and_replaced(
    stored: Any,
    thumbnail_side: int | None,
    paths: list[Path],
    model: Path,
    expected: NDArray[np.float32],
    tmp_path: Path,
) -> None:
    database(tmp_path).execute("UPDATE vectors SET vector = ? WHERE rowid IN (2, 3)", (stored,))
    with pytest.warns(UserWarning, match="has damaged vectors; ") as caught:
        found = encode_pictures(paths, model=model, cache=tmp_path / "cache", thumbnail_side=thumbnail_side)
    assert len(caught) == 1
    assert found.n_known == 2
    np.testing.assert_array_equal(found.vectors, expected)
    assert encode_pictures(paths, model=model, cache=tmp_path / "cache").n_known == 4


def test_a_full_disk_ends_the_keeping_and_not_the_run(paths: list[Path], model: Path, tmp_path: Path) -> None:
    script = """
import resource, warnings
from mrsne.encoders import encode_pictures
model, cache, *paths = sys.argv[1:]
encode_pictures(paths[:2], model=model, cache=cache)
resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    found = encode_pictures(paths, model=model, batch_size=1, cache=cache)
print(len(caught), "cannot be written to" in str(caught[0].message), found.n_known, len(found.problems))
print(bool((found.vectors == found.vectors).all()))
"""
    result = in_another_process(script, model, tmp_path / "cache", *paths)
    assert result.stdout.split() == ["1", "True", "2", "0", "True"], result.stderr  # those it has are still found


def test_a_folder_that_cannot_be_written_to(paths: list[Path], tmp_path: Path) -> None:
    script = """
import os, warnings
from mrsne.encoders.cache import VectorCache
if os.getuid() == 0:
    os.setuid(65534)  # nothing is closed to root
for folder in ("closed", "closed/inside"):
    with VectorCache(folder, "model", 3) as cache:
        cache.put([(b"digest", [1, 2, 3])])
        print(cache.get(b"digest"), cache.contents(), "cannot be used" in cache.trouble)
"""
    (tmp_path / "closed").mkdir(mode=0o555)
    tmp_path.chmod(0o755)
    result = in_another_process(f"import os\nos.chdir({str(tmp_path)!r})\n{script}")
    assert result.stdout == "None set() True\n" * 2, result.stderr


def test_something_else_than_a_folder_is_a_mistake_of_the_caller(paths: list[Path], model: Path) -> None:
    with pytest.raises(CacheError, match=r"0.png' cannot be used: it is not a folder; give another, or none"):
        encode_pictures(paths, model=model, cache=paths[0])
    with pytest.raises(CacheError, match="cannot be used: it is not a folder"):
        encode_pictures(paths, model=model, cache="zero\0byte")


def test_vectors_that_half_precision_does_not_hold_are_not_kept(tmp_path: Path) -> None:
    vectors = np.array([[1, 2], [1e6, 0], [1e-9, 1e-8], [0, 0], [np.nan, 1]], np.float32)
    rounded, holds = in_half_precision(vectors)
    assert holds.tolist() == [True, False, False, True, False]
    np.testing.assert_array_equal(rounded, vectors)
    with VectorCache(tmp_path, "model", 2) as cache:
        cache.put([(bytes([index]), vector) for index, vector in enumerate(vectors)])
        assert cache.contents() == {b"\0", b"\3"}
        assert cache.trouble is None


def test_models_have_their_own_vectors(tmp_path: Path) -> None:
    with VectorCache(tmp_path, "one", 2) as cache:
        cache.put([(b"digest", np.ones(2))])
    with VectorCache(tmp_path, "two", 2) as cache:
        assert cache.get(b"digest") is None
        assert cache.contents() == set()
