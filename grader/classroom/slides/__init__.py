"""A notebook as slides: nbconvert's, for reveal.js, cut to the size of a screen and in one file
that loads nothing, so that they can be shown where there is no network.

A cell's metadata may have `notes`, Markdown for whoever presents, and `live`, an object with an
`exercise` and a `source`: a kernel that can be edited on its slide where `lecture` serves the page.
"""

from __future__ import annotations

import json
from pathlib import Path

from latex2mathml.converter import convert
from nbconvert import SlidesExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbformat import NotebookNode

from .paging import paged

_HERE = Path(__file__).parent


def slides(notebook: NotebookNode, title: str) -> str:
    """The HTML page that shows `notebook`, with its outputs, slide by slide."""
    pages = paged(notebook)
    pages.metadata.title = title
    kernels = json.dumps([cell.metadata.live for cell in notebook.cells if "live" in cell.metadata])
    pages.metadata.kernels = kernels.replace("<", "\\u003c")  # nothing in it ends the script
    exporter = SlidesExporter(
        extra_template_basedirs=[str(_HERE)],
        template_name="template",
        filters={"markdown2html": _markdown_to_html},
    )
    return exporter.from_notebook_node(pages)[0]


class _Renderer(IPythonRenderer):
    """Formulas become MathML, which browsers show without the help of a script."""

    def block_math(self, body: str) -> str:
        return convert(body, display="block")

    def multiline_math(self, text: str) -> str:
        return convert(text.strip("$"), display="block")

    def inline_math(self, body: str) -> str:
        return convert(body)


def _markdown_to_html(source: str) -> str:
    return MarkdownWithMath(renderer=_Renderer(escape=False)).render(source)
