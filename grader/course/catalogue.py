"""Where lessons and exercises are found: each lesson is a folder, executed once."""

import math
import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache, wraps
from pathlib import Path

import numpy as np
from msgspec import ValidationError, convert

from ..course_folder import KERNELS
from ..errors import AuthorError, NotInCourse, unless
from ..grouped import grouped
from . import authors, chosen, rules, solution_counts, variants
from .kinds import KEYS, AnswerKey, WrittenQuestion
from .model import Benchmark, Contest, Exercise, Lesson, Problem, Rule, Shown

Draw = Callable[[np.random.Generator], Problem]

SIZE_POINTS = 0.5  # what the case is worth that tries sizes of its own, like a hidden one


def names(root: Path = KERNELS) -> list[str]:
    """What the lessons under `root` are called, in order; none of their files is executed."""
    return sorted(found.parent.name for found in root.glob("*/exercises.py"))


def pages_alone(root: Path = KERNELS) -> list[Path]:
    """Every lesson.md under `root` without an exercises.py beside it: that folder is no lesson."""
    return [
        page
        for page in sorted(root.glob("*/lesson.md"))
        if not page.with_name("exercises.py").is_file()
    ]


def lessons(root: Path = KERNELS) -> tuple[Lesson, ...]:
    """Every lesson under `root`, in order of folder name."""
    return tuple(_lesson(root / name) for name in names(root))


def lesson(name: str, root: Path = KERNELS, compiler: str = solution_counts.COMPILER) -> Lesson:
    """The lesson called `name`, its budgets as that compiler makes the solutions; NotInCourse with
    the names there are otherwise, AuthorError when its files are not as they must be."""
    # Names come from notebooks too: "../elsewhere" must run nothing.
    unless(name in names(root), NotInCourse(_no_lesson(name, root)))
    return _lesson(root / name, compiler)


def full_name(given: str, root: Path = KERNELS) -> str:
    """The name of the one lesson that is called `given` or begins so, as 02 does; NotInCourse."""
    known = names(root)
    found = [name for name in known if name == given] or [
        name for name in known if given and name.startswith(given)
    ]
    unless(len(found) == 1, NotInCourse(_no_lesson(given, root)))
    return found[0]


def exercise(exercise_id: str, root: Path = KERNELS) -> Exercise:
    """The exercise called "lesson/name", where the lesson may be as short as `full_name` takes
    it; NotInCourse with the names there are otherwise."""
    lesson_name, _, name = exercise_id.partition("/")
    return lesson(full_name(lesson_name, root), root).exercise(name)


def _no_lesson(given: str, root: Path) -> str:
    return f"There is no lesson {given!r}; there are: {', '.join(names(root)) or 'none'}."


def _lesson(path: Path, compiler: str = solution_counts.COMPILER) -> Lesson:
    """The lesson in the folder `path`, executed again only when a file of it has changed."""
    files = (
        file
        for pattern in ("*.py", "*.cu", "lesson.md", "steps*.json", chosen.FILE, KEYS)
        for file in sorted(path.glob(pattern))
        if file.is_file()
    )
    return _loaded(
        path,
        compiler,
        tuple((str(file), file.stat().st_mtime_ns, file.stat().st_size) for file in files),
    )


@lru_cache(maxsize=64)
def _loaded(path: Path, compiler: str, seen: tuple[tuple[str, int, int], ...]) -> Lesson:
    """The lesson as it is while its files are as they were `seen`."""
    heading = re.search(r"^# (.+)$", authors.text(path / "lesson.md"), re.MULTILINE)
    return Lesson(
        *(path.name, path, heading[1] if heading else path.name),
        benchmarks=tuple(
            one for file in files_of(path, "benchmarks") for one in authors.defined(file, Benchmark)
        ),
        shown=authors.defined(path / "shown.py", Shown),
        contests=authors.defined(path / "exercises.py", Contest),
        exercises=_exercises(path, compiler),
    )


def files_of(path: Path, what: str) -> list[Path]:
    """The files in a lesson's folder that define its "exercises" or "benchmarks": exercises.py, and
    where that would be too long exercises_*.py beside it."""
    return [path / f"{what}.py", *sorted(path.glob(f"{what}_*.py"))]


