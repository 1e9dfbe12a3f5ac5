"""Tables at addresses and from standard input: copied for a while, called by their address, within a budget."""

from __future__ import annotations

import functools
import http.server
import io
import sys
import tempfile
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from mrsne import Collection
from mrsne.cli.options import DataOptions
from mrsne.data.tables.addresses import is_elsewhere, local_copy, table_name
from mrsne.data.tables.reading import open_table, write_table
from mrsne.data.tables.table import TableError
from tests.cli.conftest import run, summary_of

fsspec = pytest.importorskip("fsspec", reason="addresses need fsspec: pip install 'mrsne[remote]'")
WORKS = {"id": ["N1", "N2", "N3", "N4"], "subjects": ["sea; ship", "sea", "hill; lake", "lake; sea"]}
ROLES = {"id": "id", "subjects": "kind"}


@pytest.fixture(autouse=True)
def nothing_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Copies are gone when a table has been read, or could not be."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield
    fsspec.filesystem("memory").store.clear()
    assert not list(folder.iterdir())


def in_memory(name: str, content: bytes | str) -> str:
    with fsspec.open(f"memory://{name}", "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())
    return f"memory://{name}"


def written(path: Path) -> bytes:
    write_table(path, WORKS)
    return path.read_bytes()


def typed(content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))


def roles_of(*arguments: str | Path) -> dict[str, dict[str, str]]:
    columns = summary_of("map", *arguments, "--dry-run")["columns"]
    return {source: {heading: column["role"] for heading, column in own.items()} for source, own in columns.items()}


