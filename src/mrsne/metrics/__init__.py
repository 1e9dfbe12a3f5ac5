"""Scores of a map: the paper's, how well neighbourhoods are kept, and a report card.

Ties are treated the same way everywhere: items at exactly the same distance count as in random order, and a
score is its mean over all those orders, computed in closed form. So a map with all items on one spot scores like
chance, and no score depends on the order of the items.

>>> import mrsne
>>> data, _ = mrsne.datasets.make_shapes(100, random_state=0)
>>> embedding = mrsne.MRSNE(random_state=0).fit_transform(data)
>>> mrsne.metrics.hit_rate(embedding, data, k=3, query="picture", target="tag") > 0.5
True
"""

from mrsne.metrics.card import Report as Report
from mrsne.metrics.comparison import Comparison as Comparison
from mrsne.metrics.comparison import compare as compare
from mrsne.metrics.hits import hit_count as hit_count
from mrsne.metrics.hits import hit_rate as hit_rate
from mrsne.metrics.hits import reconstruction_auc as reconstruction_auc
from mrsne.metrics.hits import reconstruction_roc as reconstruction_roc
from mrsne.metrics.holding_out import hold_out as hold_out
from mrsne.metrics.holding_out import hold_out_links as hold_out_links
from mrsne.metrics.mixing import variance_ratio as variance_ratio
from mrsne.metrics.neighborhoods import neighborhood_preservation as neighborhood_preservation
from mrsne.metrics.neighborhoods import trustworthiness as trustworthiness
from mrsne.metrics.prediction import link_auc as link_auc
from mrsne.metrics.report_card import report as report

__all__ = sorted(name for name, found in globals().items() if getattr(found, "__module__", "").startswith(__name__))
