"""What one file may take: every budget is documented, can be raised, and stops the attack that it is there for."""

from __future__ import annotations

import json
import re
import sqlite3
import struct
import time
import zipfile
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import openpyxl
import pyarrow as pa
import pytest
from pyarrow import parquet

from mrsne import budgets
from mrsne.budgets import Budget, BudgetError
from mrsne.data.files.damage import open_arrays
from mrsne.data.tables.reading import open_table
from mrsne.data.tables.table import Coded, TableError
from mrsne.parameters import FileContentError, ParameterError
from mrsne.regular_files import read_text
from tests.data.files.hostile_files import in_another_process

SECURITY = (Path(__file__).parents[1] / "docs" / "security.md").read_text(encoding="utf-8")
MEMORY = 600 * 2**20  # bytes that an attack may take beyond those that the libraries take
READ = """
import resource, time
import numpy, openpyxl, pyarrow.parquet, sqlite3
from mrsne.data.files.damage import open_arrays
from mrsne.parameters import FileContentError
from mrsne.data.tables.reading import open_table

def arrays(path):
    with open_arrays(path, "a file of arrays", FileContentError) as found:
        return dict(found)

used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 4 * 2**30,) * 2)  # what fails here must not fail for the machine
start, before = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
words = "it was read"
try:
    (arrays if sys.argv[1].endswith(".npz") else open_table)(sys.argv[1])
except FileContentError as error:
    words = str(error)
print(time.process_time() - start, 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before), words)
"""


def reading(path: Path) -> tuple[float, int, str]:
    """Return what reading a file takes in seconds of work and in bytes, and what is said of it."""
    result = in_another_process(READ, path)
    assert result.stdout, result.stderr
    seconds, memory, words = result.stdout.split(" ", 2)
    return float(seconds), int(memory), words


def test_every_budget_is_in_the_documentation_with_its_limit() -> None:
    listed = [value for value in vars(budgets).values() if isinstance(value, Budget)]
    assert listed
    rows = {cells[1].strip(" `"): cells for line in SECURITY.splitlines() if (cells := line.split("|"))[1:]}
    for budget in listed:
        assert f"{budget.limit:,}" in rows[budget.variable][2], budget.variable
        assert not budget.per_byte or f"{budget.per_byte:,}" in rows[budget.variable][2], budget.variable


def test_a_limit_is_that_of_the_environment_where_it_names_one(monkeypatch: pytest.MonkeyPatch) -> None:
    budget = Budget("MRSNE_TRIALS", 5, "trials", per_byte=2)
    assert (budget.most(), budget.most(10)) == (5, 25)
    budget.check("it", 25, file_bytes=10)
    with pytest.raises(BudgetError, match=r"^it has 26 trials; there can be 25 at most \(the .* MRSNE_TRIALS\): wait$"):
        budget.check("it", 26, file_bytes=10, advice="wait")
    monkeypatch.setenv("MRSNE_TRIALS", "1000")
    assert budget.most(10) == 1000
    monkeypatch.setenv("MRSNE_TRIALS", "a lot")
    with pytest.raises(ParameterError, match="MRSNE_TRIALS must be a whole number, got 'a lot'"):
        budget.most()


def sparse_lines(path: Path) -> None:
    path.write_text(json.dumps({f"k{i}": 1 for i in range(50_000)}) + "\n" + "{}\n" * 20_000)


def wide_lines(path: Path) -> None:
    path.write_text(
        "".join(json.dumps({f"k{i}": 1 for i in range(at, at + 1000)}) + "\n" for at in range(0, 10**5, 1000))
    )


NUMBERS = "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t)"
HUNDRED = " UNION ALL ".join(f"SELECT {n} AS n" for n in range(100))


def view(query: str) -> Callable[[Path], None]:
    """Return what writes a database of a few kilobytes with one view."""

    def write(path: Path) -> None:
        with closing(sqlite3.connect(path)) as database:
            database.execute(f"CREATE VIEW endless AS {query}")
            database.commit()

    return write


def blobs(size: int) -> Callable[[Path], None]:
    return view(" UNION ALL ".join(f"SELECT {n} AS id, zeroblob({size + n}) AS content" for n in range(40)))


def zeros(path: Path) -> None:
    head = np.lib.format.magic(1, 0)
    text = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({2**27},)}}".ljust(117) + "\n"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("a.npy", "w") as member:
        member.write(head + struct.pack("<H", len(text)) + text.encode())
        for _ in range(64):
            member.write(bytes(2**24))


def repeated_words(path: Path) -> None:
    codes = pa.array(np.zeros(2 * 10**6, np.int32))
    parquet.write_table(pa.table({"text": pa.DictionaryArray.from_arrays(codes, ["x" * 10**6])}), path)


