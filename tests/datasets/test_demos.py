"""What ``mrsne demo`` shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from mrsne.datasets.demos import DEMOS


@pytest.mark.parametrize(("name", "domains"), [("emoji", ["emoji", "keyword"]), ("icons", ["icon", "alias", "author"])])
def test_kinds_have_the_names_that_people_read_and_every_item_a_value_in_each_column(
    name: str, domains: list[str]
) -> None:
    data = DEMOS[name].load()
    assert list(data.sizes) == domains
    for domain, columns in DEMOS[name].columns().items():
        assert {len(values) for values in columns.values()} == {data.sizes[domain]}
    assert DEMOS[name].load_from is None


def test_debians_packages_may_come_from_a_file(tmp_path: Path) -> None:
    entry = "Package: p{0}\nMaintainer: A <a@b.c>\nTag: use::editing\nDescription: edits\n\n"
    (tmp_path / "available.txt").write_text("".join(entry.format(i) for i in range(5)))
    load_from = DEMOS["debian"].load_from
    assert load_from is not None
    assert load_from(tmp_path / "available.txt").sizes == {"package": 5, "maintainer": 1, "tag": 1}
