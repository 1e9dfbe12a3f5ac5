"""The functional core and the map command load none of the heavy packages, which take a second to import."""

from __future__ import annotations

import re
from pathlib import Path

from mrsne import cli
from tests.data.files.hostile_files import in_another_process

HEAVY = ("sklearn", "scipy.stats", "pandas", "matplotlib", "joblib")
CORE = """
import numpy as np, mrsne
X = np.random.default_rng(0).normal(size=(60, 4))
P = mrsne.joint_affinities(mrsne.RelationalData({"a": X, "b": 3}, {("a", "b"): np.eye(60, 3)}), perplexity=5)
mrsne.embed(P, max_iter=20, random_state=0)
"""
MAP = """
from pathlib import Path
from mrsne.cli import main
table = Path(sys.argv[1]) / "t.csv"
words = "red blue green house car tree river fast slow big".split()
rows = [f"Item {i},{' '.join(words[(i * k) % 10] for k in range(1, 6))},{i % 7}.5,{'abc'[i % 3]}" for i in range(60)]
table.write_text("title,description,price,genre\\n" + "\\n".join(rows))
try:
    main(["map", str(table), "-o", str(table.with_name("map.html"))])
except SystemExit:
    pass
"""
LOADED = f"\nprint([name for name in {HEAVY!r} if name in sys.modules])"


def test_the_functional_core_is_light() -> None:
    assert in_another_process(CORE + LOADED).stdout.splitlines()[-1] == "[]"


def test_the_map_of_a_table_is_light(tmp_path: Path) -> None:
    assert in_another_process(MAP + LOADED, tmp_path).stdout.splitlines()[-1] == "[]"


def test_commands_call_and_do_not_compute() -> None:
    computing = re.compile(r"^\s*(?:import|from) (?:numpy|scipy|PIL)\b", re.MULTILINE)
    commands = Path(cli.__file__).parent.glob("*.py")
    assert [path.name for path in commands if computing.search(path.read_text("utf-8"))] == []