def _exercises(path: Path, compiler: str) -> tuple[Exercise, ...]:
    """The lesson's exercises in the order of its page."""
    found = [one for file in files_of(path, "exercises") for one in _defined(file, compiler)]
    if twice := authors.named_twice(found):
        raise AuthorError(f"{authors.place_of(path, twice)}: two exercises are called {twice!r}.")
    places = re.findall(
        r"^`{3,}\{exercise\} *(\w+)", authors.text(path / "lesson.md"), re.MULTILINE
    )
    given = grouped((rule.exercise, rule) for rule in _rules(path, {one.name for one in found}))
    # A case tries sizes of its own where launches can be made up for all rules.
    searched = {name for name, some in given.items() if all(map(rules.any_numbers_will_do, some))}
    return tuple(
        replace(
            one,
            rules=tuple(given.get(one.name, ())),
            size_points=SIZE_POINTS if one.name in searched else 0.0,
        )
        for one in sorted(found, key=lambda one: [*places, one.name].index(one.name))
    )


def _defined(file: Path, compiler: str) -> Iterator[Exercise]:
    """The file's exercises, with budgets in numbers as far as the solutions have been measured."""
    rows, keys = chosen.kept(file.parent), _keys(file.with_name(KEYS))
    for one in authors.defined(file, Exercise):
        _require_exercise(one, file)
        if isinstance(one.kind, WrittenQuestion):
            key = keys.get(one.name)
            yield replace(
                one,
                id=f"{file.parent.name}/{one.name}",
                file=file.name,
                source=KEYS,
                solution=key.right if key else one.kind.handed_out(""),
                kind=replace(one.kind, key=key),
            )
            continue
        counts = solution_counts.of_exercise(file.parent, one.name, compiler)
        yield replace(
            one,
            id=f"{file.parent.name}/{one.name}",
            file=file.name,
            solution=authors.text(file.with_name(one.source)),
            cases=tuple(
                replace(
                    case,
                    problem=_drawn(case.problem, file, case.name),
                    budgets=tuple(budget.beside(ours) for budget in case.budgets)
                    if len(ours) > 1  # more than its steps
                    else case.budgets,
                    ours=ours,
                )
                for case in chosen.dealt(one.cases, rows.get(one.name, ()))
                for ours in [counts.get(case.name, {})]
            ),
        )


def _keys(path: Path) -> dict[str, AnswerKey]:
    """The right answers to a lesson's questions; none in a course without solutions."""
    try:
        return convert(
            tomllib.loads(authors.text(path) if path.is_file() else ""), dict[str, AnswerKey]
        )
    except (tomllib.TOMLDecodeError, ValidationError) as error:
        raise AuthorError(f"{authors.shown(path)}: {error}.") from error


def _rules(path: Path, exercises: set[str]) -> tuple[Rule, ...]:
    defined = authors.defined(path / "rules.py", Rule)
    for rule in defined:
        if rule.exercise not in exercises:
            raise AuthorError(
                f"{authors.at(path / 'rules.py', rule.exercise)}: there is no exercise "
                f"{rule.exercise!r}."
            )
        try:
            rules.parameters(rule)
        except rules.RuleError as error:
            raise AuthorError(f"{authors.at(path / 'rules.py', rule.kernel)}: {error}.") from None
    return defined


def _drawn(draw: Draw, path: Path, case: str) -> Draw:
    """`draw` with everything that goes wrong in it, and with what it returns, said as the
    author's."""

    @wraps(draw)
    def problem(rng: np.random.Generator) -> Problem:
        with authors.blamed(path, f"case {case!r}"):
            made = draw(rng)
        if not isinstance(made, Problem):
            raise AuthorError(
                f"{authors.at(path, case)}: case {case!r}: problem() must return a Problem, not "
                f"{made!r:.80}."
            )
        authors.require(made, path, (("case", case),))
        _require_problem(made, path, case)
        return made

    return problem


