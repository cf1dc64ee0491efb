"""check() and hint(): how far an exercise is, and what to try next."""

from __future__ import annotations

import secrets

from IPython.display import display

from grader.judge import judge

from . import cards, session, verdict_card
from .failures import Notice


def check(name: str, *, hidden: bool = False) -> None:
    """Judge the text last run as `%%cuda name` on the exercise's visible cases, with inputs drawn
    afresh, and show the verdict; with `hidden` on all of them, of which the hidden ones show what
    kind of input they are and whether they passed."""
    lesson = session.current()
    exercise = lesson.exercise(name)
    if name not in lesson.sources:
        raise Notice(f"Run the cell that begins with `%%cuda {name}` first: it is what is checked.")
    source = lesson.sources[name]
    verdict = judge(exercise.id, source, seed=secrets.randbelow(2**31), hidden=hidden)
    lesson.statuses[name] = verdict.status
    display(verdict_card.page(verdict.for_learner(), source, exercise))


def hint(name: str) -> None:
    """Show the hint for what the last check ended in, once; else the exercise's next hint, and
    after the last one, the last one again."""
    lesson = session.current()
    exercise = lesson.exercise(name)
    if not exercise.hints:
        raise Notice(f"There are no hints for `{name}`.")
    status = lesson.statuses.get(name, "")
    if status in exercise.hints_on and (name, status) not in lesson.told:
        lesson.told.add((name, status))
        display(cards.hint_on(status, exercise.hints_on[status]))
        return
    number = min(lesson.hints[name] + 1, len(exercise.hints))
    lesson.hints[name] = number
    display(cards.hint(number, len(exercise.hints), exercise.hints[number - 1]))
