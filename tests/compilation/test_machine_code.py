"""A process that compiles a loop computes what all later ones do, which read its machine code from disk."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = """
import hashlib
import numpy as np
from mrsne.backends.cpu.repulsion import all_pairs, exact_repulsion

random = np.random.default_rng(0)
Y = random.normal(0, 10, (300, 2)).astype(np.float32)
Z, force = exact_repulsion(Y)
print(sum(all_pairs(2, False, True).compiled.stats.cache_hits.values()))
print(Z.hex(), hashlib.sha256(force.tobytes()).hexdigest())
"""


def test_the_bits_do_not_depend_on_who_compiled(tmp_path: Path) -> None:
    """The loop over all pairs is the one in which optimising it twice once made a difference."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    outputs = [
        subprocess.run(
            [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True, env=environment
        ).stdout.splitlines()
        for _ in range(2)
    ]
    assert [hits for hits, _ in outputs] == ["0", "1"]
    assert outputs[0][1] == outputs[1][1]
