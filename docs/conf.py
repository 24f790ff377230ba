import boxdraw

project = "boxdraw"
author = "The boxdraw developers"
copyright = "2026, The boxdraw developers"
version = release = boxdraw.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "numpydoc",
]
templates_path = ["_templates"]
exclude_patterns = ["_build", "exact_mip.rst"]  # the latter is a part of exact.rst

html_theme = "alabaster"
html_theme_options = {"description": "Readable rules for rare classes", "page_width": "1060px"}

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
