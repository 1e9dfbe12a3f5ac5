"""What tells machine code of one version of this folder from that of another."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files

SOURCES = ("instructions.py", "kernels.py", "settings.py", "team.py")  # of which every compiled loop has a part


@cache
def code_version() -> str:
    """Return a short hash of the files whose code is compiled into every loop.

    numba takes machine code from disk while the file of the loop is unchanged, whatever it was compiled with. With this
    in its name, a loop that has the layout of an earlier board is not found any more: a thread that looks for jobs
    elsewhere than they are written would never see one, or would call whatever address is there.

    Examples
    --------
    >>> len(code_version())
    12
    """
    digest = hashlib.sha256()
    for name in SOURCES:
        try:
            digest.update(files("mrsne.compilation").joinpath(name).read_bytes())
        except OSError:  # an installation without sources, for which numba keeps no machine code either
            continue
    return digest.hexdigest()[:12]
