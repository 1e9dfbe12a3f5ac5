"""Errors of the gradient on a mesh, at every stage of a run, beside openTSNE's.

    python -m benchmarks.accuracy --sizes 5000 20000 200000

Relative to all pairs: ‖g − g_exact‖ / ‖g_exact‖ of the whole gradient. "in the run" is the error with the cells that
the descent uses at that stage, "kl_gradient" with the finest.
"""

from __future__ import annotations

import argparse

import numpy as np
from numpy.typing import NDArray
from openTSNE.tsne import kl_divergence_fft
from rich.console import Console
from rich.table import Table

import mrsne
from benchmarks.data import clustered
from mrsne.backends.cpu.forces import CpuForces
from mrsne.backends.grid import FINE_STEP, STEP
from mrsne.backends.kernel import CAUCHY
from mrsne.threads import threads

Layout = NDArray[np.float32]
SHOWN = (0, 50, 100, 250, 300, 500, 750)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[5_000, 20_000])
    options = parser.parse_args()
    table = Table(title="relative error of the gradient")
    for column in ("items", "iteration", "span", "kl_gradient", "in the run", "openTSNE"):
        table.add_column(column, justify="right")
    for n in options.sizes:
        P = mrsne.joint_affinities(mrsne.RelationalData({"item": clustered(n)}))
        seen: dict[int, Layout] = {0: (1e-4 * np.random.RandomState(0).standard_normal((n, 2))).astype(np.float32)}

        def keep(iteration: int, kl: float, Y: Layout, seen: dict[int, Layout] = seen) -> None:
            seen[iteration] = Y

        mrsne.embed(P, init=seen[0], callbacks=keep)
        forces = CpuForces(P, 2, "fft", CAUCHY)
        for iteration in SHOWN:
            Y = seen[iteration]
            exact = mrsne.kl_gradient(P, Y, method="exact")[1]
            ours = mrsne.kl_gradient(P, Y, method="fft")[1]
            with threads(None):
                Z, repulsive, attractive = forces.halves(Y, FINE_STEP if iteration < 300 else STEP)
            settings = {"n_interpolation_points": 3, "min_num_intervals": 50, "ints_in_interval": 1}
            theirs = kl_divergence_fft(
                Y.astype(np.float64), P.astype(np.float64), dof=1, fft_params=settings, bh_params={}, n_jobs=-1
            )[1]
            found = (ours, 4 * (attractive - repulsive / Z), 4 * theirs)
            errors = [np.linalg.norm(gradient - exact) / np.linalg.norm(exact) for gradient in found]
            table.add_row(f"{n:,}", str(iteration), f"{np.ptp(Y, axis=0).max():.3g}", *(f"{e:.1e}" for e in errors))
    Console().print(table)


if __name__ == "__main__":
    main()
