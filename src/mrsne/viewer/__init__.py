"""The interactive map: its content, and the ways to show it: one page, a local server, a notebook."""

PAGES = (".html", ".htm")  # endings of a page's file