def repeated_numbers(path: Path) -> None:
    with parquet.ParquetWriter(path, pa.schema({"n": pa.int64()})) as writer:
        for _ in range(26):
            writer.write_table(pa.table({"n": np.zeros(10**7, np.int64)}))


def parquet_of(make: Callable[[], pa.Array]) -> Callable[[Path], None]:
    return lambda path: parquet.write_table(pa.table({"a": make()}), path)


def repeated_objects(depth: int, rows: int) -> pa.Array:
    """Objects in objects, of which every level is a thing of its own in Python."""
    column = pa.array(np.zeros(rows, np.int64))
    for _ in range(depth):
        column = pa.StructArray.from_arrays([column], names=["f"])
    return column


def workbook(path: Path) -> None:
    openpyxl.Workbook().save(path)
    with (
        zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive,
        archive.open("xl/media/image1.png", "w") as member,
    ):
        for _ in range(64):
            member.write(bytes(2**23))


SHEET = 'worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
STYLES = 'styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'


def workbook_with(name: str, make: Callable[[], str]) -> Callable[[Path], None]:
    """Return what writes a workbook in which one member is another."""

    def write(path: Path) -> None:
        openpyxl.Workbook().save(path)
        with zipfile.ZipFile(path) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
        members[name] = make().encode()
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for member, content in members.items():
                archive.writestr(member, content)

    return write


def laughing_sheet() -> str:
    """Entities of entities of entities: a billion copies of a word."""
    entities = '<!ENTITY a0 "laughing">' + "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 10))
    cell = '<c r="A1" t="inlineStr"><is><t>&a9;</t></is></c>'
    return f'<!DOCTYPE worksheet [{entities}]><{SHEET}><sheetData><row r="1">{cell}</row></sheetData></worksheet>'


def sheet_of_last_columns() -> str:
    """Rows with one cell each, in the last column that there can be."""
    rows = "".join(f'<row r="{row}"><c r="XFD{row}"><v>1</v></c></row>' for row in range(1, 3_000))
    return f"<{SHEET}><sheetData>{rows}</sheetData></worksheet>"


UNPACKED = "MRSNE_UNPACKED_BYTES"
ATTACKS: dict[str, tuple[str, Callable[[Path], None], str]] = {
    "an object of 50,000 keys above empty ones": ("x.jsonl", sparse_lines, "MRSNE_CELLS"),
    "objects without a common key": ("x.jsonl", wide_lines, "MRSNE_COLUMNS"),
    "a recursive view": ("x.db", view(f"{NUMBERS} SELECT n FROM t"), "MRSNE_QUERY_STEPS"),
    "a view that works for ever and gives nothing": (
        "x.db",
        view(f"{NUMBERS} SELECT n FROM t WHERE n < 0"),
        "MRSNE_QUERY_STEPS",
    ),
    "a five-fold cross join": (
        "x.db",
        view(f"WITH t AS ({HUNDRED}) SELECT a.n FROM t a, t b, t c, t d, t e"),
        "MRSNE_QUERY_STEPS",
    ),
    "40 blobs of 500 MB": ("x.db", blobs(500_000_000), "MRSNE_VALUE_BYTES"),
    "40 blobs of 60 MB": ("x.db", blobs(60_000_000), UNPACKED),
    "a gigabyte of zeros": ("x.npz", zeros, UNPACKED),
    "260 million times the same number": ("x.parquet", repeated_numbers, "MRSNE_CELLS"),
    "200 million times yes": ("x.parquet", parquet_of(lambda: pa.array(np.ones(2 * 10**8, bool))), UNPACKED),
    "200 million dates": (
        "x.parquet",
        parquet_of(lambda: pa.array(np.zeros(2 * 10**8, np.int32)).cast(pa.date32())),
        UNPACKED,
    ),
    "20 lists of ten million numbers": (
        "x.parquet",
        parquet_of(
            lambda: pa.ListArray.from_arrays(
                np.arange(0, 2 * 10**8 + 1, 10**7, dtype=np.int32), pa.array(np.zeros(2 * 10**8, np.int8))
            )
        ),
        UNPACKED,
    ),
    "20 million rows without a list": (
        "x.parquet",
        parquet_of(lambda: pa.nulls(2 * 10**7, pa.list_(pa.string()))),
        UNPACKED,
    ),
    "objects in 80 objects": ("x.parquet", parquet_of(lambda: repeated_objects(80, 2 * 10**5)), UNPACKED),
    "a workbook with half a gigabyte of zeros": ("x.xlsx", workbook, UNPACKED),
    "a workbook of a billion laughs": (
        "x.xlsx",
        workbook_with("xl/worksheets/sheet1.xml", laughing_sheet),
        "amplification",
    ),
    "a workbook of two million fonts": (
        "x.xlsx",
        workbook_with("xl/styles.xml", lambda: f"<{STYLES}><fonts>{'<font/>' * 2 * 10**6}</fonts></styleSheet>"),
        "MRSNE_XML_TAGS",
    ),
    "a row of five million cells without anything": (
        "x.xlsx",
        workbook_with(
            "xl/worksheets/sheet1.xml",
            lambda: f"<{SHEET}><sheetData><row>{'<c/>' * 5 * 10**6}</row></sheetData></worksheet>",
        ),
        "MRSNE_XML_TAGS",
    ),
    "a sheet of last columns": ("x.xlsx", workbook_with("xl/worksheets/sheet1.xml", sheet_of_last_columns), UNPACKED),
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_is_refused_at_once_and_in_little_memory(attack: str, tmp_path: Path) -> None:
    name, write, budget = ATTACKS[attack]
    write(tmp_path / name)
    assert (tmp_path / name).stat().st_size < 2_000_000
    seconds, memory, words = reading(tmp_path / name)
    assert budget in words
    assert seconds < 6, words
    assert memory < MEMORY, words


def test_a_long_text_two_million_times_is_kept_once(tmp_path: Path) -> None:
    repeated_words(tmp_path / "x.parquet")
    _, memory, words = reading(tmp_path / "x.parquet")
    assert words == "it was read\n"
    assert memory < MEMORY


@pytest.mark.parametrize(
    "make",
    [
        lambda: pa.array(np.zeros(10**7, np.int64)).cast(pa.duration("s")),
        lambda: pa.array([[1.5, 2.5, 3.5], [1.5]] * 7 * 10**5),
        lambda: repeated_objects(50, 3 * 10**4),
    ],
    ids=["durations", "lists of numbers", "objects in objects"],
)
def test_what_python_has_objects_of_is_made_of_few_at_a_time(make: Callable[[], pa.Array], tmp_path: Path) -> None:
    parquet_of(make)(tmp_path / "x.parquet")
    seconds, memory, words = reading(tmp_path / "x.parquet")
    assert words == "it was read\n"
    assert seconds < 20
    assert memory < MEMORY


def test_columns_of_one_name_are_named(tmp_path: Path) -> None:
    parquet.write_table(pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["a", "a"]), tmp_path / "x.parquet")
    with pytest.raises(TableError, match="has several columns called 'a'; rename all but one"):
        open_table(tmp_path / "x.parquet")


