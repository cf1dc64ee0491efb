"""Answers that the grade is tried with, each a small edit of a solution (`grader.course.mistakes`).

tests/suites/alternatives/LESSON.toml   right answers of other styles: each must get full marks
tests/suites/styles.toml                more of them: ways of writing, for every solution
tests/suites/skips/LESSON.toml          right answers that go around what the exercise teaches: none
                                        may get more than half
tests/suites/textbook/LESSON.toml       answers of the best-known sources, in our words: each must
                                        pass every case but the one that it `loses`, whose budget
                                        the page names
tests/suites/mistakes/LESSON.toml       mistakes that change values alone, with their `cause`,
                                        which a visible case must show and check() must name

`python tests/suites.py SUITE [WORD] [--jobs N]` judges the whole suite, or those whose path
contains WORD, and prints what each got; `python tests/suites.py time [WORD]` measures what check()
costs, and says which mistakes only hidden cases see; `python tests/suites.py asked [WORD]` lists
what each exercise's cases ask.
"""

from __future__ import annotations

import argparse
import os
import re
import tempfile
import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import psutil
from asked import table as asked_table
from in_parallel import add_jobs, in_order

from grader import course
from grader.compilers.lexer import without_comments
from grader.course import mistakes
from grader.judge import Verdict, judge, sizes

FOLDER = Path(__file__).parent / "suites"
SUITES = "alternatives", "textbook", "skips", "mistakes"
ELSEWHERE = r"should come from|uses .* but should not"
ASKED = r"Our kernel asks whether"
LACKS = r"does not use .* but should"
CAUSES = {  # of each, what a learner must be told, as a regular expression
    "counted_twice": r"uses .*(twice|times|more often)|adds .* in your code",
    "first_element": rf"{LACKS}|uses no input|in your code.*No input",
    "identity": r"in your code",
    "last_element": rf"{LACKS}|uses no input|in your code.*No input|{ELSEWHERE}",
    "lost_part": rf"{LACKS}|Our kernel (adds|divides|takes the larger)|intermediate|{ELSEWHERE}"
    "|gets its own value back|gives .* a new value in each round",
    "merged_unscaled": rf"exponential|{LACKS}|Our kernel (subtracts|first multiplies|multiplies)",
    "precision": r"after the point|to (16|32) bits",
    "scale": r"Our kernel|intermediate|times what|of what it should be|"
    r"computes no (division|multiplication)",
    "sentinel": r"in your code",
    "stale_value": rf"uses .* but should not|several times|{LACKS}",
    "transposed": ELSEWHERE,
    "unguarded_nan": r"gives the first NaN|No comparison with NaN",
    "wrong_border": rf"{ELSEWHERE}|{LACKS}|{ASKED}",
    "wrong_index": rf"{ELSEWHERE}|{ASKED}|{LACKS}|uses no input|in your code|does not use `"
    "|does not belong in this step|gets its own value back|in the wrong registers",
    "wrong_tie": r"is the index of the wrong one",
    "wrong_operation": rf"Our kernel|{ELSEWHERE}|and should be a copy of",
    "wrong_row": ELSEWHERE,
    "wrong_sign": r"subtracts|changes the sign|magnitude|absolute value|has the wrong sign|"
    + ELSEWHERE,
}


@dataclass(frozen=True)
class Answer:
    """An answer of a suite; `exercise` is its id, `cause` a mistake's, one of `CAUSES`, `loses` the
    case that an answer of a textbook does not pass."""

    suite: str
    exercise: str
    name: str
    source: str
    cause: str = ""
    loses: str = ""

    @property
    def path(self) -> str:
        return f"{self.exercise}/{self.name}"


def answers(suite: str) -> Iterator[Answer]:
    """The answers of a suite, lesson by lesson. Raises EditError or NotInCourse for one amiss."""
    yield from _written(suite)
    yield from (one for one in _restyled() if one.suite == suite)


def _written(suite: str) -> Iterator[Answer]:
    for lesson in course.lessons():
        file = FOLDER / suite / f"{lesson.name}.toml"
        listed = tomllib.loads(file.read_text()) if file.is_file() else {}
        for exercise, entries in listed.items():
            solution = lesson.solution(lesson.exercise(exercise))
            for entry in entries:
                yield _answer(suite, f"{lesson.name}/{exercise}", solution, entry)


def _restyled() -> Iterator[Answer]:
    """Every solution in every style of styles.toml that changes it: an alternative, or a skip where
    what was given must stay as it was, and the style does more than add what may be added."""
    styles = tomllib.loads((FOLDER / "styles.toml").read_text())["style"]
    for lesson in course.lessons():
        for exercise in lesson.exercises:
            solution = lesson.solution(exercise)
            for style in styles:
                restyled = partial(re.sub, style["find"], style["put"])
                kept = exercise.kind.keeps_what_is_given
                source = restyled(solution) if kept else mistakes.in_answer(solution, restyled)
                if without_comments(source) != without_comments(solution):
                    may_be_added = style.get("may_be_added", False)
                    suite = "skips" if kept and not may_be_added else "alternatives"
                    yield Answer(suite, exercise.id, f"style/{style['name']}", source)


