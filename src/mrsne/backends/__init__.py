"""The engines: a processor, a GPU or a Dask cluster computes what the stages decide, in rooms of the same shape.

Internal: see ``docs/architecture.md`` for what is public.
"""
