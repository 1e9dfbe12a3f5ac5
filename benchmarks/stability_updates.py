"""Maps that are continued when their data changes, beside fresh ones of the same data.

    python -m benchmarks.stability_updates small emoji icons debian
    python -m benchmarks.stability_updates grown emoji
    python -m benchmarks.stability_updates large --items 100000
    python -m benchmarks.stability_updates folder --items 2500

``small``: of the first kind, the links of 1 % of the items are drawn anew, 2 % are new and 2 % are gone. ``grown``: a
third of its items come in ten steps. ``large``: vectors alone, 1 % of them new. ``folder``: ``mrsne map`` on pictures
whose vectors are known, after ten changed tags. Data sets are given as for :mod:`benchmarks.weights`.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from benchmarks.data import clustered
from benchmarks.weights import load
from mrsne import MRSNE, Embedding, RelationalData
from mrsne.cli import main as mrsne_command
from mrsne.data.relational import arguments_of
from mrsne.metrics import link_auc
from mrsne.metrics.summaries import brief_scores


def scores(embedding: Embedding, data: RelationalData) -> dict[str, float]:
    """Return scores of the report card by name."""
    brief = brief_scores(embedding, data)
    found = {f"hit {a}-{b}": value for (a, b), value in brief["hit_rate_10"].items()}
    found |= {f"trust {name}": value for name, value in (brief.get("trustworthiness") or {}).items()}
    return found | {f"auc {a}-{b}": link_auc(embedding, data, (a, b)) for a, b in data.pairs if a != b}


def largest_fall(now: dict[str, float], then: dict[str, float]) -> str:
    """Return by how much the score that fell most is below a fresh map's, and which it is."""
    worst = max(then, key=lambda key: then[key] - now[key])
    return f"{then[worst] - now[worst]:.4f} ({worst})"


def with_other_links(data: RelationalData, items: Any, random: np.random.Generator) -> RelationalData:
    """Return data in which some items of the first kind have as many links as before, to others."""
    first, parts = next(iter(data.sizes)), arguments_of(data)
    for pair in data.pairs:
        if first not in pair or pair[0] == pair[1]:
            continue
        other = pair[1] if pair[0] == first else pair[0]
        W = data.relation(first, other).tolil()
        for item in items:
            W.rows[item] = sorted(random.choice(W.shape[1], len(W.rows[item]), replace=False).tolist())
        parts["relations"][pair] = W.tocsr() if pair[0] == first else W.T.tocsr()
    return RelationalData(**parts)


def named(data: RelationalData) -> RelationalData:
    """Return data whose items all have names, by which they are matched."""
    parts = arguments_of(data)
    parts["names"] = {kind: data.names.get(kind, [str(i) for i in range(size)]) for kind, size in data.sizes.items()}
    return RelationalData(**parts)


