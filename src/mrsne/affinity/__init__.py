"""RelationalData → P̃: neighbour graphs inside the domains, observed graphs across them, one joint matrix.

Internal: see ``docs/architecture.md`` for what is public.
"""
