"""A lesson as a Gradescope autograder: the zip that is uploaded there.

By Gradescope's *Autograder Specifications* (gradescope-autograders.readthedocs.io/en/latest/specs):
the zip has setup.sh and run_autograder at its root and is unpacked in /autograder/source; the
submission lies in /autograder/submission, and /autograder/results/results.json is the answer, which
`on_gradescope` makes.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

from ...course import Lesson, handout
from .. import coursefile, release
from ..folder import CourseFolder
from .on_gradescope import PLAN

_PACKAGE = Path(__file__).parents[3]
_LEFT_OUT = {"__pycache__", "slides", "report"}  # of the grader

_SETUP = """\
#!/usr/bin/env bash
# Run once, as root, when Gradescope builds the autograder's image; needs the network.
set -euo pipefail
here=/autograder/source
apt-get update
apt-get install -y python3 python3-venv
python=python3
if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    python=python3.11  # Ubuntu 22.04 has it beside its own 3.10
    apt-get install -y "$python" "$python-venv"
fi
"$python" -m venv /autograder/venv
cd "$here"
/autograder/venv/bin/pip install --quiet --constraint constraints.txt --editable ".[classroom]"
/autograder/venv/bin/python -m compileall -q grader  # else each container does that anew
chmod -R go-rwx "$here"
"""
_RUN = """\
#!/usr/bin/env bash
# Run for each submission; needs no network. Its folder is /autograder.
root=$(cd "$(dirname "$0")" && pwd)
cd "$root"
export PYTHONPATH="$root/source" WARPWISE_DEVICE=simulator
exec "$root/venv/bin/python" -m grader.classroom.bundles.on_gradescope "$root"
"""


def bundle(course: CourseFolder, lesson: Lesson, leaderboard: bool, unsafe: bool = False) -> bytes:
    """The zip for one lesson. Of the course's secret it has what this lesson's hidden cases are
    drawn from and no more; of the solutions, nothing. `unsafe`: it judges also where there is no
    Landlock."""
    file = coursefile.read(course)
    plan = file.plan(lesson.name)
    known = {
        "lesson": lesson.name,
        "seeds": release.seeds(course, lesson),
        "extra": sorted(plan.extra),
        "optional": sorted(plan.optional),
        "partial_marks": file.partial_marks,
        "leaderboard": leaderboard,
        "unsafe": unsafe,
    }
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as packed:
        _add(packed, "setup.sh", _SETUP, executable=True)
        _add(packed, "run_autograder", _RUN, executable=True)
        _add(packed, PLAN, json.dumps(known, indent=1))
        for name in ("pyproject.toml", "constraints.txt", "README.md", "LICENSE"):
            _add(packed, name, (_PACKAGE / name).read_bytes())
        for path in _files(_PACKAGE / "grader"):
            _add(packed, path.relative_to(_PACKAGE).as_posix(), path.read_bytes())
        for name, handed_out in handout.files(lesson):
            _add(packed, f"kernels/{lesson.name}/{name}", handed_out)
    return content.getvalue()


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and _LEFT_OUT.isdisjoint(path.relative_to(folder).parts):
            yield path


def _add(
    packed: zipfile.ZipFile, name: str, content: str | bytes, executable: bool = False
) -> None:
    entry = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))  # the same files make the same zip
    entry.external_attr = (0o755 if executable else 0o644) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    packed.writestr(entry, content)
