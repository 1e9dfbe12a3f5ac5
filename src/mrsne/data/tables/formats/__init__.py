"""The formats of tables, a module for each; in this order messages and documentation name them."""

from mrsne.data.tables.formats import anndata_files, delimited, excel, json_lines, parquet, sqlite
from mrsne.data.tables.table import Format

FORMATS: tuple[Format, ...] = tuple(
    known.FORMAT for known in (delimited, json_lines, parquet, sqlite, excel, anndata_files)
)
