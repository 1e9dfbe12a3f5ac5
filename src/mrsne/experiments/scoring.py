"""Every score of the paper for one map, and neighbourhood scores."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics import auc

from mrsne import metrics
from mrsne.experiments.studies import Study
from mrsne.model.embedding import Embedding

CURVE_POINTS = 300  # of a ROC curve that are stored for the figure
NEIGHBORS = 10  # k of the neighbourhood scores


def scores_of(embedding: Embedding, study: Study) -> dict[str, Any]:
    """Return the scores of a map in the plane by name: numbers, lists over k, and a thinned ROC curve.

    Examples
    --------
    >>> import mrsne
    >>> from mrsne.experiments import load_study
    >>> study = load_study("groups")
    >>> scores = scores_of(mrsne.baselines.CDMCA().fit_transform(study.data), study)
    >>> 0.5 < scores["reconstruction_auc"] < 1, len(scores["hit_rate_across"]) == len(study.ks_across("tag"))
    (True, True)
    """
    data, query, within = study.data, study.query, study.within
    fpr, tpr = metrics.reconstruction_roc(embedding, data, query, within)
    points = np.unique(np.linspace(0, len(fpr) - 1, CURVE_POINTS).astype(int))
    scores: dict[str, Any] = {
        "reconstruction_auc": float(auc(fpr, tpr)),
        "roc": [fpr[points].round(6).tolist(), tpr[points].round(6).tolist()],
    }
    for target in study.targets:
        end = study.ending(target)
        scores[f"variance_ratio{end}"] = metrics.variance_ratio(embedding, query, target)
        scores[f"link_auc{end}"] = metrics.link_auc(embedding, data, (query, target))
    for name, score in (("hit_rate", metrics.hit_rate), ("hit_count", metrics.hit_count)):
        for target in study.targets:
            ks = study.ks_across(target)
            scores[f"{name}_across{study.ending(target)}"] = score(embedding, data, ks, query, target, within).tolist()
        scores[f"{name}_within"] = score(embedding, data, study.ks_within, query, query, within).tolist()
    for domain in (query, *study.targets):
        if np.count_nonzero(~data.missing[domain]) > 2 * NEIGHBORS:
            scores[f"neighborhood_preservation_{domain}"] = metrics.neighborhood_preservation(
                embedding, data, domain, NEIGHBORS
            )
            scores[f"trustworthiness_{domain}"] = metrics.trustworthiness(embedding, data, domain, NEIGHBORS)
    return scores
