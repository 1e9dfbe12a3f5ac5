"""What users hold: the estimator, the map it makes, and new items in that map.

Internal: see ``docs/architecture.md`` for what is public.
"""
