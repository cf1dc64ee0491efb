"""A notebook as nbconvert's Markdown: what the course shows stands there in words.

nbconvert would write the HTML of a card between the lines, styles and all, which nobody can read as
it stands. Every output of ours has a twin in plain text, and says in its metadata that it is ours
(`html.OURS`). jupyter_nbconvert_config.json and jupyter_server_config.json, in
grader/learner/jupyter, tell nbconvert and JupyterLab's "Save and Export Notebook As" of this.
"""

from collections.abc import Iterator
from typing import Any

from nbconvert.preprocessors import Preprocessor
from nbformat import NotebookNode, v4

from .cards import OURS


class InWords(Preprocessor):
    """Puts the text of an output of ours in the place of its HTML. A picture stays, above it."""

    def preprocess_cell(
        self, cell: NotebookNode, resources: dict[str, Any], index: int
    ) -> tuple[NotebookNode, dict[str, Any]]:
        if "outputs" in cell:
            cell.outputs = [told for output in cell.outputs for told in _told(output)]
        return cell, resources


def _told(output: NotebookNode) -> Iterator[NotebookNode]:
    data = output.get("data", {})
    if "text/plain" not in data or OURS not in output.get("metadata", {}):
        yield output
        return
    if pictures := {kind: image for kind, image in data.items() if kind.startswith("image/")}:
        yield v4.new_output("display_data", pictures, metadata=output.metadata)
    yield v4.new_output("display_data", {"text/plain": data["text/plain"]})
