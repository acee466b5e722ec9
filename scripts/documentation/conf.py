# SPDX-License-Identifier: Apache-2.0
"""Settings of the documentation site. `scripts/docs.sh` lays out the pages and runs Sphinx with
these settings. The pages are those of docs/, the pages outside of docs/ that
scripts/documentation/tree.py names, and the reference, which is generated from headers, package and
command.
"""

import logging
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(Path(__file__).parent))

import python_reference  # noqa: E402

python_reference.import_package()

project = "Ringlet"
author = "the authors of Ringlet"
project_copyright = author
version = release = re.search(
    r'kVersion = "([0-9.]+)"', (ROOT / "include" / "ringlet" / "base" / "version.hpp").read_text()
)[1]

extensions = ["myst_parser", "breathe", "sphinx.ext.autodoc"]
source_suffix = {".md": "markdown"}
root_doc = "index"
exclude_patterns = ["images"]

myst_heading_anchors = 6
myst_enable_extensions = ["colon_fence", "deflist"]

breathe_projects = {"ringlet": str(ROOT / "build" / "docs" / "doxygen" / "xml")}
breathe_default_project = "ringlet"
breathe_default_members = ("members",)

autodoc_member_order = "groupwise"
autodoc_typehints = "signature"
autodoc_inherit_docstrings = False
python_use_unqualified_type_names = True

# `ringlet` is the library; its commands and the printed page are no other languages.
highlight_language = "none"
pygments_style = "default"
pygments_dark_style = "github-dark"

html_theme = "furo"
html_title = f"Ringlet {release}"
html_copy_source = False
html_show_sphinx = False
html_static_path = ["static"]
html_css_files = ["site.css"]
html_search_scorer = str(ROOT / "scripts" / "documentation" / "scorer.js")
html_theme_options = {
    "navigation_with_keys": True,
    "footer_icons": [],
    "light_css_variables": {"color-brand-primary": "#0b5394", "color-brand-content": "#0b5394"},
    "dark_css_variables": {"color-brand-primary": "#8ab8e6", "color-brand-content": "#8ab8e6"},
}


# Namespaces, as Sphinx declares them: in the reference each header opens them again.
NAMESPACE_AGAIN = re.compile(r"Declaration is '\.\. cpp:type:: \w+'")


def setup(app: Any) -> None:
    """Converts docstrings for autodoc, and hides the warnings of namespaces that are declared more
    than once. Other repeated declarations still cause a warning.
    """
    app.connect("autodoc-process-docstring", python_reference.on_docstring)
    for name in ("sphinx.sphinx.domains.cpp", "sphinx.sphinx.domains.cpp._symbol"):
        logging.getLogger(name).addFilter(
            lambda record: not NAMESPACE_AGAIN.search(record.getMessage())
        )
