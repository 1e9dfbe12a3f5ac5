"""The interactive map: what it shows (content), as one page, on a local server, or in a notebook."""