def _require_problem(made: Problem, path: Path, case: str) -> None:
    """What the fields' types do not say of a Problem."""
    what = f"{authors.at(path, case)}: case {case!r}"
    buffers = {*made.inputs, *made.outputs, *made.scratch}
    for name in (arg for launch in made.launches for arg in launch.args if isinstance(arg, str)):
        unless(
            name in buffers,
            AuthorError(f"{what}: a launch passes {name!r}, which is no buffer of it."),
        )
    for name, array in [
        *made.inputs.items(),
        *((name, expected.value) for name, expected in made.outputs.items()),
    ]:
        unless(
            array.dtype.kind in "biuf",  # NumPy's kinds of dtype that CUDA has too
            AuthorError(f"{what}: {name!r} holds {array.dtype}, which is no number."),
        )
    for name, expected in made.outputs.items():
        try:
            np.broadcast_to(expected.atol, expected.value.shape)
        except ValueError as error:
            raise AuthorError(
                f"{what}: atol of {name!r} has the shape {np.shape(expected.atol)}, and value "
                f"{expected.value.shape}."
            ) from error


def _require_exercise(exercise: Exercise, path: Path) -> None:
    """What the fields' types do not say of an Exercise that stands in the file `path`."""
    what = f"{authors.at(path, exercise.name)}: exercise {exercise.name!r}"
    unless(
        re.fullmatch(r"[A-Za-z_]\w*", exercise.name),
        AuthorError(f"{what}: the name must be a word of letters, digits and underscores."),
    )
    if isinstance(exercise.kind, WrittenQuestion):
        points = exercise.kind.points
        unless(math.isfinite(points) and points >= 0, AuthorError(f"{what}: points are 0 or more."))
        return
    unless(exercise.cases, AuthorError(f"{what} has no cases: nothing would be judged."))
    for case in exercise.cases:
        if not (math.isfinite(case.points) and case.points >= 0):
            raise AuthorError(
                f"{authors.at(path, exercise.name, case.name)}: case {case.name!r} is worth "
                f"{case.points}: points are 0 or more."
            )
    seen = {case.name for case in exercise.cases if case.visible}
    for step in exercise.steps:
        if unknown := sorted({*step.cases} - seen):
            raise AuthorError(
                f"{authors.at(path, exercise.name, step.name)}: step {step.name!r}: no visible "
                f"case is called {unknown[0]!r}."
            )
    if twice := authors.named_twice(exercise.cases):
        raise AuthorError(f"{authors.at(path, twice)}: two cases are called {twice!r}.")
    if not (path.parent / exercise.source).is_file():
        raise AuthorError(
            f"{authors.at(path, exercise.name, exercise.source)}: there is no file "
            f"{exercise.source} in the lesson's folder."
        )


# ---- a course as learners may have it ----

# `check()` works there, and no solution is in it. What a verdict needs of one is kept beside it:
# its signature stands in the kernel as it is handed out, its counts in steps.json, and right
# answers come from the exercise's own NumPy.
# Of a lesson's folder: edits of the solution, which give it away, right answers, and what editors
# and version control leave of a file that they changed.
_KEPT_BACK = re.compile(
    r"(answers|mistakes|operations|equivalent_mutants)\b.*|wrong|__pycache__|[.#].*"
    r"|.*(~|\.(bak|orig|rej|old|tmp))"
)


def handed_out(lesson: Lesson) -> Iterator[tuple[str, bytes]]:
    """The lesson's files, by their path in its folder; an exercise's as it is handed out."""
    blank = {
        **{one.source: lesson.handed_out(one).encode() for one in lesson.exercises},
        f"{variants.FILE}.json": variants.published(lesson),
    }
    for path in sorted(lesson.path.rglob("*")):
        name = path.relative_to(lesson.path)
        if path.is_file() and not any(map(_KEPT_BACK.fullmatch, name.parts)):
            made = blank.get(name.as_posix())
            yield name.as_posix(), path.read_bytes() if made is None else made


def course_files(folder: Path) -> Iterator[tuple[str, bytes]]:
    """The same of a whole course in `folder`, its notebooks and pages among them, and nothing of a
    class."""
    yield from (
        (f"kernels/{lesson.name}/{name}", text)
        for lesson in lessons(folder / "kernels")
        for name, text in handed_out(lesson)
    )
    rest = [
        folder / "nbgrader_config.py",
        *(folder / "notebooks").glob("*.ipynb"),
        *(folder / "kernels/pages").rglob("*"),
    ]
    yield from (
        (path.relative_to(folder).as_posix(), path.read_bytes())
        for path in sorted(rest)
        if path.is_file()
    )
