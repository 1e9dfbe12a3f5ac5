"""How Sphinx builds the site: everything offline, nothing from elsewhere, links between pages checked."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

import mrsne  # noqa: E402

project = "mrsne"
author = "The mrsne developers"
project_copyright = "The mrsne developers"
release = mrsne.__version__
version = release

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
    "numpydoc",
    "myst_parser",
    "sphinx_design",
    "sphinx_copybutton",
    "performance_plots",
    "dark_pictures",
    "method_figure",
]
exclude_patterns = ["_build", "gallery", "tutorials/GALLERY_HEADER.rst", "lessons/index.rst", "**/*.py.md5"]
templates_path = ["_templates"]
nitpicky = True

# Markdown
myst_enable_extensions = ["colon_fence", "deflist", "html_image"]
myst_heading_anchors = 4
myst_linkify_fuzzy_links = False

# The reference, from docstrings; types stand in the docstrings, in words
autosummary_generate = True
autodoc_typehints = "none"
autodoc_member_order = "bysource"
add_module_names = False
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

# The gallery: scripts that run when the site is built; `-t quick` leaves that out
sphinx_gallery_conf = {
    "examples_dirs": ["gallery", "tutorials"],
    "gallery_dirs": ["examples", "lessons"],
    "filename_pattern": r"\.py$",
    "ignore_pattern": r"/_",
    "within_subsection_order": "example_order.ExampleOrder",
    "image_scrapers": ["written_files.show_written_files"],
    "reset_modules": [],
    "show_memory": False,
    "write_computation_times": False,  # its pages would fetch scripts from elsewhere
    "show_signature": False,
    "download_all_examples": False,
    "remove_config_comments": True,
    "min_reported_time": 1,
    "default_thumb_file": str(HERE / "_static" / "example.svg"),
    "plot_gallery": not tags.has("quick"),  # noqa: F821  # Sphinx provides `tags`
    "abort_on_example_error": True,
    "capture_repr": ("__repr__",),
}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_exclude = ".linenos, .gp, .go"

# What it looks like
html_theme = "pydata_sphinx_theme"
html_title = "mrsne"
html_logo = "_static/logo.svg"
html_favicon = "_static/logo.svg"
html_static_path = ["_static"]
html_css_files = ["site.css", "dark-pictures.css"]
html_show_sourcelink = False
html_copy_source = False
html_show_search_summary = False  # it fetches pages, which a browser refuses where the site is read from a disk
html_context = {"default_mode": "auto"}
html_theme_options = {
    "logo": {"text": "mrsne"},
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "navbar_persistent": ["search-button"],
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_prev_next": True,
    "show_toc_level": 2,
    "header_links_before_dropdown": 7,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
