"""A map that was made before, with what was kept beside it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mrsne.cli.map_files import data_beside
from mrsne.cli.weights import restored
from mrsne.model.provenance import SETTINGS as AFFINITY_SETTINGS

if TYPE_CHECKING:
    from mrsne.data import RelationalData
    from mrsne.model.embedding import Embedding
    from mrsne.tables.recipe import Recipe

BUNDLED = "efficientnet-lite0"  # of maps that do not say
SETTINGS = ("weights", "relation_norm", "perplexity", "metric", "n_components")  # that fit, map and demo write


@dataclass(frozen=True)
class SavedMap:
    """A map and what was kept with it.

    Attributes
    ----------
    embedding : Embedding
    data : RelationalData
    settings : dict
        The parameters of ``MRSNE`` that it was made with.
    folder : Path or None
        Where its pictures were, if it has any.
    about : dict
        All that was kept, as it is.
    """

    embedding: Embedding
    data: RelationalData
    settings: dict[str, Any]
    folder: Path | None
    about: dict[str, Any] = field(default_factory=dict)

    @property
    def recipe(self) -> Recipe | None:
        """How the rows of a table became the map; None where it was made from something else."""
        from mrsne.tables.recipe import Recipe

        kept = self.about.get("recipe")
        return None if kept is None else Recipe.from_record(kept)

    @property
    def image_model(self) -> str:
        """What turned its pictures into vectors."""
        return str(self.about.get("image_model", BUNDLED))

    @property
    def affinity_settings(self) -> dict[str, Any] | None:
        """The settings of its affinities; of maps of older versions those kept with the data; None if not known."""
        from mrsne.metrics.reasons import settings_of

        kept = {name: self.settings[name] for name in self.about.get("settings", {}) if name in AFFINITY_SETTINGS}
        return settings_of(self.embedding) or kept or None

    @property
    def metrics(self) -> dict[str, str]:
        """The distance of vectors of every domain that it was made with."""
        metric = self.settings.get("metric", "euclidean")
        return metric if isinstance(metric, dict) else dict.fromkeys(self.data.sizes, metric)


def open_map(path: Path) -> SavedMap:
    """Return a map and what was kept with it, which must be the data that it was made from."""
    from mrsne.data.identity import identity
    from mrsne.data.storage import load_data
    from mrsne.model.embedding import Embedding

    embedding = Embedding.load(path)
    beside = data_beside(path)
    if not beside.exists():
        raise FileNotFoundError(f"the data of {str(path)!r} is not beside it: there is no {str(beside)!r}")
    data, about = load_data(beside)
    known = embedding.data_identity  # maps of older versions have none
    sizes = {name: len(Y) for name, Y in embedding.items()}
    if sizes != dict(data.sizes) or (known is not None and known != identity(data)):
        raise ValueError(
            f"{str(path)!r} was made from other data than {str(beside)!r} holds: one of the two has been replaced; "
            "put back the one that belongs to the other, or make the map again"
        )
    settings, folder = _kept(beside, about)
    if "weights" in settings:
        settings = {**settings, "weights": restored(settings["weights"], data.sizes)}
    return SavedMap(embedding, data, settings, folder, about)


def _kept(beside: Path, about: dict[str, Any]) -> tuple[dict[str, Any], Path | None]:
    """Return the settings of a map and the folder of its pictures, of the kinds that they must be."""
    from mrsne.data.storage import DataFileError

    settings, folder = about.get("settings", {}), about.get("folder")
    if not isinstance(settings, dict) or not set(settings) <= set(SETTINGS):
        raise DataFileError(f"{str(beside)!r} is damaged: its settings must be among {', '.join(SETTINGS)}")
    if not isinstance(folder, str | None) or "\0" in (folder or ""):
        raise DataFileError(f"{str(beside)!r} is damaged: its folder must be a path")
    settings = {"weights": "size", "relation_norm": "pmi", **settings}  # what maps of older versions were made with
    return settings, None if folder is None else Path(folder)
