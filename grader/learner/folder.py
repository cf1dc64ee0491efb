"""A learner's own folder: copies of the lessons to work in, beside the course and not in it.

In the folder lie:

    02_tree_reduction.ipynb     the learner's; nothing here ever writes over what is theirs in it
    progress.jsonl              what was done, see `progress`
    .warpwise/lessons/          the lessons as they were handed out, by which an update tells what
                                is the learner's
    .warpwise/before/           notebooks as they were before an update
"""

import shutil
from pathlib import Path

from ..course_folder import NOTEBOOKS
from ..errors import LearnerError, unless
from . import progress

LESSONS = Path(progress.MARK) / "lessons"


def make(root: Path, notebooks: Path = NOTEBOOKS) -> list[str]:
    """Make `root` a learner's folder, and bring in the lessons that are not in it yet. Returns
    their names."""
    unless(
        not ((root / "pyproject.toml").exists() or (root / "kernels").is_dir()),
        LearnerError(f"{root} is the course itself: name a folder of your own."),
    )
    (root / LESSONS).mkdir(parents=True, exist_ok=True)
    fresh = [
        path
        for path in sorted(notebooks.glob("*.ipynb"))
        if not (root / path.name).exists() and not (root / LESSONS / path.name).exists()
    ]
    for path in fresh:
        shutil.copyfile(path, root / path.name)
        shutil.copyfile(path, root / LESSONS / path.name)
    return [path.stem for path in fresh]


def here() -> Path:
    """The learner's folder that the current folder lies in."""
    return unless(
        progress.folder(),
        LearnerError(
            "This is no learner's folder: go to yours, or make one with `grader lab FOLDER`."
        ),
    )


def outdated(root: Path, notebooks: Path = NOTEBOOKS) -> list[str]:
    """The lessons of which there is a newer edition than the one in `root`."""
    return [
        path.stem
        for path in sorted(notebooks.glob("*.ipynb"))
        for given in [root / LESSONS / path.name]
        if not given.exists() or given.read_bytes() != path.read_bytes()
    ]
