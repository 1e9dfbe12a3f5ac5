"""A folder or a table as people keep it -> RelationalData, and the recipe by which later items are read the same way.

Internal but for :class:`mrsne.Collection`: see ``docs/architecture.md`` for what is public.
"""
