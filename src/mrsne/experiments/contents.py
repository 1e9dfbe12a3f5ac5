"""Where each figure and table of the paper is in a report."""

from __future__ import annotations

from collections.abc import Collection

from mrsne.experiments.panels import LARGE_MAP
from mrsne.experiments.studies import Study
from mrsne.experiments.tables import markdown_table

# number, where in the paper, what it shows, file of the report
FIGURES: tuple[tuple[int, str, str, str], ...] = (
    (1, "Section 1", "links across domains, Flickr: four maps with their link AUC", "figure-01.png"),
    (2, "Section 1", "schematic: what MR-SNE embeds", "figure-02.png"),
    (3, "Section 1", "large map of AwA2", "figure-03.png"),
    (4, "Section 3.1", "schematic: the neighbour graph", "figure-04.png"),
    (5, "Section 4.1", "six maps of Flickr", "figure-05.png"),
    (6, "Section 4.1", "three maps of AwA2", "figure-06.png"),
    (7, "Supplement B", "large map of Flickr", "figure-07.png"),
    (8, "Supplement C", "ROC curves", "figure-08.png"),
    (9, "Supplement D", "schematic: the four metrics", "figure-09.png"),
    (10, "Supplement E", "PMvGE with the stochastic neighbour graph", "figure-10.png"),
    (11, "Supplement F", "schematic: one pair for each link", "figure-11.png"),
)
TABLES: tuple[tuple[int, str, str, str], ...] = (
    (1, "Section 4.2", "ROC-AUC of graph reconstruction", "tables/scores.csv"),
    (2, "Section 4.3", "ratio of variances", "tables/scores.csv"),
    (3, "Supplement D.1", "metric (I) across domains", "tables/hit_rate_across.csv"),
    (4, "Supplement D.2", "metric (I) within the query's domain", "tables/hit_rate_within.csv"),
    (5, "Supplement D.3", "metric (II) across domains", "tables/hit_count_across.csv"),
    (6, "Supplement D.4", "metric (II) within the query's domain", "tables/hit_count_within.csv"),
    (7, "Supplement E", "PMvGE with the stochastic neighbour graph", "tables/scores.csv"),
)
OTHER_DATA = {1: "flickr", 3: "awa2", 5: "flickr", 6: "awa2", 7: "flickr"}  # figures that the paper has for one only


def large_map_number(study: Study) -> int:
    """Return the number of the paper's large map of such data: 3 for AwA2, 7 for Flickr and others."""
    return 3 if study.paper == "awa2" else 7


def contents_table(study: Study, drawn: Collection[str]) -> str:
    """Return a table of the paper's figures and tables, with where each is in the paper and in the report.

    Parameters
    ----------
    study : Study
    drawn : collection of str
        The pictures that were drawn; a figure whose methods were not run has none.
    """
    rows = []
    for number, where, what, file in FIGURES:
        if number in (3, 7) and number != large_map_number(study):
            here = f"figure-{large_map_number(study):02}.png, the same for this data"
        elif file in drawn:
            other = OTHER_DATA.get(number) not in (None, study.paper)
            here = f"[{file}]({file})" + (", with this data" if other else "")
        else:
            here = "not drawn: its methods were not run"
        rows.append([f"Figure {number}", where, what, here])
    rows += [[f"Table {number}", where, what, f"[{file}]({file}), below"] for number, where, what, file in TABLES]
    rows.append(
        ["Algorithm 1", "Supplement A", "optimisation of MR-SNE", f"`{LARGE_MAP}` and its kind, settings below"]
    )
    return markdown_table(["paper", "where in the paper", "what", "here"], rows)
