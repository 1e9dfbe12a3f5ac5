"""What other tools hand over and take back: DataFrames, AnnData, networkx, Parquet.

Internal: see ``docs/architecture.md`` for what is public.
"""
