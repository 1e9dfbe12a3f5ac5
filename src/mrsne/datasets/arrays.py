"""Images and tags from one npz file of arrays."""

import os
from pathlib import Path

from mrsne.data.files.damage import open_arrays
from mrsne.data.relational import RelationalData
from mrsne.datasets.files import DatasetError

ARRAYS = ("image_vectors", "relation", "tag_vectors", "image_names", "tag_names", "image_pictures")


def load_arrays(path: str | os.PathLike[str]) -> RelationalData:
    """Read images and tags from an npz file.

    Parameters
    ----------
    path : path
        A file with ``image_vectors`` (images × dimensions), ``relation`` (images × tags) and, where there are any,
        ``tag_vectors``, ``image_names``, ``tag_names`` and ``image_pictures`` (images × height × width × 3 or 4,
        uint8); other arrays are ignored.

    Returns
    -------
    data : RelationalData
        Domains "image" and "tag".

    See Also
    --------
    mrsne.datasets.load_awa2, mrsne.datasets.load_flickr : The paper's data, from its published files.

    Examples
    --------
    >>> import os, tempfile, numpy as np
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "data.npz")
    ...     np.savez(path, image_vectors=np.eye(4), relation=np.ones((4, 2)), tag_names=["dog", "cat"])
    ...     load_arrays(path)
    RelationalData(image: 4 items, 4-d; tag: 2 items, no vectors; image-tag: 8 links)
    """
    with open_arrays(path, "an npz file of arrays that belong together", DatasetError) as file:
        stored_names = sorted(file)
        content = {name: file[name] for name in stored_names if name in ARRAYS}
        name = Path(path).name
        for required in ("image_vectors", "relation"):
            if required not in content:
                raise DatasetError(f"{name!r} has no {required!r}; it has {', '.join(map(repr, stored_names))}")
        relation = content["relation"]
        if relation.ndim != 2:
            raise DatasetError(f"{name!r}: 'relation' has the shape {relation.shape}; expected images × tags")
        names = {kind: content[f"{kind}_names"] for kind in ("image", "tag") if f"{kind}_names" in content}
        return RelationalData(
            {"image": content["image_vectors"], "tag": content.get("tag_vectors", relation.shape[1])},
            {("image", "tag"): relation},
            names={kind: values.astype(str).tolist() for kind, values in names.items()},
            pictures={"image": content["image_pictures"]} if "image_pictures" in content else {},
        )
