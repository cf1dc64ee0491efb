"""Reading what the grader itself, or nbgrader, has written about a notebook: without nbformat's
checks, which take most of the time, and with a sentence where it was damaged since."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..errors import MachineError


def cells(path: Path) -> list[dict[str, Any]]:
    """The cells of a released or graded notebook. MachineError when it is damaged."""
    found = read(path).get("cells")
    if not isinstance(found, list) or not all(map(_is_cell, found)):
        raise damaged(path)
    return found


def read(path: Path) -> dict[str, Any]:
    """What a file of ours holds. MachineError when it is damaged, OSError when there is none."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise damaged(path) from error
    if not isinstance(found, dict):
        raise damaged(path)
    return found


def grade_id(cell: dict[str, Any]) -> str:
    """What nbgrader calls a cell; empty when it is none of nbgrader's."""
    found = cell["metadata"].get("nbgrader", {}).get("grade_id")
    return found if isinstance(found, str) else ""


def damaged(path: Path) -> MachineError:
    """What to do about a file in release/LESSON or in autograded/LEARNER/LESSON."""
    lesson = path.parent.name
    command = "release" if path.parents[1].name == "release" else "autograde"
    return MachineError(
        f"{path} is damaged: delete the folder it lies in, then run `grader {command} {lesson}`, "
        "which writes it anew."
    )


def _is_cell(one: object) -> bool:
    return (
        isinstance(one, dict)
        and isinstance(one.get("metadata"), dict)
        and isinstance(one.get("source"), str | list)
    )
