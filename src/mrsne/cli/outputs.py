"""The files that a command writes: tried before the work, and never lost after it."""

import contextlib
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from mrsne.cli.options import check_suffix
from mrsne.data.files.generation import coordinates_beside, current, data_beside, left_out_beside
from mrsne.data.files.writing import OutputError, check_outputs, is_in_the_way, one_generation, reason_of

PICTURES = (".png", ".svg", ".pdf")  # what the file of a picture ends in
Writers = Mapping[Path, Callable[[Path], object]]


def check_output(output: Path, endings: tuple[str, ...], inputs: Sequence[Path], option: str = "--output") -> None:
    check_suffix(output, endings, option)
    check_outputs([output], inputs, option)


def check_map_outputs(output: Path, inputs: Sequence[Path]) -> None:
    """Raise, before anything is done, if a map, or what shows it, cannot be written or would replace something else."""
    saved = output.with_suffix(".npz")
    check_map_output(saved)
    beside = [data_beside(saved), coordinates_beside(saved), left_out_beside(saved)]
    check_outputs(dict.fromkeys([saved, output, *beside]), inputs)


def check_map_output(path: Path) -> None:
    """Raise if there is something else where a map will be kept."""
    from mrsne.model.embedding import Embedding, EmbeddingFileError

    if os.path.isfile(current(path)):
        try:
            Embedding.load(path)
        except EmbeddingFileError:
            raise OutputError(
                f"the map would be kept in {str(path)!r}, which is something else or damaged; "
                "give another --output, or delete it"
            ) from None


def write_outputs(writers: Writers, removed: Sequence[Path] = ()) -> None:
    """Write files that belong together, the most important first; where one cannot be written, write all elsewhere."""
    path = next(iter(writers))
    try:
        with one_generation(removed):
            for path, write in writers.items():
                path.parent.mkdir(parents=True, exist_ok=True)
                write(path)
    except (OSError, ValueError) as error:
        if isinstance(error, ValueError) and not is_in_the_way(path):
            raise  # of what is written, not of where
        where = _write_elsewhere(writers)
        raise OutputError(f"{str(path)!r} cannot be written ({reason_of(error)}); {where}") from error


def _write_elsewhere(writers: Writers) -> str:
    """Write files into a temporary folder, or else into one here or at home, and say what came of it."""
    for place in dict.fromkeys((tempfile.gettempdir(), os.getcwd(), os.path.expanduser("~"))):
        try:
            folder = Path(tempfile.mkdtemp(prefix="mrsne-", dir=place))
        except OSError:
            continue
        written = []
        for path, write in writers.items():
            with contextlib.suppress(OSError):
                write(folder / path.name)
                written.append(path.name)
        if len(written) == len(writers):
            return f"everything is in {str(folder)!r} instead"
        if written:
            return f"of {len(writers)} files, {', '.join(written)} could be written to {str(folder)!r} instead"
        folder.rmdir()
    return "and there is no other place to write it to"
