"""How far a map can be trusted: the scores of the report card, from plain coordinates and data.

``mrsne.metrics`` offers them to users, and the page shows them; so they are below both.

Internal: see ``docs/architecture.md`` for what is public.
"""
