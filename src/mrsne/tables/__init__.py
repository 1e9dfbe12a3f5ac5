"""Any table into the parts of relational data: what each column is, and what becomes of it.

Internal: see ``docs/architecture.md`` for what is public.
"""

from mrsne.tables.choices import Choices
from mrsne.tables.frames import table_from_frame
from mrsne.tables.joining import SecondTable, parts_from_tables, plan_tables, with_pictures
from mrsne.tables.parts import Parts, Plan
from mrsne.tables.reading import ENDINGS, read_any_table
from mrsne.tables.roles import Role, guess_roles
from mrsne.tables.table import Table

__all__ = [
    "ENDINGS",
    "Choices",
    "Parts",
    "Plan",
    "Role",
    "SecondTable",
    "Table",
    "guess_roles",
    "parts_from_tables",
    "plan_tables",
    "read_any_table",
    "table_from_frame",
    "with_pictures",
]
