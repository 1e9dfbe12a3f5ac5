"""One whole file of each kind that mrsne reads, and the calls that read it."""

from __future__ import annotations

import contextlib
import sqlite3
import warnings
from pathlib import Path
from typing import Any

import anndata
import numpy as np
import pandas as pd
from PIL import Image
from scipy import sparse

import mrsne
from mrsne.data.archive import write_archive
from tests.encoders.models import save_mean_model
from tests.fuzz.calls import RUN, small_data, start_run

PICTURES = (
    "red.png",
    "green.jpg",
    "blue.webp",
    "grey.gif",
    "black.bmp",
    "white.tiff",
    "pink.jp2",
    "gold.ico",
    "tan.ppm",
    "deep.tif",
    "flat.png",
)
DEEP = PICTURES[-2:]
TABLES = ("works.xlsx", "works.parquet", "lists.parquet", "works.db", "logged.db", "works.jsonl", "cells.h5ad")
FIT = ("fit", "--max-iter", "6", "-o", "new.npz", "--domain")
IMAGES = (*FIT, "image=vectors.npy", "--domain", "tag=3")
TABLE = ("map", "-o", "works.html")
MAP = ("map", "photos", "--image-model", "model.onnx", "--no-cache", "--no-word-vectors", "-o", "photos.html")

READERS = {  # the function of the library that reads a file
    "map.npz": "map",
    "map.data.npz": "data",
    "vectors.npy": "matrix",
    "sparse.npz": "matrix",
    "vectors.csv": "matrix",
    "vectors.parquet": "matrix",
    "links.npz": "links",
    "links.csv": "links",
    "arrays.npz": "arrays",
    **{f"photos/{name}": "picture" for name in PICTURES},
    **dict.fromkeys(TABLES, "table"),
}
COMMANDS: dict[str, list[tuple[str, ...]]] = {  # commands that read a file
    "map.npz": [
        ("info", "map.npz"),
        ("evaluate", "map.npz"),
        ("plot", "map.npz", "-o", "map.svg", "--size", "2"),
        ("view", "map.npz", "-o", "map.html"),
        ("place", "map.npz", "--domain", "image=new.npy", "-o", "placed.npz"),
        (*IMAGES, "-o", "map.npz"),
    ],
    "map.data.npz": [
        ("info", "map.npz"),
        ("evaluate", "map.npz"),
        ("plot", "map.npz", "-o", "map.svg", "--size", "2", "--links", "tag=cat"),
        ("view", "map.npz", "-o", "map.html"),
        ("place", "map.npz", "--domain", "image=new.npy", "-o", "placed.npz"),
        ("place", "map.npz", "--relation", "image:tag=named.csv", "-o", "placed.npz"),
    ],
    "vectors.npy": [IMAGES, (*IMAGES, "--relation", "image:tag=links.csv")],
    "sparse.npz": [(*FIT, "image=sparse.npz"), (*FIT, "image=sparse.npz", "--metric", "cosine")],
    "vectors.csv": [(*FIT, "image=vectors.csv")],
    "vectors.parquet": [(*FIT, "image=vectors.parquet")],
    "links.npz": [(*IMAGES, "--relation", "image:tag=links.npz"), (*FIT, "image=12", "--domain", "tag=3", "--relation",
                                                                   "image:tag=links.npz")],
    "links.csv": [(*IMAGES, "--relation", "image:tag=links.csv"), ("fit", "--relation", "links.csv", "-o", "new.npz")],
    "works.csv": [(*TABLE, "works.csv"), (*TABLE, "works.csv", "--dry-run"), (*TABLE, "works.csv", "--min-count", "2")],
    "works.jsonl": [(*TABLE, "works.jsonl")],
    "works.parquet": [(*TABLE, "works.parquet")],
    "works.db": [(*TABLE, "works.db")],
    "works.xlsx": [(*TABLE, "works.xlsx"), (*TABLE, "works.xlsx", "--dry-run")],
    "cells.h5ad": [(*TABLE, "cells.h5ad", "--kind", "sample=donor")],
    "names.txt": [(*IMAGES, "--relation", "image:tag=named.csv", "--names", "tag=names.txt")],
    "new.npy": [("place", "map.npz", "--domain", "image=new.npy", "-o", "placed.npz")],
    "columns.csv": [("view", "map.npz", "--columns", "image=columns.csv", "-o", "map.html")],
    "fit.npz": [(*FIT, "image=vectors.npy", "--checkpoint", "fit.npz")],
    "tags.csv": [(*MAP, "--tags", "tags.csv")],
    "photos/red.txt": [(*MAP, "--text")],
    "model.onnx": [MAP],
    **{f"photos/{name}": [MAP] for name in PICTURES[:4]},
}  # fmt: skip


