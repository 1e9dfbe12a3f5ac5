from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from mrsne import RelationalData
from mrsne.data.storage import DataFileError, load_data, save_data


def test_data_survives_saving(tmp_path: Path) -> None:
    data = RelationalData(
        {"a": np.eye(3, dtype=np.float32), "b": sparse.csr_matrix(np.eye(4)), "c": 2},
        {("a", "b"): np.ones((3, 4)), ("c", "c"): [[0, 1], [1, 0]]},
        names={"c": ["x\n\u05d0", "\U0001f415"]},
        missing={"a": [True, False, False]},
        pictures={"a": np.zeros((3, 2, 2, 3), np.uint8)},
    )
    save_data(data, tmp_path / "data.npz", {"settings": {"weights": "size"}})
    again, about = load_data(tmp_path / "data.npz")
    assert (repr(again), again.names, about) == (repr(data), data.names, {"settings": {"weights": "size"}})
    assert again.missing["a"].tolist() == [True, False, False]
    assert again.pictures["a"].shape == (3, 2, 2, 3)
    (tmp_path / "data.npz").write_text("damaged")
    with pytest.raises(DataFileError, match="is not saved data, or is damaged"):
        load_data(tmp_path / "data.npz")
