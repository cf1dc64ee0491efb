"""check() and hint(): how far an exercise is, and what to try next."""

from __future__ import annotations

import os
import secrets
from dataclasses import replace

from IPython.display import display

from grader.judge import judge, sizes
from grader.judge.judging import STANDARD_LIMITS
from grader.learner import progress
from grader.status import Status

from . import about, cards, session, verdict_card
from .failures import Notice
from .player.replay import of_case, of_failure

LIMITS = replace(STANDARD_LIMITS, reasoning_seconds=3.0)  # somebody is waiting


def check(name: str, *, hidden: bool = False) -> None:
    """Judge the text last run as `%%cuda name` on the exercise's visible cases, with inputs drawn
    afresh, and show the verdict; of a case that failed, also how it came to that, step by step.
    With `hidden` on all of them, of which the hidden ones show what kind of input they are and
    whether they passed."""
    lesson = session.current()
    exercise = lesson.exercise(name)
    source = lesson.source(name)
    seed = secrets.randbelow(2**31)
    part = lesson.partial_marks
    verdict = judge(exercise.id, source, seed=seed, hidden=hidden, sizes=False, partial_marks=part)
    more = sizes.can_be_looked_for(verdict, exercise)
    verdict = verdict if more else sizes.looked_for(verdict, exercise, source, LIMITS)
    told = verdict.for_learner()
    before = sizes.with_case(told, sizes.result(exercise, Status.NOT_RUN)) if more else told
    ours = not progress.is_fetched(lesson.lesson.name)  # others may still hand in
    page = verdict_card.page(before, source, exercise, cell=name, ours=ours)
    # The verdict first: what follows may take a while.
    first = verdict_card.looking(page) if more else page
    note = {} if more else about.verdict(told, source)
    shown = display(first, metadata=note, display_id=True)
    verdict = sizes.looked_for(verdict, exercise, source, LIMITS) if more else verdict
    lesson.ends[name] = verdict.ends
    replay = of_failure(verdict, source, exercise)
    if more or replay:
        told = verdict.for_learner()
        page = verdict_card.page(told, source, exercise, replay, name, ours)
        shown.update(page, metadata=about.verdict(told, source))
    ran = replay or (of_case(exercise, source, verdict.seed) if "printf" in source else None)
    if ran and ran.run.printed:
        display(cards.printed(ran.case.name, ran.run.printed))
    if verdict.status == "passed":
        progress.passed(lesson.lesson.name, name)
    elif os.environ.get("NBGRADER_EXECUTION") == "validate":
        # nbgrader's Validate says Success of every cell that ends without an error.
        raise Notice(page.text)


def hint(name: str) -> None:
    """Show a hint for what the last check ended in, each once; else the exercise's next hint, and
    after the last one, the last one again."""
    lesson = session.current()
    exercise = lesson.exercise(name)
    if not exercise.hints:
        raise Notice(f"There are no hints for `{name}`.")
    for end in lesson.ends.get(name, ()):
        if end in exercise.hints_on and (name, end) not in lesson.told:
            lesson.told.add((name, end))
            display(cards.hint_on(end, exercise.hints_on[end]))
            return
    number = min(lesson.hints[name] + 1, len(exercise.hints))
    lesson.hints[name] = number
    display(cards.hint(number, len(exercise.hints), exercise.hints[number - 1]))