def test_addresses_are_told_from_files() -> None:
    addresses: list[str | Path] = [
        "s3://b/v",
        "https://a.org/x.csv",
        Path("gs://b/v"),
        "zip://a.csv::s3://b/a.zip",
        "simplecache::s3://b/v",
    ]
    assert all(is_elsewhere(given) for given in [*addresses, "-", Path("-")])
    assert not any(map(is_elsewhere, ["works.csv", "C:/works.csv", "c:\\works.csv", "a:b.csv", "/a/b:/c.csv", ""]))
    assert table_name(Path("https://a.org/a%20b/w%2Fx.csv?token=1#top")) == "x.csv"


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet"])
def test_a_table_at_an_address_is_read_whatever_its_name_ends_in(ending: str, tmp_path: Path) -> None:
    content = written(tmp_path / f"works{ending}")
    assert roles_of(in_memory(f"a/works{ending}", content)) == {f"works{ending}": ROLES}
    assert roles_of(in_memory("a/works", content)) == {f"works{ending}": ROLES}


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet"])
def test_standard_input_is_read_as_what_it_is(ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    typed(written(tmp_path / f"works{ending}"), monkeypatch)
    found = summary_of("map", "-", "-o", tmp_path / "map.html", "--item", "work", "--no-cache")
    assert found["items"] == {"work": 4, "subject": 4}
    assert "<title>standard input" in (tmp_path / "map.html").read_text(encoding="utf-8")


def test_standard_input_is_one_table_at_most(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    typed(b"subject,colour\nsea,blue\nlake,blue\nhill,green\n", monkeypatch)
    written(tmp_path / "works.csv")
    assert list(roles_of(tmp_path / "works.csv", "--also", "-", "--on", "subjects")) == [
        "works.csv",
        "standard input.csv",
    ]
    typed(b"id,subjects\nN1,sea\nN2,sea\n", monkeypatch)
    code, _, words = run("map", "-", "--also", "-", "--on", "subjects", "--dry-run")
    assert (code, words) == (
        1,
        "mrsne: standard input is at its end; it is read once, so that one table at most can be '-'\n",
    )
    code, _, words = run("fit", "--relation", "-", "-o", tmp_path / "map.npz")
    assert "--relation must be DOMAIN:DOMAIN=FILE for a matrix or '-', got '-'" in words


def test_every_option_that_takes_a_table_takes_an_address(tmp_path: Path) -> None:
    np.save(tmp_path / "vectors.npy", np.eye(3))
    vectors = in_memory("vectors.npy", (tmp_path / "vectors.npy").read_bytes())
    links, names = in_memory("links.csv", "photo,tag\na,x\nb,y\nc,x\n"), in_memory("names.txt", "a\nb\nc\n")
    data = DataOptions([f"photo={vectors}"], [f"photo:tag={links}"], [f"photo={names}"]).parsed().read()
    assert (data.names["photo"], data.names["tag"]) == (("a", "b", "c"), ("x", "y"))
    np.testing.assert_array_equal(data.vectors["photo"], np.eye(3))
    assert DataOptions(relations=[links]).parsed().read().sizes == {"photo": 3, "tag": 2}
    works = in_memory("works.csv", written(tmp_path / "works.csv"))
    collection = Collection.from_table(works)
    assert collection.data.sizes == {"work": 4, "subject": 4}
    assert collection.read_new(in_memory("new.csv", "id,subjects\nN9,sea\n")).names == ["N9"]


def test_an_address_in_an_archive_and_one_of_a_file(tmp_path: Path) -> None:
    works = tmp_path / "works.csv"
    written(works)
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.write(works, "a/works.csv")
    for address in (f"zip://a/works.csv::{tmp_path / 'all.zip'}", works.as_uri()):
        assert open_table(address).size == open_table(Path(address)).size == 4


def test_what_is_wrong_is_said_with_the_address() -> None:
    address = in_memory("a/works.csv", "id,title\n1,Storm,sea\n2,Calm,sea\n")
    for given in (address, Path(address)):
        with pytest.raises(TableError, match=r"^works.csv, line 2: more than half"):
            open_table(given)
    for content, words in (
        (b"", "is empty"),
        (b"<!DOCTYPE html>", "is a page of the web"),
        (b"%PDF-", "is a PDF file"),
    ):
        with pytest.raises(TableError, match=rf"^'memory://a/x.csv' {words}"):
            open_table(in_memory("a/x.csv", content))
    with pytest.raises(FileNotFoundError, match=r"there is no table at 'memory://gone\.csv'"):
        open_table("memory://gone.csv")
    with pytest.raises(
        TableError, match=r"'nowhere://a/x.csv' cannot be read \(ValueError: Protocol not known: nowhere"
    ):
        open_table("nowhere://a/x.csv")


def test_packages_that_are_missing_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "s3fs", None)
    with pytest.raises(ImportError, match=r"'s3://b/v.csv' cannot be opened .*: pip install 'fsspec\[s3\]'"):
        open_table("s3://b/v.csv")
    monkeypatch.setitem(sys.modules, "fsspec", None)
    for address in ("https://a.org/x.csv", "memory://x.csv"):
        with pytest.raises(ImportError, match=rf"'{address}' cannot be opened .*: pip install 'mrsne\[remote\]'"):
            open_table(address)


def test_no_more_is_fetched_than_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MRSNE_FETCHED_BYTES", "1000")
    address = in_memory("works.csv", "id\n" + "1\n" * 1000)
    with pytest.raises(
        TableError, match=r"works.csv' has 2,003 bytes; there can be 1,000 at most \(.*MRSNE_FETCHED_BYTES"
    ):
        open_table(address)


def test_nothing_is_written_to_an_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, words = run("map", in_memory("works.csv", written(tmp_path / "works.csv")), "-o", "s3://b/map.html")
    assert (code, words) == (1, "mrsne: --output must be a file of this computer, got 's3:/b/map.html'\n")


def test_pictures_are_not_looked_for_beside_a_copy() -> None:
    with local_copy(in_memory("a/works.csv", "id\n1\n")) as path:
        assert path.name == "works.csv"
    assert open_table("memory://a/works.csv").folder is None


def test_the_web_is_read_where_such_an_address_is_given(tmp_path: Path) -> None:
    pytest.importorskip("aiohttp", reason="https needs aiohttp: pip install 'mrsne[remote]'")
    content = written(tmp_path / "works.csv")
    asked = []

    class Site(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            found = self.path.startswith("/works.csv")
            self.send_response(200 if found else 404)
            self.send_header("Content-Length", str(len(content) if found else 0))
            self.end_headers()
            self.wfile.write(content if found and self.command == "GET" else b"")

        do_HEAD = do_GET  # noqa: N815 - so called by http.server
        log_message = functools.partialmethod(lambda *_: None)

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        site = f"http://127.0.0.1:{server.server_port}"
        assert roles_of(f"{site}/works.csv?raw=1") == {"works.csv": ROLES}
        assert "/works.csv?raw=1" in asked
        with pytest.raises(FileNotFoundError, match=f"there is no table at '{site}/gone.csv'"):
            open_table(f"{site}/gone.csv")
        server.shutdown()
