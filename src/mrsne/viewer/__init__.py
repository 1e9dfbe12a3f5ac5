"""The interactive map: what it shows (content), as one page, on a local server, or in a notebook."""

PAGES = (".html", ".htm")  # what the file of a page ends in