def _answer(suite: str, exercise: str, solution: str, entry: dict) -> Answer:
    try:
        mistakes.require(entry, {"name"}, {"name", "cause", "from", "loses"} | mistakes.KEYS)
        source = mistakes.edited(solution, exercise.partition("/")[2], entry)
    except mistakes.EditError as error:
        raise mistakes.EditError(f"{suite}: {exercise}/{entry.get('name')}: {error}") from None
    loses = entry.get("loses", "")
    return Answer(suite, exercise, entry["name"], source, entry.get("cause", ""), loses)


def judged(answer: Answer) -> Verdict:
    """The verdict: on a mistake check()'s, which knows the visible cases alone."""
    return judge(answer.exercise, answer.source, hidden=answer.suite != "mistakes")


def as_it_should(answer: Answer, verdict: Verdict) -> bool:
    """Whether the verdict is what answers of this suite must get."""
    if answer.suite == "alternatives":
        return verdict.status == "passed"
    if answer.suite == "textbook":
        return lost(verdict) == [answer.loses] * bool(answer.loses)
    if answer.suite == "skips":
        return verdict.points <= verdict.max_points / 2
    return verdict.status == "wrong_answer" and cause_is_told(answer, verdict)


def lost(verdict: Verdict) -> list[str]:
    """The cases that gave no points, without the one that is tried only where all others passed."""
    return [one.name for one in verdict.cases if one.status != "passed" and one.name != sizes.NAME]


def cause_is_told(answer: Answer, verdict: Verdict) -> bool:
    """Whether what a learner can read of a mistake, hints included, names its cause."""
    told = f"{verdict.message} {verdict.parts.ours}"
    return re.search(CAUSES[answer.cause], told) is not None


def tried(answer: Answer) -> tuple[bool, str]:
    """Whether an answer got what it should, and its row."""
    verdict = judged(answer)
    good = as_it_should(answer, verdict)
    marks = f"{verdict.points:g}/{verdict.max_points:g} {verdict.status}"
    path = verdict.counters.get("longest_path", 0)
    rows = [f"{'ok  ' if good else 'FAIL'} {answer.path}  {marks}, path {path:,}"]
    if not good:
        rows += [f"       {line}" for line in _told(verdict)]
    return good, "\n".join(rows)


def table(suite: str, word: str, jobs: int) -> None:
    chosen = [answer for answer in answers(suite) if word in answer.path]
    failed = 0
    for good, row in in_order(tried, chosen, jobs):
        failed += not good
        print(row, flush=True)
    print(f"{len(chosen)} of {suite} tried, {failed} not as they should be")


def _told(verdict: Verdict) -> Iterator[str]:
    """The cases that failed, and what is said of them."""
    for case in verdict.cases:
        if case.status != "passed":
            line = f" line {case.line}" if case.line else ""
            yield f"[{case.name}] {case.status}{line}: {case.message[:400]}"


def measure(word: str = "") -> None:
    """The CPU's time of check() to its verdict, over all solutions and mistakes, with the
    compilation and without the sizes that no case tries, which come after it; and which
    of them check() does not call what they are, since only hidden cases see it."""
    took = []
    with tempfile.TemporaryDirectory() as cache:
        os.environ["XDG_CACHE_HOME"] = cache
        for exercise, name, source, status in _all_that_is_checked():
            if word not in f"{exercise}/{name}":
                continue
            before = _used()
            found = judge(exercise, source, hidden=False, sizes=False).status
            took.append(_used() - before)
            odd = "" if found == status else f"  FAIL: {status} is foreseen"
            print(f"{took[-1]:.2f} s  {exercise}/{name}  {found}{odd}", flush=True)
    took.sort()
    p50, p95 = took[len(took) // 2], took[len(took) * 95 // 100]
    print(f"{len(took)} checks: p50 {p50:.2f} s, p95 {p95:.2f} s, most {took[-1]:.2f} s of the CPU")


def _all_that_is_checked() -> Iterator[tuple[str, str, str, str]]:
    """Exercise, name, source, and the status that is foreseen."""
    for lesson in course.lessons():
        for one in lesson.exercises:
            yield one.id, "solution", lesson.solution(one), "passed"
        for wrong in lesson.wrong_kernels:
            yield f"{lesson.name}/{wrong.exercise}", wrong.name, wrong.source, wrong.status
    for answer in answers("mistakes"):
        yield answer.exercise, answer.name, answer.source, "wrong_answer"


def _used() -> float:
    """Seconds of the CPU's that this process has used, and its workers, which end in the server
    that forked them. A worker's are known to a hundredth of a second."""
    used = time.process_time()
    for child in psutil.Process().children():
        times = child.cpu_times()
        used += times.user + times.system + times.children_user + times.children_system
    return used


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    asked.add_argument("what", choices=[*SUITES, "time", "asked"])
    asked.add_argument("word", nargs="?", default="")
    add_jobs(asked)
    given = asked.parse_args()
    if given.what == "asked":
        asked_table(given.word)
    elif given.what == "time":
        measure(given.word)
    else:
        table(given.what, given.word, given.jobs)


if __name__ == "__main__":
    main()
