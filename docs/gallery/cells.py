"""
Cells and genes
===============

700 blood cells and 765 genes: the reduced PBMC data that comes with scanpy. Needs ``pip install scanpy`` (and mrsne);
nothing is downloaded.

Single-cell tools draw cells. Here genes lie among the cells that express them.
"""

import numpy as np
import scanpy

import mrsne

adata = scanpy.datasets.pbmc68k_reduced()
adata

# %%
# Cells are compared by their principal components, and linked to genes by their expression. ``use_raw`` takes the
# values before scaling, since a link cannot be negative.

data = mrsne.RelationalData.from_anndata(adata, use_raw=True)
data

# %%

embedding = mrsne.MRSNE(random_state=0).fit_transform(data)
embedding.to_html("cells.html", data, title="Blood cells and genes")

# %%
# As a picture: cells are dots, genes have their names.

mrsne.plot.map_figure(embedding, data, labels=["gene"]).savefig("cells.png", dpi=80)

# %%
# Do known marker genes lie where they should? For each, the cell type of most of the fifty nearest cells:

genes = list(data.names["gene"])
types = adata.obs["bulk_labels"].to_numpy()
for gene in ("CD79A", "CD8B", "NKG7", "FCER1A", "CST3"):
    distance = np.linalg.norm(embedding["cell"] - embedding["gene"][genes.index(gene)], axis=1)
    nearest, count = np.unique(types[np.argsort(distance)[:50]], return_counts=True)
    print(f"{gene:7} {count.max():2} of 50 are {nearest[count.argmax()]}")

# %%
# Back into the object that scanpy draws: ``scanpy.pl.embedding(adata, "mrsne", color="bulk_labels")``.

embedding.to_anndata(adata)
adata.obsm["X_mrsne"].shape
