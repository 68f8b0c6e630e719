"""The site: every page of `docs/`, README, CONTRIBUTING, CHANGELOG and the executed notebooks, as they stand.

    python -m sphinx -W -b html -c docs . build/site        from the root of a clone, with the extra `docs`

The root of the clone is the source, so that a link between two files is the same on a code host and here. Mathematics
is set by the MathJax that a Python package brings; no page asks another host for anything.
"""

import re
from importlib.util import find_spec
from pathlib import Path

from sphinx.errors import ConfigError

project = "symcount"
author = "the authors of symcount"
root_doc = "docs/index"
extensions = ["myst_nb", "sphinx.ext.mathjax"]
include_patterns = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/**.md", "derivations/*.ipynb"]
exclude_patterns = [".*", "build", "dist", "symcount", "tests", "**/.ipynb_checkpoints"]  # not walked through

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
nb_render_markdown_format = "myst"  # tables and mathematics in outputs
nb_execution_mode = "off"  # notebooks are shown as they were committed; a test runs them again

html_theme = "furo"
html_title = "symcount"
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
smartquotes = False  # --phase is no dash
html_additional_pages = {"index": "start.html"}  # whoever opens the folder is sent to docs/index.html
templates_path = ["templates"]

# MathJax as one file; the package has 24 MB of others, which are left behind.
_PACKAGE = find_spec("sphinx-mathjax-offline")
if _PACKAGE is None:
    raise ConfigError("mathematics needs the package sphinx-mathjax-offline: pip install '.[docs]'")
html_static_path.append(str(Path(_PACKAGE.submodule_search_locations[0]) / "static" / "mathjax" / "tex-svg.js"))
mathjax_path = "tex-svg.js"

# Pages that link to all of a folder: in the site its files stand below them
_BELOW = {
    "docs/architectures": "architectures/*",
    "docs/identities": "identities/*",
    "docs/check": "checks/*",
}
_LINK = re.compile(r"^- \[([^\]]+)\]\(([^)#:]+)\.md\)", re.MULTILINE)
_TREE = "\n```{{toctree}}\n:hidden:\n{}\n```\n"


def with_contents(app, page, source):
    """The contents of the site, from the lists of links of the index: there is one place that says them."""
    if page in _BELOW:
        source[0] += _TREE.format(f":glob:\n\n{_BELOW[page]}")
    if page != root_doc:
        return
    trees = []
    for section in source[0].split("\n## ")[1:]:
        caption = section.partition("\n")[0]
        entries = [f"{title} <{target}>" for title, target in _LINK.findall(section)]
        trees.append(_TREE.format(f":caption: {caption}\n\n" + "\n".join(entries)))
    if any((Path(app.srcdir) / "derivations").glob("*.ipynb")):
        trees.append(_TREE.format(":caption: Notebooks\n:glob:\n\n/derivations/*"))
    source[0] += "".join(trees)


def setup(app):
    """Called by Sphinx."""
    app.connect("source-read", with_contents)
