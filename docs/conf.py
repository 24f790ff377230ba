import sys
from pathlib import Path

import boxdraw

sys.path.insert(0, str(Path(__file__).parent))  # for gallery_pictures

project = "boxdraw"
author = "The boxdraw developers"
copyright = "2026, The boxdraw developers"
version = release = boxdraw.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "numpydoc",
    "sphinx-mathjax-offline",  # formulas without a network
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
templates_path = ["_templates"]
exclude_patterns = ["_build", "exact_mip.rst", "gallery"]  # parts of exact.rst and of auto_gallery

html_theme = "pydata_sphinx_theme"
html_theme_options = {"show_prev_next": False, "navigation_with_keys": False, "header_links_before_dropdown": 7}
html_title = "boxdraw"
html_static_path = ["_static"]
html_css_files = ["boxdraw.css"]
html_show_sourcelink = False
html_sidebars = {"index": []}  # the landing page has no section to list

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "auto_gallery",
    "subsection_order": ["gallery/boxes", "gallery/costs", "gallery/trust", "gallery/use"],
    "within_subsection_order": "FileNameSortKey",
    "filename_pattern": r"\.py$",  # run all of them
    "abort_on_example_error": True,
    "image_scrapers": ("matplotlib", "gallery_pictures.save_display"),
    "image_srcset": ["2x"],
    "capture_repr": ("_repr_html_",),  # tables; what else a cell ends with is a picture or nothing to read
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_memory": False,
    "write_computation_times": False,  # a page that loads scripts from elsewhere
    "min_reported_time": 30,
}

default_role = "autolink"  # numpydoc's: `name` links when there is such a name and is code otherwise
add_module_names = False
autosummary_generate = True
autosummary_ignore_module_all = False
autodoc_typehints = "none"  # the docstrings say it in words
numpydoc_show_class_members = False  # the autosummary template lists them


def skip_foreign_members(app, what, name, obj, skip, options):
    """Leave out what scikit-learn adds to every estimator; its own documentation has it."""
    if (getattr(obj, "__module__", None) or "").startswith("sklearn") or name.endswith("_request"):
        return True
    return None


def setup(app):
    app.connect("autodoc-skip-member", skip_foreign_members)
