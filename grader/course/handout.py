"""A course as learners may have it: `check()` works, and no solution is in it.

What a verdict needs of a solution is kept beside it: its signature stands in the kernel as it is
handed out, its counts in steps.json, and right answers come from the exercise's own NumPy.
"""

from collections.abc import Iterator
from pathlib import Path

from .catalogue import lessons
from .model import Lesson

# Of a lesson's folder: edits of the solution, which give it away.
_KEPT_BACK = {"mistakes.toml", "equivalent_mutants.toml", "wrong", "__pycache__"}


def files(lesson: Lesson) -> Iterator[tuple[str, bytes]]:
    """The lesson's files, by their path in its folder; an exercise's as it is handed out."""
    blank = {one.source: lesson.handed_out(one) for one in lesson.exercises}
    for path in sorted(lesson.path.rglob("*")):
        name = path.relative_to(lesson.path)
        if path.is_file() and _KEPT_BACK.isdisjoint(name.parts):
            text = blank.get(name.as_posix())
            yield name.as_posix(), path.read_bytes() if text is None else text.encode()


def course_files(folder: Path) -> Iterator[tuple[str, bytes]]:
    """The same of a whole course in `folder`, its notebooks and pages among them, and nothing of a
    class."""
    for lesson in lessons(folder / "kernels"):
        for name, content in files(lesson):
            yield f"kernels/{lesson.name}/{name}", content
    rest = [folder / "nbgrader_config.py", *(folder / "notebooks").glob("*.ipynb")]
    rest += (folder / "kernels/pages").rglob("*")
    for path in sorted(rest):
        if path.is_file():
            yield path.relative_to(folder).as_posix(), path.read_bytes()