def write_originals(folder: Path) -> None:
    """Write them all."""
    data = small_data()
    mrsne.MRSNE(**RUN).fit_transform(data).save(folder / "map.npz")
    about = {"settings": {"perplexity": 3.0, "weights": 0.5}, "folder": str(folder)}
    write_archive(data, folder / "map.data.npz", about)
    start_run(folder / "checkpoint.npz")
    X = np.asarray(data.vectors["image"])
    np.save(folder / "vectors.npy", X)
    np.save(folder / "new.npy", X[:2])
    finished: dict[str, Any] = {
        "max_iter": 6,
        "random_state": 0,
        "checkpoint": folder / "fit.npz",
    }  # as the command has them
    with warnings.catch_warnings(action="ignore"):
        mrsne.MRSNE(**finished).fit(mrsne.RelationalData({"image": X}))
    sparse.save_npz(folder / "sparse.npz", sparse.csr_matrix(X))
    sparse.save_npz(folder / "links.npz", data.relations["image", "tag"])
    np.savez(folder / "arrays.npz", image_vectors=X, relation=data.relations["image", "tag"].toarray())
    names = [f"image {index}" for index in range(12)]
    lines = [f"{name},{','.join(map(repr, row))}" for name, row in zip(names, X.tolist(), strict=True)]
    (folder / "vectors.csv").write_text("\n".join(["name,x,y,z", *lines]))
    pd.DataFrame(X, columns=["x", "y", "z"]).to_parquet(folder / "vectors.parquet")
    (folder / "links.csv").write_text("\n".join(["image,tag,weight", *(f"{i},{i // 4},1.5" for i in range(12))]))
    (folder / "named.csv").write_text(
        "\n".join(["image,tag", *(f"{i},{['cat', 'dog', 'owl'][i // 4]}" for i in range(12))])
    )
    (folder / "names.txt").write_text("cat\ndog\nowl\n")
    (folder / "columns.csv").write_text(
        "\n".join(["image,year,mood", *(f"image {i},{2000 + i},fine" for i in range(12))])
    )
    save_mean_model(folder / "model.onnx", side=8)
    (folder / "photos").mkdir()
    for index, name in enumerate(PICTURES):
        pixels = np.random.default_rng(index).integers(0, 256, (12, 10, 3), dtype=np.uint8)
        if name in DEEP:  # sixteen bits; TIFF has directories of tags, compression and a profile of colours
            options: dict[str, Any] = {"compression": "tiff_adobe_deflate", "icc_profile": bytes(200)}
            deep = Image.fromarray(257 * pixels[..., 0].astype(np.uint16))
            deep.save(folder / "photos" / name, **(options if name.endswith("tif") else {}))
        else:
            Image.fromarray(pixels).save(folder / "photos" / name)
        (folder / "photos" / name).with_suffix(".txt").write_text("cat, dog")
    rows = [f"{name},cat;dog,2" if index % 2 else f"{name},owl,1" for index, name in enumerate(PICTURES)]
    (folder / "tags.csv").write_text("\n".join(["picture,tags,weight", *rows]))
    save_mean_model(folder / "photos" / "model.onnx", side=8)
    write_tables(folder)


def write_tables(folder: Path) -> None:
    """Write one table in every format that `mrsne map` takes."""
    works = pd.DataFrame(
        {
            "id": [f"w{i}" for i in range(12)],
            "title": ["untitled", "storm", "lake"] * 4,
            "tags": ["sea; ship", "lake", "sea; lake"] * 4,
            "year": [str(1800 + i) for i in range(12)],
        }
    )
    works.to_csv(folder / "works.csv", index=False)
    works.to_json(folder / "works.jsonl", orient="records", lines=True)
    works.to_parquet(folder / "works.parquet")
    works.to_excel(folder / "works.xlsx", index=False)
    listed = works.assign(
        tags=works["tags"].str.split("; "), place=pd.Series([{"name": "Oslo", "at": [59.9, 10.7]}] * 12)
    )
    listed.to_parquet(folder / "lists.parquet", compression="gzip", row_group_size=5)
    cells = anndata.AnnData(sparse.csr_matrix(np.eye(12, 5)), works.set_index("id").assign(donor=["a", "b", "c"] * 4))
    cells.obsm["X_pca"] = np.random.default_rng(0).normal(size=(12, 3))
    with anndata.settings.override(allow_write_nullable_strings=True):
        cells.write_h5ad(folder / "cells.h5ad", compression="gzip")
    with contextlib.closing(sqlite3.connect(folder / "works.db")) as database:
        works.to_sql("works", database, index=False)
        database.commit()
    with contextlib.closing(sqlite3.connect(folder / "logged.db")) as database:
        database.execute("PRAGMA journal_mode = WAL")
        works.to_sql("works", database, index=False)
        database.commit()
