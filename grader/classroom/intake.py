"""What a learner's notebook says about each exercise: source texts, found by the cells' grade_id.

Whatever is wrong with the notebook becomes one sentence, and costs no other exercise anything.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.validator import normalize

# The magic's line and blank ones before it, so that lines count as they do after `%%cuda NAME`.
_MAGIC = re.compile(r"\s*%%cuda\b[^\n]*(?:\n|\Z)")


class UnreadableNotebook(ValueError):
    """The file is no notebook; the message is a sentence for whoever handed it in."""


@dataclass(frozen=True)
class Answer:
    """The learner's answer to the exercise called `name`.

    `source` is CUDA source, None when there is nothing to judge; `problem` is a sentence about
    the notebook, empty when all is well; `cell` is the index of the cell the answer is in.
    """

    name: str
    source: str | None = None
    problem: str = ""
    cell: int | None = None


def read_notebook(path: Path) -> NotebookNode:
    """The notebook in `path`, of any format version, in the newest one. Raises
    UnreadableNotebook."""
    if not path.is_file() or path.is_symlink():
        raise UnreadableNotebook(f"There is no notebook {path.name} here.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about missing cell ids, which are made good
            read = nbformat.reads(path.read_text(encoding="utf-8"), as_version=4)
            _, notebook = normalize(read)
        nbformat.validate(notebook, relax_add_props=True)
    except nbformat.ValidationError as error:
        where = "/".join(map(str, error.absolute_path))
        raise UnreadableNotebook(_damaged(path, f"what it has in {where} cannot be")) from None
    except OSError as error:
        raise UnreadableNotebook(f"{path.name} cannot be opened: {error.strerror}.") from None
    except Exception:  # converters of old formats fail in any way that Python knows
        raise UnreadableNotebook(_damaged(path, "it is not JSON as Jupyter writes it")) from None
    return notebook


def _damaged(path: Path, why: str) -> str:
    return (
        f"{path.name} is not a notebook ({why}): save it again in JupyterLab and hand in that file."
    )


def find(notebook: NotebookNode, names: Iterable[str]) -> tuple[Answer, ...]:
    """The answer to each exercise in `names`, from the cells whose grade_id is that name."""
    return tuple(_find(notebook, name) for name in names)


def cuda_source(cell: str) -> str:
    """The CUDA source in the text of a cell, without its `%%cuda NAME` line."""
    return _MAGIC.sub("", cell, count=1) if _MAGIC.match(cell) else cell


def grade_id(cell: NotebookNode) -> str:
    """What nbgrader calls the cell; empty when it is none of nbgrader's or its mark is broken."""
    mark = cell.metadata.get("nbgrader")
    found = mark.get("grade_id") if isinstance(mark, dict) else None
    return found if isinstance(found, str) else ""


def _find(notebook: NotebookNode, name: str) -> Answer:
    found = [index for index, cell in enumerate(notebook.cells) if grade_id(cell) == name]
    sources = {cuda_source(notebook.cells[index].source).strip() for index in found}
    if not found:
        return Answer(name, problem=f"The cell for {name} is missing from the notebook.")
    if len(sources) > 1:
        problem = (
            f"The notebook has {len(found)} cells for {name} with different code in them, so none "
            "can be graded: keep one and delete the others."
        )
        return Answer(name, problem=problem, cell=found[0])
    source = cuda_source(notebook.cells[found[0]].source)
    if not source.strip():
        return Answer(name, problem=f"The cell for {name} is empty.", cell=found[0])
    problem = f"The notebook has {len(found)} cells for {name}, all alike; one of them counts."
    return Answer(name, source, problem if len(found) > 1 else "", found[0])
