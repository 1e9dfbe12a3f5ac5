"""Fitting and scoring every method; a comparison that was stopped is resumed."""

import json
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from mrsne.baselines.flatten import flatten
from mrsne.data.files.writing import write_text
from mrsne.experiments.methods import algorithm_1
from mrsne.experiments.study import Method, Methods, Study, scores_of
from mrsne.model.embedding import Embedding
from mrsne.parameters import ParameterError

Report = Callable[[Method, int], None]


def run_study(
    study: Study, methods: Methods, seeds: Sequence[int], folder: Path, starting: Report = lambda method, seed: None
) -> dict[str, list[dict[str, Any]]]:
    """Fit and score each method with each seed; return the scores of each seed by the method's key.

    Each run is kept in the folder, ``runs/METHOD-SEED.npz`` and ``.json``; those that are there are not repeated.
    """
    (folder / "runs").mkdir(parents=True, exist_ok=True)
    _claim(folder / "study.json", study)
    return _run_all(study, methods, seeds, folder / "runs", starting)


def run_sweep(
    study: Study,
    methods: Methods,
    perplexities: Sequence[float],
    seeds: Sequence[int],
    folder: Path,
    starting: Report = lambda method, seed: None,
) -> dict[float, dict[str, list[dict[str, Any]]]]:
    """Run the paper's MR-SNE among the methods in ``sweep/PERPLEXITY`` for each; return scores by perplexity."""
    scores = {}
    for perplexity in perplexities:
        runs = folder / "sweep" / f"{perplexity:g}"
        runs.mkdir(parents=True, exist_ok=True)
        scores[perplexity] = _run_all(study, algorithm_1(study.data, methods, perplexity), seeds, runs, starting)
    return scores


def _run_all(
    study: Study, methods: Methods, seeds: Sequence[int], runs: Path, starting: Report
) -> dict[str, list[dict[str, Any]]]:
    scores: dict[str, list[dict[str, Any]]] = {method.key: [] for method in methods}
    for seed in seeds:
        for method in methods:
            file = runs / f"{method.key}-{seed}.json"
            run = _read(file)
            if run is None:
                starting(method, seed)
                run = _fit_and_score(study, method, seed, file)
            scores[method.key].append(run)
    return scores


def _fit_and_score(study: Study, method: Method, seed: int, file: Path) -> dict[str, Any]:
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        embedding = flatten(method.make(seed).fit_transform(study.data), study.perplexity, seed)
    seconds = time.perf_counter() - start
    texts = list(dict.fromkeys(str(warning.message) for warning in caught if warning.category is UserWarning))
    scores = {"seconds": seconds, "warnings": texts, **scores_of(embedding, study)}
    embedding.save(file.with_suffix(".npz"))
    write_text(file, json.dumps(scores, ensure_ascii=False))
    return scores


def _read(file: Path) -> dict[str, Any] | None:
    """Return the scores of an earlier run, or None unless they are complete and their map can be read."""
    try:
        scores = json.loads(file.read_text())
        Embedding.load(file.with_suffix(".npz"))
    except (FileNotFoundError, ValueError):
        return None
    is_complete = isinstance(scores, dict) and scores.keys() >= {"seconds", "warnings", "roc", "hit_count_within"}
    return scores if is_complete else None


def _claim(file: Path, study: Study) -> None:
    """Record which study the runs belong to, or raise if they belong to another."""
    about = {"name": study.name, "title": study.title, "fingerprint": study.fingerprint()}
    if not file.exists():
        write_text(file, json.dumps(about, ensure_ascii=False))
        return
    try:
        recorded = json.loads(file.read_text()).get("fingerprint")
    except (ValueError, AttributeError) as error:
        raise ParameterError(f"{str(file)!r} is damaged ({error}); delete it, or give another folder") from error
    if recorded != about["fingerprint"]:
        raise ParameterError(
            f"{str(file.parent)!r} holds the runs of other data or other questions; "
            "give another output folder, or delete that one"
        )
