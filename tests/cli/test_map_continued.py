"""`mrsne map` where its map is already: it is continued, and what changed is told and listed."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mrsne import Embedding, SavedMap
from tests.cli.conftest import run, summary_of
from tests.cli.json_keys import check_keys

KINDS = ["work", "subject"]
ENTRY = '{"id": "a", "made": "b", "items": %s, "kl_divergence": null, "n_iter": null, "settings": null, "changes": %s}'
ODD = [  # histories of the right form with odd values
    '{"made": "", "ancestors": [%s], "changes": null, "regions": null}' % (ENTRY % given)
    for given in (("7", "null"), ('{"a": "x"}', "null"), ("{}", '{"moved": "far"}'), ('{"a": 1e999}', "null"))
]
SUBJECTS = ["sea", "ship", "lake", "hill", "town", "street"]


def rows(count: int = 60, changed: dict[int, str] | None = None) -> list[dict[str, Any]]:
    """Works of six subjects, two of them each."""
    pairs = [(SUBJECTS[i % 6], SUBJECTS[(i + 1) % 6]) for i in range(count)]
    found = [{"id": f"N{i:03}", "title": f"Work {i}", "subjects": "; ".join(pair)} for i, pair in enumerate(pairs)]
    for index, subjects in (changed or {}).items():
        found[index]["subjects"] = subjects
    return found


def write(path: Path, table: list[dict[str, Any]]) -> Path:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(table[0]))
        writer.writeheader()
        writer.writerows(table)
    return path


@pytest.fixture
def works(tmp_path: Path) -> Path:
    """A table that has been mapped."""
    table = write(tmp_path / "works.csv", rows())
    assert mapped(table)["changes"] is None
    return table


def mapped(table: Path, *options: str) -> Any:
    fixed = ("--item", "work", "--kind", "subject=subjects", "--label", "title", "-o", table.with_name("map.html"))
    return summary_of("map", table, *fixed, *options)


def places(table: Path) -> dict[str, np.ndarray]:
    """Where items are, by name."""
    saved = SavedMap.load(table.with_name("map.npz"))
    return {name: Y for kind in KINDS for name, Y in zip(saved.data.names[kind], saved.embedding[kind], strict=True)}


def test_a_second_map_continues_the_first(works: Path) -> None:
    before = places(works)
    write(works, [*rows(63, {4: "sea; owl"})[2:], {"id": "M", "title": "New", "subjects": "owl"}])
    changes = mapped(works)["changes"]
    assert (changes["new"], changes["gone"]) == ({"work": 4, "subject": 1}, {"work": 2, "subject": 0})
    assert changes["anchor"] == "keep"
    after = places(works)
    far = [float(np.linalg.norm(after[name] - before[name])) for name in before.keys() & after.keys()]
    assert changes["moved"]["median"] == pytest.approx(np.median(far) / changes["width"], abs=1e-4)
    assert 0 < changes["moved"]["median"] < 0.1


def test_nothing_moves_where_it_is_to_stay_and_a_fresh_map_is_another(works: Path) -> None:
    before = places(works)
    write(works, rows(62))
    mapped(works, "--anchor", "stay")
    after = places(works)
    for name, place in before.items():
        np.testing.assert_array_equal(after[name], place)
    assert mapped(works, "--fresh", "--seed", "3")["changes"] is None
    assert not np.array_equal(places(works)["N000"], before["N000"])


def test_other_weights_are_changes_too(works: Path) -> None:
    before = mapped(works, "--links", "0.9")
    assert before["changes"]["moved"]["p95"] > 0
    assert before["changes"]["kept"] == {"work": 60, "subject": 6}


def test_a_map_of_other_items_is_made_anew_with_a_note(works: Path) -> None:
    write(works, [{**row, "id": f"X{row['id']}", "subjects": f"{row['id']}; b; c"} for row in rows(20)])
    arguments = ("map", works, "--item", "work", "--kind", "subject=subjects", "-o", works.with_name("map.html"))
    code, _, errors = run(*arguments)
    assert (code, "is not continued: start_from has no item of data" in errors) == (0, True)


def test_a_failed_map_leaves_the_old_one(works: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = works.with_name("map.npz").read_bytes()
    write(works, rows(62))

    def failing(*_: Any, **__: Any) -> Any:
        raise OSError("no more room")

    monkeypatch.setattr("mrsne.model.saved_map.write_coordinates", failing)
    code, _, _ = run("map", works, "-o", works.with_name("map.html"))
    assert code != 0
    assert works.with_name("map.npz").read_bytes() == before


def test_people_are_told_what_changed_and_log_lists_the_maps(works: Path) -> None:
    write(works, rows(62))
    arguments = ("--item", "work", "--kind", "subject=subjects", "--label", "title", "-o", works.with_name("map.html"))
    _, printed, _ = run("map", works, *arguments)
    assert "2 are new, 0 are gone." in printed
    write(works.with_name("more.csv"), rows(64)[62:])
    summary_of("update", works.with_name("map.npz"), works.with_name("more.csv"), "--anchor", "follow")
    listed = summary_of("log", works.with_name("map.npz"))
    check_keys("log", listed, KINDS)
    assert [entry["items"]["work"] for entry in listed["maps"]] == [64, 62, 60]
    assert [entry["changes"] and entry["changes"]["anchor"] for entry in listed["maps"]] == ["follow", "keep", None]
    assert listed["changes"]["new"] == {"work": 2, "subject": 0}
    _, printed, _ = run("log", works.with_name("map.npz"))
    assert [line.split()[0] for line in printed.splitlines() if not line.startswith(" ")][:3] == [
        entry["id"] for entry in listed["maps"]
    ]


def test_a_map_without_ancestors_has_itself_in_its_log(tmp_path: Path) -> None:
    Embedding({"a": [[0, 0]]}).save(tmp_path / "alone.npz")
    (entry,) = summary_of("log", tmp_path / "alone.npz")["maps"]
    assert (entry["items"], entry["made"], entry["changes"]) == ({"a": 1}, "", None)


@pytest.mark.parametrize(
    "history",
    [
        "{}",
        "[]",
        "7",
        '{"made": 1, "ancestors": [7], "changes": null, "regions": null}',
        "no JSON",
        "[" * 100_000,
        *ODD,
    ],
)
def test_a_damaged_history_is_a_message(history: str, tmp_path: Path) -> None:
    Embedding({"a": [[0, 0]]}).save(tmp_path / "map.npz")
    with np.load(tmp_path / "map.npz") as file:
        arrays = dict(file)
    np.savez(tmp_path / "map.npz", **arrays, lineage=np.array(history))
    code, _, errors = run("log", tmp_path / "map.npz")
    assert (code, "Traceback" in errors) == (1, False)


def test_update_takes_over_changed_rows_new_values_and_links_between_new_rows(tmp_path: Path) -> None:
    table = [{**row, "references": f"N{(i * 7) % 40:03}"} for i, row in enumerate(rows(40))]
    write(tmp_path / "works.csv", table)
    fixed = ("--item", "work", "--kind", "subject=subjects", "--kind", "work=references")
    summary_of("map", tmp_path / "works.csv", *fixed, "-o", tmp_path / "map.html")
    changed = {**table[5], "subjects": "owl; sea", "references": "N040"}
    new = [{"id": f"N04{k}", "title": f"New {k}", "subjects": "owl", "references": f"N04{1 - k}"} for k in (0, 1)]
    write(tmp_path / "more.csv", [changed, *new])
    printed = summary_of("update", tmp_path / "map.npz", tmp_path / "more.csv")
    assert printed["new_items"] == {"work": 2, "subject": 1}
    data = SavedMap.load(tmp_path / "map.npz").data
    work, subject = data.names["work"], data.names["subject"]
    links = data.relation("work", "subject")
    assert {subject[j] for j in links[work.index("N005")].indices} == {"owl", "sea"}
    references = data.relation("work", "work")
    for a, b in (("N005", "N040"), ("N040", "N041"), ("N041", "N040")):
        assert references[work.index(a), work.index(b)] > 0
    assert references[work.index("N006")].indices.tolist() == [(6 * 7) % 40]  # as before


@pytest.mark.slow
def test_a_map_after_ten_changed_tags_encodes_nothing_again(tmp_path: Path) -> None:
    from PIL import Image

    random = np.random.default_rng(0)
    (tmp_path / "photos").mkdir()
    for index in range(2500):
        small = random.integers(0, 256, (4, 4, 3), dtype=np.uint8)
        Image.fromarray(small).resize((32, 32)).save(tmp_path / "photos" / f"{index}.png")
    tags = [[f"tag {random.integers(60)}", f"tag {random.integers(60)}"] for _ in range(2500)]

    def map_folder() -> Any:
        (tmp_path / "tags.csv").write_text(
            "picture,tags\n" + "".join(f"{i}.png,{'; '.join(found)}\n" for i, found in enumerate(tags))
        )
        given = ("--tags", tmp_path / "tags.csv", "--cache", tmp_path / "cache", "-o", tmp_path / "map.html")
        return summary_of("map", tmp_path / "photos", *given)

    map_folder()
    for index in range(10):
        tags[index * 200] = ["tag 7"]
    printed = map_folder()
    assert printed["pictures_from_cache"] == 2500
    assert printed["changes"]["moved"]["median"] < 0.01


def test_a_page_may_say_what_is_missing(tmp_path: Path) -> None:
    rows = [f"{row},{tags}" for row, tags in enumerate(["dog; pet", "sea; ship", "ship", "dog", "sea", "pet; sea"] * 6)]
    (tmp_path / "works.csv").write_text("\n".join(["id,tags", *rows]) + "\n")
    summary_of("map", tmp_path / "works.csv", "-o", tmp_path / "map.html", "--kind", "tag=tags", "--suggest")
    assert 'data-part="suggestions-0"' in (tmp_path / "map.html").read_text()
