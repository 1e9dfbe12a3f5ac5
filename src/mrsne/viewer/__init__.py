"""The interactive map: what it shows (content), as one page, on a local server, or in a notebook.

Internal: see ``docs/architecture.md`` for what is public.
"""

PAGES = (".html", ".htm")  # what the file of a page ends in
