"""docs/architecture.md says in which order rooms stand on each other; imports keep to it."""

import ast
import re
import subprocess
import sys
from collections import defaultdict
from functools import cache
from graphlib import TopologicalSorter
from itertools import combinations
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text()
FILES = sorted((ROOT / "grader").rglob("*.py"))
MOST_PARAMETERS = 7  # from so many on, an object is missing
OUTSIDE = {"grader/__init__.py", "grader/__main__.py"}  # the door


def rooms():
    """The paths and patterns in the first column of the table, from the ground up."""
    table = PAGE.partition("| room |")[2].partition("\n\n")[0]
    first = [row.split("|")[1] for row in table.splitlines()[2:]]
    return [re.findall(r"`([^`]+)`", column) for column in first]


ROOMS = rooms()


def floor(path):
    """How high a file's room is; the most exact name of it counts."""
    name = path.relative_to(ROOT).as_posix()
    found = [
        (len(place), height)
        for height, places in enumerate(ROOMS)
        for place in places
        if name == place
        or name.startswith(place + "/")
        or (place.endswith("*.py") and path.parent == ROOT / place.removesuffix("/*.py"))
    ]
    exact = [height for height, places in enumerate(ROOMS) if name in places]
    return exact[0] if exact else max(found)[1]


def file_of(module):
    """The file of a module of the grader, given its full name; None for anything else."""
    place = ROOT.joinpath(*module.split("."))
    candidates = (place.with_suffix(".py"), place / "__init__.py")
    return next((path for path in candidates if path.is_file()), None)


@cache
def tree(path):
    return ast.parse(path.read_text())


def imported(path, text=None):
    """Each file of the grader that a file imports, wherever in it, and the line."""
    package = path.parent.relative_to(ROOT).parts
    for node in ast.walk(ast.parse(text) if text else tree(path)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) + 1 - node.level] if node.level else ()
            module = ".".join([*start, *([node.module] if node.module else [])])
            inner = [f"{module}.{alias.name}" for alias in node.names]
            names = [name if file_of(name) else module for name in inner]
        else:
            continue
        for name in names:
            if name.split(".")[0] == "grader" and (found := file_of(name)):
                yield found, node.lineno


def upward():
    for path in FILES:
        if path.relative_to(ROOT).as_posix() in OUTSIDE:
            continue
        for found, line in imported(path):
            if found.relative_to(ROOT).as_posix() not in OUTSIDE and floor(found) > floor(path):
                places = (path.relative_to(ROOT), line, found.relative_to(ROOT))
                yield "{}, line {}: {}".format(*places)


def test_no_import_runs_upward():
    assert list(upward()) == []


def test_no_files_import_each_other_in_a_circle():
    imports = {path: {found for found, _ in imported(path)} - {path} for path in FILES}
    TopologicalSorter(imports).prepare()  # CycleError names the files


def test_a_name_of_a_class_means_one_thing_in_the_whole_house():
    files = defaultdict(list)
    for path in FILES:
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                files[node.name].append(path.relative_to(ROOT).as_posix())
    assert {name: places for name, places in files.items() if len(places) > 1} == {}


def test_no_function_has_seven_parameters():
    """Beside what is given by name alone; the options of a command are given by nobody's code."""
    found = []
    for path in FILES:
        if path.is_relative_to(ROOT / "grader" / "cli"):
            continue
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                names = [one.arg for one in (*node.args.posonlyargs, *node.args.args)]
                if len([name for name in names if name not in ("self", "cls")]) >= MOST_PARAMETERS:
                    found.append(f"{path.relative_to(ROOT)}, line {node.lineno}: {node.name}")
    assert found == []


def test_every_room_is_in_the_table_and_every_row_is_a_room():
    assert [one for places in ROOMS for one in places if not list(ROOT.glob(one))] == []
    folders = {path.name for path in (ROOT / "grader").iterdir() if (path / "__init__.py").exists()}
    named = {place.split("/")[1] for places in ROOMS for place in places}
    assert folders <= named


def test_an_upward_import_inside_a_function_is_seen():
    errors = ROOT / "grader/cuda/errors.py"
    ((found, line),) = imported(errors, "def inner():\n    from ..judge import verdict\n")
    assert (found, line) == (ROOT / "grader/judge/verdict.py", 2)
    assert floor(found) > floor(errors)


def test_the_files_that_the_page_names_are_there():
    places = re.findall(r"`((?:cli|submissions|course|judge|notebook|cuda)/[\w/]+\.py)`", PAGE)
    assert places
    assert [place for place in places if not (ROOT / "grader" / place).is_file()] == []


# Files that share a name with one next door, and must be told apart by their folders.
_NAMESAKES = {
    "errors.py": "what derives from CourseError, and of that what a kernel can do wrong",
    "folder.py": "a course's folder and a learner's",
    "session.py": "the judge's conversation with a worker, and a notebook's with its reader",
}


def neighbours(one, other):
    """Whether two folders lie side by side, or one in the other."""
    return one.parent == other.parent or one == other.parent or one.parent == other


def test_no_two_files_of_one_name_lie_next_door_to_each_other():
    folders = {}
    for path in FILES:
        if not path.name.startswith("__"):
            folders.setdefault(path.name, []).append(path.parent)
    found = {
        name
        for name, places in folders.items()
        for one, other in combinations(places, 2)
        if neighbours(one, other)
    }
    assert found == set(_NAMESAKES)


REPLACES = """
from dataclasses import dataclass, replace
from msgspec import Struct

class Point(Struct, frozen=True):
    x: int = 0

class Pixel(Point, frozen=True):
    colour: int = 0

@dataclass(frozen=True)
class Size:
    x: int = 0

def moved(one: Pixel, other: Point | Size) -> None:
    replace(one, x=1)
    replace(other, x=1)
    replace(Size(), x=1)
"""


def test_mypy_refuses_dataclasses_replace_on_a_struct_which_would_fail_when_it_runs(tmp_path):
    path = tmp_path / "replaces.py"
    path.write_text(REPLACES)
    command = [sys.executable, "-m", "mypy", "--cache-dir", tmp_path / "cache", path]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout
    refused = re.findall(r":(\d+): error: Use msgspec\.structs\.replace", said)
    assert [REPLACES.splitlines()[int(line) - 1].strip() for line in refused] == [
        *("replace(one, x=1)", "replace(other, x=1)"),
    ], said