@pytest.mark.parametrize("lie", [b"\xff" * 8, bytes(8), b"aardvark"], ids=["no text", "nothing", "another text"])
def test_statistics_that_lie_change_nothing(lie: bytes, tmp_path: Path) -> None:
    words = ["beginner", "halfways", "lastword"]
    parquet.write_table(pa.table({"word": words}), tmp_path / "x.parquet", compression="gzip")
    content = (tmp_path / "x.parquet").read_bytes()
    assert content.count(b"lastword") >= 1
    (tmp_path / "x.parquet").write_bytes(content.replace(b"lastword", lie))
    column = open_table(tmp_path / "x.parquet").columns["word"]
    assert isinstance(column, Coded)
    assert column.values == words


def test_repeated_headings_take_no_square_of_their_number(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(",".join(["a"] * 40_000) + "\n" + ",".join(["1"] * 40_000))
    start = time.process_time()
    table = open_table(tmp_path / "x.csv")
    assert time.process_time() - start < 4
    assert list(table.columns)[:3] == ["a", "a (2)", "a (3)"]
    (tmp_path / "y.csv").write_text("a (2),a,a,a,a (4),a\n1,2,3,4,5,6\n")
    assert list(open_table(tmp_path / "y.csv").columns) == ["a (2)", "a", "a (3)", "a (4)", "a (4) (2)", "a (5)"]


def test_a_good_table_may_have_many_columns_of_one_name(tmp_path: Path) -> None:
    rows = [",".join([*(f"t{column}" for column in range(7)), f"work {row}"]) for row in range(10)]
    (tmp_path / "x.csv").write_text("\n".join(["tag,tag,tag,tag,tag,tag,tag,title", *rows]))
    table = open_table(tmp_path / "x.csv")
    assert (table.size, len(table.columns), len(table.problems)) == (10, 8, 6)
    (tmp_path / "y.csv").write_text("a,b\n" + "1,2,3\n" * 10)
    with pytest.raises(TableError, match="more than half of the rows have more cells than the 2 headings"):
        open_table(tmp_path / "y.csv")


@pytest.mark.parametrize("levels", [250, 500, 900, 3_000])
@pytest.mark.parametrize("piece", [("[", "]"), ('{"a": ', "}"), ('[{"name": ', "}]")])
def test_values_that_are_nested_deeply_are_read_or_named(levels: int, piece: tuple[str, str], tmp_path: Path) -> None:
    value = piece[0] * levels + "1" + piece[1] * levels
    (tmp_path / "x.jsonl").write_text('{"id": 1}\n{"id": ' + value + '}\n{"id": 3}\n')
    (tmp_path / "x.json").write_text(f'[{{"id": {value}}}]')
    (tmp_path / "y.json").write_text(f"[{value}]")
    named = 0
    for name, where in (("x.jsonl", "x.jsonl, line 2"), ("x.json", "x.json"), ("y.json", "y.json")):
        said = ""
        try:
            open_table(tmp_path / name)
        except TableError as error:
            said = str(error)
        named += where in said
        assert not said or where in said
    assert named == 3 or levels < 3_000


def test_a_frame_of_deep_lists_is_refused() -> None:
    value: list[object] = []
    for _ in range(5_000):
        value = [value]
    with pytest.raises(TableError, match="frame has a cell that is nested too deeply"):
        open_table({"id": [value]})


@pytest.mark.parametrize("ending", ["jsonl", "csv", "db", "parquet", "xlsx"])
def test_cells_are_counted_in_every_format(ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.data.tables.test_doors import written

    path = written(tmp_path, f".{ending}", {"id": [str(i) for i in range(300)], "x": ["1"] * 300})
    monkeypatch.setenv("MRSNE_CELLS", "600")
    assert open_table(path).size == 300
    monkeypatch.setenv("MRSNE_CELLS", "599")
    with pytest.raises(TableError, match=r"has 600 cells; there can be 599 at most \(.*MRSNE_CELLS\)"):
        open_table(path)


def test_a_text_is_measured_before_it_is_read(tmp_path: Path) -> None:
    with open(tmp_path / "x.csv", "wb") as file:
        file.truncate(2**31 + 1)
    with pytest.raises((BudgetError, FileContentError), match=r"x.csv' has 2,147,483,649 bytes; .*MRSNE_TEXT_BYTES"):
        read_text(tmp_path / "x.csv")
    with pytest.raises((BudgetError, FileContentError), match="MRSNE_TEXT_BYTES"):
        open_table(tmp_path / "x.csv")


def test_an_array_that_declares_more_than_it_has_takes_no_memory(tmp_path: Path) -> None:
    text = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({10**10},)}}".ljust(117) + "\n"
    with zipfile.ZipFile(tmp_path / "x.npz", "w") as archive:
        archive.writestr("a.npy", np.lib.format.magic(1, 0) + struct.pack("<H", len(text)) + text.encode())
    with (
        pytest.raises((FileContentError, MemoryError), match=r"x\.npz"),
        open_arrays(tmp_path / "x.npz", "arrays", TableError) as found,
    ):
        dict(found)


