"""P̃ → Y: where items start, what pulls and pushes them, and the descent that brings them to rest.

Internal: see ``docs/architecture.md`` for what is public.
"""