def small(names: list[str], seeds: int, anchor: str) -> None:
    columns = ("set", "seed", "moved, median", "p95", "ten nearest kept", "KL", "of a fresh map", "worst score", "time")
    print(f"| {' | '.join(columns)} |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name in names:
        data = named(load(*_file(name)))
        first = next(iter(data.sizes))
        for seed in range(seeds):
            random = np.random.default_rng(seed)
            order, share = random.permutation(data.sizes[first]), data.sizes[first] // 50
            new, gone, changed = order[:share], order[share : 2 * share], order[2 * share : 2 * share + share // 2]
            before = data.subset({first: np.setdiff1d(order, new)})
            after = with_other_links(data, changed, random).subset({first: np.setdiff1d(order, gone)})
            old = MRSNE(random_state=seed).fit_transform(before)
            fresh, fresh_time = timed(after, seed)
            found, continued_time = timed(after, seed, start_from=old, anchor=anchor)
            changes = found.changes
            moved = f"{changes.moved.median:.2%} | {changes.moved.p95:.2%} | {changes.neighbors_kept:.3f}"
            kl = f"{found.kl_divergence:.4f} | {found.kl_divergence / fresh.kl_divergence - 1:+.2%}"
            worst = largest_fall(scores(found, after), scores(fresh, after))
            print(f"| {name} | {seed} | {moved} | {kl} | {worst} | {continued_time / fresh_time:.2f} |", flush=True)


def grown(names: list[str], seeds: int, anchor: str) -> None:
    print("| set | seed | KL | of a fresh map | worst score |")
    print("|---|---|---|---|---|")
    for name in names:
        data = named(load(*_file(name)))
        first = next(iter(data.sizes))
        for seed in range(seeds):
            order = np.random.default_rng(seed).permutation(data.sizes[first])
            embedding: Any = None
            for step in range(11):
                count = round(len(order) * (2 / 3 + step / 30))
                part = data.subset({first: np.sort(order[:count])})
                embedding = MRSNE(random_state=seed).fit_transform(part, start_from=embedding, anchor=anchor)
            fresh = MRSNE(random_state=seed).fit_transform(part)
            kl = f"{embedding.kl_divergence:.4f} | {embedding.kl_divergence / fresh.kl_divergence - 1:+.2%}"
            worst = largest_fall(scores(embedding, part), scores(fresh, part))
            print(f"| {name} | {seed} | {kl} | {worst} |", flush=True)


def large(items: int, anchor: str) -> None:
    X = clustered(items + items // 100)
    data = RelationalData({"item": X}, names={"item": [str(i) for i in range(len(X))]})
    timed(data.subset({"item": np.arange(2_000)}), 0)  # compiles what it needs
    old = MRSNE(random_state=0).fit_transform(data.subset({"item": np.arange(items)}))
    found, continued = timed(data, 0, start_from=old, anchor=anchor)
    fresh, whole = timed(data, 0)
    print(f"{items:,} items and {items // 100:,} new: {continued:.1f} s, fresh {whole:.1f} s, {continued / whole:.2f}")
    print(f"KL {found.kl_divergence:.4f}, fresh {fresh.kl_divergence:.4f}; moved {found.changes.moved}")


def folder(items: int) -> None:
    random = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as base:
        photos = Path(base, "photos")
        photos.mkdir()
        for index in range(items):
            small_picture = random.integers(0, 256, (6, 6, 3), dtype=np.uint8)
            Image.fromarray(small_picture).resize((64, 64), Image.Resampling.BICUBIC).save(photos / f"{index}.png")
        tags = [[f"tag {random.integers(200)}" for _ in range(4)] for _ in range(items)]
        for part in ("made", "continued"):
            lines = "".join(f"{i}.png,{'; '.join(found)}\n" for i, found in enumerate(tags))
            Path(base, "tags.csv").write_text(f"picture,tags\n{lines}")
            given = ["--tags", f"{base}/tags.csv", "--cache", f"{base}/cache", "-o", f"{base}/map.html", "--json"]
            start = time.perf_counter()
            with contextlib.redirect_stdout(io.StringIO()):
                mrsne_command_standing(["map", str(photos), *given])
            print(f"{part}: {time.perf_counter() - start:.1f} s", flush=True)
            for index in range(10):
                tags[index * items // 10] = ["tag 7"]


def mrsne_command_standing(arguments: list[str]) -> None:
    """Run a command without ending this process."""
    with contextlib.suppress(SystemExit):
        mrsne_command(arguments)


def timed(data: RelationalData, seed: int, **continued: Any) -> tuple[Any, float]:
    start = time.perf_counter()
    found = MRSNE(random_state=seed).fit_transform(data, **continued)
    return found, time.perf_counter() - start


def _file(given: str) -> tuple[str, Path | None]:
    name, _, file = given.partition("=")
    return name, Path(file) if file else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=["small", "grown", "large", "folder"])
    parser.add_argument("sets", nargs="*", metavar="NAME[=FILE]")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--anchor", default="keep")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)
    if arguments.part in ("small", "grown"):
        run = small if arguments.part == "small" else grown
        run(arguments.sets, arguments.seeds, arguments.anchor)
    elif arguments.part == "large":
        large(arguments.items, arguments.anchor)
    else:
        folder(arguments.items)


if __name__ == "__main__":
    main()
