"""The formats of tables, a module for each; in this order messages and documentation name them."""

from mrsne.data.tables.formats import anndata_files, delimited, excel, json_lines, parquet, sqlite

FORMATS = (
    delimited.FORMAT,
    json_lines.FORMAT,
    parquet.FORMAT,
    sqlite.FORMAT,
    excel.FORMAT,
    anndata_files.FORMAT,
)
