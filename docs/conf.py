"""How `make docs` makes build/docs of docs/*.md and the docstrings of grader/."""

import re
from pathlib import Path

project = "Warpwise"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.apidoc"]
html_theme = "furo"
html_title = "Warpwise"
exclude_patterns = []

# The pages link to headings as GitHub names them.
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]

apidoc_modules = [
    {
        "path": "../grader",
        "destination": "api",
        "separate_modules": False,
        "exclude_patterns": ["../grader/bench/numba_softmax.py"],  # needs Numba to be imported
    }
]
autodoc_default_options = {
    "members": True,
    "member-order": "bysource",
    "exclude-members": "set, current_run",
}
autodoc_inherit_docstrings = False  # what matplotlib says of its own is matplotlib's to say
autodoc_typehints = "description"
autodoc_class_signature = "separated"

suppress_warnings = [
    "ref.python",  # an annotation's `type` and `bytes` are Python's, not attributes of that name
    "misc.highlighting_failure",  # a kernel with line numbers is not C++ to a highlighter
]

_INCLUDE = re.compile(r"```{include} \.\./(\S+)\s*```")
_CODE = re.compile(r"(`+[^`]+`+)")


def _as_rst(app, what, name, object_, options, lines):
    """Docstrings here are plain text with `code` and indented examples."""
    made = []
    for line in lines:
        if line.startswith("    ") and made and not made[-1].strip():
            before = next((one for one in reversed(made) if one.strip()), "")
            if not before.startswith("    "):
                made += ["::", ""]
        parts = _CODE.split(line)
        if not line.startswith("    "):
            parts[::2] = [re.sub(r"([*|\\]|_\b)", r"\\\1", text) for text in parts[::2]]
            parts[1::2] = [f"``{code.strip('`')}``" for code in parts[1::2]]
        made.append("".join(parts))
    lines[:] = made


def _with_root_pages(app, docname, content):
    """Put in what a page includes of the repository's root, where its links begin."""

    def included(found):
        text = Path(app.srcdir, "..", found[1]).read_text()
        return re.sub(r"\]\((?![a-z]+:|#)", "](../", text)

    content[0] = _INCLUDE.sub(included, content[0])


def setup(app):
    app.connect("source-read", _with_root_pages)
    app.connect("autodoc-process-docstring", _as_rst)
