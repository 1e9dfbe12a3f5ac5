"""The keys that programs rely on: what a command prints with --json has these and no others."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

KEYS = {
    "demo": "items links iterations seconds weights kl_divergence hit_rate_10 link_auc trustworthiness"
    " map data picture page page_url",
    "map": "up_to_date picture_files unreadable_pictures items links items_without_vector left_out iterations weights"
    " kl_divergence hit_rate_10 trustworthiness seconds pictures_per_second pictures_from_cache"
    " changes map data coordinates left_out_table picture page page_url",
    "map TABLE": "rows columns items links items_without_vector left_out iterations weights kl_divergence"
    " hit_rate_10 trustworthiness changes seconds map data coordinates left_out_table picture page page_url",
    "map TABLE --dry-run": "rows columns",
    "fit": "items links neighbor_recall iterations weights kl_divergence hit_rate_10 trustworthiness seconds"
    " left_out left_out_table map data coordinates page page_url",
    "place": "items left_out left_out_table placed",
    "update": "items new_items links left_out changes left_out_table map data coordinates page page_url",
    "log": "maps changes",
    "export": "region items columns table links_table pictures left_out",
    "regions": "regions overview table",
    "search": "found table",
    "suggest": "suggestions best table",
    "check": "odd_links oddest table",
    "compare": "items only_first only_second neighbors_kept moved_most page page_url table",
    "evaluate": "query queries kl_divergence link_auc variance_ratio hit_rate_1 hit_rate_10 reconstruction_auc"
    " neighborhood_preservation trustworthiness report_card",
    "plot": "picture inches dots_per_inch",
    "view": "left_out address page",
    "reproduce": "study methods seeds perplexity best_method reconstruction_auc fitting_seconds report",
    "reproduce --list": "study available_methods",
    "info": "versions",
    "warm-up": "loops compiled processes seconds folder",
    "info MAP": "items links dimensions kl_divergence iterations weights relation_norm settings",
}


def check_keys(command: str, printed: Any, domains: Collection[str] = ()) -> None:
    """Check the keys of what a command printed: those at the top by name, and all but domains' names by form."""
    assert set(printed) == set(KEYS[command].split())
    wrong = [key for key in keys_of(printed) if key not in domains and not re.fullmatch("[a-z][a-z0-9_]*", key)]
    assert wrong == []


def keys_of(printed: Any) -> list[str]:
    """Return the keys at all levels."""
    if isinstance(printed, list):
        return [key for value in printed for key in keys_of(value)]
    if not isinstance(printed, dict):
        return []
    return [*printed, *(key for value in printed.values() for key in keys_of(value))]