def logged_database(path: Path) -> sqlite3.Connection:
    """Return an open database with a write-ahead log, whose last row is only in the log."""
    database = sqlite3.connect(path)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("CREATE TABLE works (id, year)")
    database.execute("INSERT INTO works VALUES ('a', 1)")
    database.commit()
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.execute("INSERT INTO works VALUES ('b', 2)")
    database.commit()
    return database


def files_in(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.endswith("-shm")}


def test_reading_a_database_with_a_log_leaves_nothing_beside_it(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    database = logged_database(source / "x.db")
    before = files_in(source)
    assert open_table(source / "x.db").size == 2  # another program has it open
    assert files_in(source) == before
    crashed = tmp_path / "crashed"
    crashed.mkdir()
    for name, content in before.items():
        (crashed / name).write_bytes(content)
    assert open_table(crashed / "x.db").size == 2  # what a program left that was killed
    assert sorted(path.name for path in crashed.iterdir()) == ["x.db", "x.db-wal"]
    assert files_in(crashed) == before
    database.close()
    assert [path.name for path in source.iterdir()] == ["x.db"]
    assert open_table(source / "x.db").size == 2
    assert [path.name for path in source.iterdir()] == ["x.db"]


def test_messages_do_not_list_thousands_of_tables(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "x.db")) as database:
        database.execute("BEGIN")  # else each table is flushed to the disk
        for number in range(2_000):
            database.execute(f"CREATE TABLE t{number} (a)")
        database.commit()
    for name in (None, "works"):
        with pytest.raises(TableError) as caught:
            open_table(tmp_path / "x.db", table=name)
        assert len(str(caught.value)) < 500
        assert re.search("t0, t1", str(caught.value))


def test_compressed_zeros_of_ten_to_one_are_read(tmp_path: Path) -> None:
    """A mask of a million items without a mark, as maps have them, is no attack."""
    np.savez_compressed(tmp_path / "x.npz", mask=np.zeros(10**7, bool))
    assert (tmp_path / "x.npz").stat().st_size < 20_000
    with open_arrays(tmp_path / "x.npz", "arrays", TableError) as found:
        assert found["mask"].shape == (10**7,)
    assert len(zlib.compress(bytes(10**6))) < 1100
