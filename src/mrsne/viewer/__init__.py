"""The interactive map: its content, and the ways to show it: one page, a local server, a notebook.

Internal: see ``docs/architecture.md`` for what is public.
"""

PAGES = (".html", ".htm")  # endings of a page's file
