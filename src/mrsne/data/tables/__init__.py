"""Any table into the parts of relational data: what each column is, and what becomes of it.

Internal: see ``docs/architecture.md`` for what is public.
"""
