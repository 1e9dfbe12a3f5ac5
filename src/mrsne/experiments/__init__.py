"""The paper's experiments: every method, score and table, with the published numbers beside ours.

Internal: see ``docs/architecture.md`` for what is public.
"""

from mrsne.experiments.methods import Method, algorithm_1, methods_for
from mrsne.experiments.report import write_report
from mrsne.experiments.runs import run_study, run_sweep
from mrsne.experiments.studies import STUDIES, Study, load_study

__all__ = [
    "STUDIES",
    "Method",
    "Study",
    "algorithm_1",
    "load_study",
    "methods_for",
    "run_study",
    "run_sweep",
    "write_report",
]
