"""Files as people have them: pictures, what goes wrong in a file, and writing that never leaves half of one.

Internal: see ``docs/architecture.md`` for what is public.
"""
