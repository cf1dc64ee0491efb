"""Answers with one named fault and with more, so that their marks can be compared.

`python tests/two_faults.py [WORD] [--most N]` judges them for the exercises whose id contains WORD,
N of them drawn by chance, and prints each that breaks a rule: a second fault never raises the mark,
and an answer that goes around what is taught gets at most half of what the fault leaves.
"""

from __future__ import annotations

import argparse
import itertools
import random
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import suites

from grader import course
from grader.course import mistakes
from grader.course.mistakes import FILE
from grader.judge import Verdict, judge
from grader.judge.partial import known

SEED = 33


@dataclass(frozen=True)
class Pair:
    """An answer with two faults, `first` a named one that leaves something; `each` is the answer
    with one of them mended. `around`: the second is no fault but a way around what is taught."""

    exercise: str
    name: str
    source: str
    first: str
    each: tuple[str, str]
    around: bool

    @property
    def path(self) -> str:
        return f"{self.exercise}/{self.name}"


def pairs() -> Iterator[Pair]:
    """All pairs of a mistake that leaves something with another mistake of the exercise, or with an
    answer of the suite of skips, whose edits can both be made."""
    around: dict[str, list[suites.Answer]] = {}
    for one in suites.answers("skips"):
        around.setdefault(one.exercise, []).append(one)
    for lesson in course.lessons():
        listed = tomllib.loads((lesson.path / FILE).read_text())
        for name, entries in listed.items():
            exercise = lesson.exercise(name)
            solution = lesson.solution(exercise)
            leaving = {one.mistake for one in known(lesson.path, name, "nvrtc") if _leaves(one)}
            named = [one for one in entries if one["mistake"] in leaving and _pairs(one)]
            for first, second in itertools.product(named, entries):
                both = _as_one(*_pairs(first), *_pairs(second)) if _pairs(second) else {}
                if first is not second and (source := _edited(solution, name, both)):
                    each = _edited(solution, name, first), _edited(solution, name, second)
                    label = f"{first['name']}+{second['name']}"
                    yield Pair(exercise.id, label, source, first["name"], each, around=False)
            for first, skip in itertools.product(named, around.get(exercise.id, [])):
                if source := _edited(skip.source, name, _as_one(*_pairs(first))):
                    each = _edited(solution, name, first), skip.source
                    label = f"{first['name']}+{skip.name}"
                    yield Pair(exercise.id, label, source, first["name"], each, around=True)


def broken(pair: Pair) -> str:
    """Which rule the marks of a pair break; "" where they keep to all."""
    both = mark(pair.exercise, pair.source)
    if both.partial is None:
        return ""  # as it was before there were partial marks
    alone = [mark(pair.exercise, source) for source in pair.each]
    if both.points > min(one.points for one in alone):
        return f"{both.points:g}, and {[one.points for one in alone]} with one of them mended"
    most = both.partial.leaves * both.max_points
    if pair.around and both.points > most / 2:
        return f"{both.points:g}, and {most / 2:g} is half of what the fault leaves"
    return ""


@cache
def mark(exercise: str, source: str) -> Verdict:
    return judge(exercise, source, seed=SEED)


def _leaves(fault) -> bool:
    return bool(fault.cases) and fault.leaves > 0


def _pairs(entry: dict) -> list[dict]:
    first = {key: entry[key] for key in ("replace", "with") if key in entry}
    return [first, *entry.get("also", [])] if first else []


def _as_one(first: dict, *others: dict) -> dict:
    return {**first, "also": list(others)}


def _edited(source: str, exercise: str, entry: dict) -> str:
    """ "" where the edits cannot be made."""
    entry = {key: value for key, value in entry.items() if key in mistakes.KEYS}
    if not (entry.get("also") or entry.get("replace") or entry.get("answer")):
        return ""
    try:
        return mistakes.edited(source, exercise, entry)
    except mistakes.EditError:
        return ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("word", nargs="?", default="")
    parser.add_argument("--most", type=int, default=10**6)
    given = parser.parse_args()
    found = [one for one in pairs() if given.word in one.path]
    chosen = random.Random(SEED).sample(found, min(given.most, len(found)))
    partly = 0
    for one in chosen:
        if said := broken(one):
            print(f"{one.path}: {said}", flush=True)
        partly += mark(one.exercise, one.source).partial is not None
    print(f"{len(chosen)} of {len(found)} pairs judged; {partly} of them get a part")


if __name__ == "__main__":
    main()
