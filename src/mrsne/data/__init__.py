"""What users bring: files, tables and objects of other tools, and the vectors and links they hold, checked once.

Internal: see ``docs/architecture.md`` for what is public.
"""
