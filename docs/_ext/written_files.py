"""What an example writes is shown where it was written: pages live in a frame, pictures as pictures.

sphinx-gallery calls a scraper after each block of a script. Ours looks for new files in the folder of the script, which
is where a script without a path writes. Readers see the code that they would write themselves, and what comes of it.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

from dark_pictures import ENDING, keep_thumbnail, keep_twin
from sphinx_gallery.scrapers import figure_rst

PAGES, PICTURES = (".html",), (".png", ".svg")
FRAME = """
.. raw:: html

    <iframe class="live-map{slider}" src="{source}" title="{title}" style="height: {height}px" loading="lazy"></iframe>
    <p class="live-map-link"><a href="{source}" target="_blank" rel="noopener">Open on a page of its own</a></p>

"""
HEIGHT = 560


def show_written_files(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """Move the pages and pictures that a block wrote into the site, and return the text that shows them."""
    folder = Path(block_vars["src_file"]).parent
    shown = [path for path in folder.iterdir() if path.suffix in (*PAGES, *PICTURES)]
    written = sorted(path for path in shown if not path.stem.endswith(ENDING))
    return "".join(_shown(path, block_vars, gallery_conf) for path in written)


def _shown(path: Path, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """Move one file and return the text that shows it."""
    if path.suffix in PICTURES:
        image = Path(next(block_vars["image_path_iterator"])).with_suffix(path.suffix)
        static, example = (Path(gallery_conf["src_dir"], "_static"), Path(block_vars["src_file"]).stem)
        keep_twin(path, image.name, static)
        keep_thumbnail(f"sphx_glr_{example}_001.png", example, static)
        shutil.move(path, image)
        return str(figure_rst([str(image)], gallery_conf["src_dir"], path.stem.replace("-", " ")))
    maps = Path(gallery_conf["src_dir"], "_static", "maps")
    maps.mkdir(parents=True, exist_ok=True)
    source = f"{Path(block_vars['src_file']).stem}-{path.name}"
    asked = re.search(r'data-height="(\d+)"', path.read_text(encoding="utf-8")[:400])
    shutil.move(path, maps / source)
    title = f"Interactive map: {path.stem.replace('-', ' ')}"
    height, slider = (asked.group(1), " slider") if asked else (HEIGHT, "")
    return FRAME.format(source=f"../_static/maps/{source}", title=title, height=height, slider=slider)
