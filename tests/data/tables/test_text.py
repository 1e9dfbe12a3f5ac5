"""TF-IDF of texts, as scikit-learn computes it."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.preprocessing import normalize

from mrsne.data.tables.text import learn_sentences

LETTERS = ("wört", "Élan", "straße", "İx", "ﬁsh", "a1", "snow")


def made_texts(count: int, words: int, length: int) -> list[str]:
    random = np.random.default_rng(count)
    known = [f"{LETTERS[i % len(LETTERS)]}_{i}" for i in range(words)] + ["a", "9x"]
    drawn = np.minimum(random.zipf(1.3, (count, length)), len(known)) - 1
    return [" ".join(known[index] for index in row) for row in drawn.tolist()] + [""]


@pytest.mark.parametrize(("count", "words", "length"), [(4, 9, 5), (40, 50, 12), (800, 30_000, 80), (60, 3, 1)])
def test_words_weights_and_vectors_are_those_of_scikit_learn_to_the_bit(count: int, words: int, length: int) -> None:
    texts = made_texts(count, words, length)
    settings = {"token_pattern": r"(?u)\b[^\W\d_]\w+\b", "strip_accents": "unicode"}
    for fewest, most in ((1, 0.8) if len(texts) < 50 else (2, 0.5), (1, 1.0)):
        try:
            counter = CountVectorizer(min_df=fewest, max_df=most, max_features=20_000, **settings)
            counts = counter.fit_transform(texts)
            break
        except ValueError:  # no word is left
            continue
    documents = np.bincount(counts.indices, minlength=counts.shape[1])
    weights = (np.log((1 + len(texts)) / (1 + documents)) + 1).round(6)
    model = learn_sentences(texts)
    assert (model.vocabulary, model.weights) == (counter.get_feature_names_out().tolist(), weights.tolist())
    terms = sparse.csr_matrix(counts, dtype=np.float32)
    terms.data = 1 + np.log(terms.data)
    expected = sparse.csr_matrix(normalize(terms.multiply(weights.astype(np.float32)[None, :]).tocsr()))
    found, without = model.vectors(texts)
    for name in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    assert found.dtype == np.float32
    assert without[-1]


def test_reading_tables_loads_no_large_package() -> None:
    script = """
import sys
from mrsne.data.tables.joining import parts_from_tables, plan_tables
from mrsne.data.tables.reading import open_table
texts = ["a stormy sea with ships", "ships on a stormy sea at night", "a calm lake among the old trees"]
parts_from_tables(*plan_tables(open_table({"id": list("abc"), "text": texts, "year": ["1", "2", "3"]})))
print([name for name in ("sklearn", "pandas", "scipy.stats", "matplotlib", "pyarrow") if name in sys.modules])
"""
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert result.stdout == "[]\n", result.stderr
