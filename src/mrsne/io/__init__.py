"""Files in, files out: pictures and tables as people have them, and writing that never leaves half a file.

Internal: see ``docs/architecture.md`` for what is public.
"""

from mrsne.io.damage import FileContentError, file_errors, open_arrays
from mrsne.io.pictures import find_pictures
from mrsne.io.problems import Problem, Problems
from mrsne.io.regular_files import IrregularFileError, open_regular
from mrsne.io.writing import write_atomically, write_figure, write_text

__all__ = [
    "FileContentError",
    "IrregularFileError",
    "Problem",
    "Problems",
    "file_errors",
    "find_pictures",
    "open_arrays",
    "open_regular",
    "write_atomically",
    "write_figure",
    "write_text",
]
