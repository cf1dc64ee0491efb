"""`grader new`: a lesson that works as it stands, to be changed into another one."""

import re
from pathlib import Path

from ..errors import AuthorError

_FILES = {
    "lesson.md": "lesson.md",
    "exercises.py": "exercises.py",
    "mistakes.toml": "mistakes.toml",
    "kernel.cu": "1_{name}.cu",
}
_NAME = re.compile(r"\d\d_([a-z][a-z0-9_]*)")


def write(lesson: str, kernels: Path) -> Path:
    """The folder of a new lesson, called like 09_histogram, under `kernels`. AuthorError when that
    cannot be its name, or there is one."""
    found = _NAME.fullmatch(lesson)
    if not found:
        raise AuthorError(
            f"A lesson's name is two digits and words in small letters, as in 09_histogram; "
            f"{lesson!r:.60} is not."
        )
    folder = kernels / lesson
    if folder.exists():
        raise AuthorError(f"There is a folder {lesson} already; choose another name.")
    if other := next(kernels.glob(f"{lesson[:3]}*"), None):
        raise AuthorError(f"{other.name} has the number {lesson[:2]} already; choose another.")
    name = found[1]
    folder.mkdir(parents=True)
    for template, path in _FILES.items():
        text = (Path(__file__).parent / f"scaffold/{template}.txt").read_text(encoding="utf-8")
        text = text.replace("NAME", name).replace("TITLE", name.replace("_", " ").capitalize())
        (folder / path.format(name=name)).write_text(text, encoding="utf-8")
    return folder
