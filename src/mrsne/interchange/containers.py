"""Results in the container that users ask for, as scikit-learn's ``set_output`` has it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mrsne.parameters import check_option

CONTAINERS = ("default", "pandas", "polars")


def check_container(transform: Any) -> str:
    """Return the name of a container, or raise."""
    return check_option("transform", transform, CONTAINERS)


def frame_of(columns: Mapping[str, Any], container: str, index: Any = None) -> Any:
    """Return columns as a DataFrame.

    Examples
    --------
    >>> frame_of({"x": [1, 2]}, "pandas", ["a", "b"])
       x
    a  1
    b  2
    """
    if container == "polars":
        import polars

        return polars.DataFrame({name: polars.Series(name, _plain(values)) for name, values in columns.items()})
    try:
        import pandas
    except ImportError as error:
        raise ImportError(f"a DataFrame needs pandas ({error}): pip install pandas") from error
    return pandas.DataFrame(dict(columns), index=index)


def _plain(values: Any) -> Any:
    is_text = getattr(getattr(values, "dtype", None), "kind", None) == "O"
    return values.tolist() if is_text else values
