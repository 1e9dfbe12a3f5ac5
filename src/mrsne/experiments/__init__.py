"""The paper's experiments: every method, score and table, with the published numbers beside ours.

Internal: see ``docs/architecture.md`` for what is public.
"""
