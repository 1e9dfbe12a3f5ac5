"""A second run computes nothing; a cache that cannot be used is said once, and the run goes on without it."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from mrsne.encoders.cache import FILE, Cache, CacheError
from mrsne.encoders.images import encode_pictures
from mrsne.encoders.reading import PictureCache, Pixels, in_half_precision
from tests.data.files.hostile_files import PATIENCE, in_another_process
from tests.encoders.models import save_mean_model


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
    return sqlite3.connect(folder / "cache" / FILE, isolation_level=None)


def test_a_second_run_decodes_and_computes_nothing(
    paths: list[Path], model: Path, expected: NDArray[np.float32], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "elsewhere.png"
    copy.write_bytes(paths[0].read_bytes())

    def refuse(file: Any) -> Any:
        raise AssertionError("decoded again")

    monkeypatch.setattr("mrsne.encoders.decoding.decoded_picture", refuse)
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
    [(key, stored)] = connection.execute(
        "SELECT key, content FROM entries WHERE kind LIKE 'vectors %' LIMIT 1"
    ).fetchall()
    changed = bytearray(stored)
    changed[-1] ^= 4  # another exponent: a number, but not this one
    connection.execute("UPDATE entries SET content = ? WHERE key = ?", (bytes(changed), key))
    connection.close()
    with pytest.warns(UserWarning, match="has damaged vectors"):
        again = encode_pictures(paths, model=model, cache=tmp_path / "cache")
    np.testing.assert_array_equal(again.vectors, expected)


@pytest.mark.skipif(os.name != "posix", reason="rights of folders are those of POSIX")
def test_others_cannot_look_into_the_cache(expected: NDArray[np.float32], tmp_path: Path) -> None:
    assert (tmp_path / "cache").stat().st_mode & 0o077 == 0


def not_a_database(folder: Path) -> None:
    (folder / "cache" / FILE).write_text("no database" * 100)


def damaged_pages(folder: Path) -> None:
    path = folder / "cache" / FILE
    content = bytearray(path.read_bytes())
    content[4096:] = os.urandom(len(content) - 4096)
    path.write_bytes(content)


def cut_off(folder: Path) -> None:
    path = folder / "cache" / FILE
    path.write_bytes(path.read_bytes()[:5000])


def another_schema(folder: Path) -> None:
    database(folder).executescript("DROP TABLE entries; CREATE TABLE entries (key TEXT, value REAL)")


def a_query_without_end(folder: Path) -> None:
    """A view in place of the table: SQLite would count for ever."""
    database(folder).executescript(
        "DROP TABLE entries; CREATE VIEW entries AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
        "SELECT '' AS kind, zeroblob(32) AS key, zeroblob(6) AS content FROM n"
    )


def a_trigger(folder: Path) -> None:
    database(folder).executescript("CREATE TRIGGER forget AFTER INSERT ON entries BEGIN DELETE FROM entries; END")


def a_pipe(folder: Path) -> None:
    (folder / "cache" / FILE).unlink()
    os.mkfifo(folder / "cache" / FILE)


def a_circle(folder: Path) -> None:
    (folder / "cache" / FILE).unlink()
    os.symlink(FILE, folder / "cache" / FILE)


DAMAGES = [not_a_database, damaged_pages, cut_off, another_schema, a_query_without_end, a_trigger, a_pipe, a_circle]


def test_files_of_older_versions_are_neither_read_nor_changed(paths: list[Path], model: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    for name in ("vectors", "thumbnails", "files", "maps"):
        (tmp_path / "cache" / f"{name}.sqlite").write_text("no database")
    for n_known in (0, 4):
        assert encode_pictures(paths, model=model, cache=tmp_path / "cache", thumbnail_side=8).n_known == n_known
    assert {path.read_text() for path in (tmp_path / "cache").iterdir() if path.name != FILE} == {"no database"}


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
    with pytest.warns(UserWarning, match=r"^the cache '.*cache.sqlite' cannot be used \(.*computed again") as caught:
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
    connection = database(tmp_path)
    connection.execute(
        "UPDATE entries SET content = ? WHERE kind LIKE 'vectors %' AND key IN (SELECT key FROM "
        "entries WHERE kind LIKE 'vectors %' ORDER BY key LIMIT 2)",
        (stored,),
    )
    with pytest.warns(UserWarning, match="has damaged vectors; ") as caught:
        found = encode_pictures(paths, model=model, cache=tmp_path / "cache", thumbnail_side=thumbnail_side)
    assert len(caught) == 1
    assert found.n_known == 2
    np.testing.assert_array_equal(found.vectors, expected)
    assert encode_pictures(paths, model=model, cache=tmp_path / "cache").n_known == 4


def test_a_full_disk_ends_the_keeping_and_not_the_run(paths: list[Path], model: Path, tmp_path: Path) -> None:
    script = """
import resource, warnings
from mrsne.encoders.images import encode_pictures
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


def test_a_folder_that_cannot_be_written_to(tmp_path: Path) -> None:
    script = """
import os
from mrsne.encoders.cache import Cache
if os.getuid() == 0:
    os.setuid(65534)  # nothing is closed to root
for folder in ("closed", "closed/inside"):
    with Cache(folder) as cache:
        cache.put([("vectors", b"key", b"content")])
        print(cache.get("vectors", b"key"), cache.keys("vectors"), "cannot be used" in cache.trouble)
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


def test_several_processes_use_one_folder_at_once(tmp_path: Path) -> None:
    script = """
from mrsne.encoders.cache import Cache
for index in range(50):
    with Cache(sys.argv[1]) as cache:
        cache.put([("vectors", b"%d %d" % (index, int(sys.argv[2])), b"content")])
        assert cache.trouble is None, cache.trouble
"""
    command = [sys.executable, "-c", "import sys\n" + script, str(tmp_path / "cache")]
    processes = [subprocess.Popen([*command, str(index)]) for index in range(3)]
    assert [process.wait(timeout=PATIENCE) for process in processes] == [0, 0, 0]
    with Cache(tmp_path / "cache") as cache:
        assert len(cache.keys("vectors")) == 150


def new(digest: bytes, vector: NDArray[np.float32]) -> Pixels:
    return Pixels("picture.png", digest, crop=np.zeros((1, 1, 3), np.uint8), vector=vector)


def test_vectors_that_half_precision_does_not_hold_are_not_kept(tmp_path: Path) -> None:
    vectors = np.array([[1, 2], [1e6, 0], [1e-9, 1e-8], [0, 0], [np.nan, 1]], np.float32)
    np.testing.assert_array_equal(in_half_precision(vectors), vectors)
    np.testing.assert_array_equal(
        in_half_precision(np.array([[0.1, 0.2]], np.float32)), [np.array([0.1, 0.2], np.float16)]
    )
    with Cache(tmp_path) as cache:
        PictureCache(cache, "model", 2, None).put(new(bytes([index]), each) for index, each in enumerate(vectors))
        assert PictureCache(cache, "model", 2, None).known_vectors == {b"\0", b"\3"}
        assert cache.trouble is None


def test_models_have_their_own_vectors(tmp_path: Path) -> None:
    with Cache(tmp_path) as cache:
        PictureCache(cache, "one", 2, None).put([new(b"digest", np.ones(2, np.float32))])
        other = PictureCache(cache, "two", 2, None)
        assert other.vector(b"digest") is None
        assert other.known_vectors == set()
