"""check(), hint(), play() and warmup(): how far an exercise is, what to try next, a launch step by
step, what to do again."""

import os
import secrets
from dataclasses import replace

from IPython.display import display

from grader.course import Exercise
from grader.cuda.limits import Dim
from grader.judge import judge, sizes
from grader.judge.judging import STANDARD_LIMITS
from grader.judge.playback.strip import marks_of
from grader.judge.verdict import Verdict
from grader.learner import progress, recall
from grader.status import Status
from grader.watch.observe import Run
from grader.watch.recorder import recordings

from . import cards, failures, session, verdict_card
from .kernel import run_of
from .player import player
from .player.replay import of_case, of_failure, of_replay
from .prediction import ask_again

LIMITS = replace(STANDARD_LIMITS, reasoning_seconds=3.0)  # somebody is waiting


def check(name: str, *, hidden: bool = False) -> None:
    """Judge the text last run as `%%cuda name` on the exercise's visible cases, with inputs drawn
    afresh, and show the verdict; of a case that failed, also how it came to that, step by step.
    With `hidden` on all of them, of which the hidden ones show what kind of input they are and
    whether they passed."""
    lesson = session.current()
    exercise, source = lesson.exercise(name), lesson.source(name)
    seed, part = secrets.randbelow(2**31), lesson.partial_marks
    verdict = judge(exercise.id, source, seed=seed, hidden=hidden, sizes=False, partial_marks=part)
    more = sizes.can_be_looked_for(verdict, exercise)
    verdict = verdict if more else sizes.looked_for(verdict, exercise, source, LIMITS)
    seen = verdict.for_learner()
    before = sizes.with_case(seen, sizes.result(exercise, Status.NOT_RUN)) if more else seen
    origin = exercise.id.partition("/")[0]  # a warm-up brings in exercises of other lessons
    ours = not progress.is_fetched(origin)  # others may still hand in
    page = verdict_card.page(before, source, exercise, cell=name, ours=ours)
    # The verdict first: what follows may take a while.
    shown = display(
        verdict_card.looking(page) if more else verdict_card.noted(page, seen, source),
        display_id=True,
    )
    verdict = sizes.looked_for(verdict, exercise, source, LIMITS) if more else verdict
    lesson.due[name] = _hints_on(verdict, exercise)
    replay = of_failure(verdict.while_open(), source, exercise)
    if more or replay:
        seen = verdict.for_learner()
        page = verdict_card.page(seen, source, exercise, replay, name, ours)
        shown.update(verdict_card.noted(page, seen, source))
    lesson.cards[name] = verdict_card.noted(page, seen, source), shown
    ran = replay or (of_case(exercise, source, verdict.seed) if "printf" in source else None)
    if ran and ran.run.printed:
        display(cards.printed(ran.case.name, ran.run.printed))
    if verdict.status not in (Status.NOT_ATTEMPTED, Status.UNSUPPORTED):
        progress.tried(origin, name, verdict.status == Status.PASSED)
    if verdict.status == "passed":
        progress.passed(origin, name)
    elif os.environ.get("NBGRADER_EXECUTION") == "validate":
        # nbgrader's Validate says Success of every cell that ends without an error.
        raise failures.Notice(page.text)


def hint(name: str) -> None:
    """Show a hint on what the last check found, each once: what to look at next, what our own
    kernel does there, and what the lesson says about such a mistake. Then the exercise's next hint,
    and after the last one, the last one again."""
    display(_next_hint(name))


def hint_on_card(name: str) -> None:
    """Show the same below the card of the exercise's last check: its button calls this."""
    lesson = session.current()
    page, shown = lesson.cards[name]
    page = replace(cards.joined(page, _next_hint(name)), note=page.note)
    lesson.cards[name] = page, shown
    shown.update(page)


def _hints_on(verdict: Verdict, exercise: Exercise) -> tuple[tuple[str, str], ...]:
    """The titles and texts of hints on a verdict; a hidden case has none but the lesson's."""
    return (
        *verdict.for_learner().parts.hints,
        *(
            (f"A hint for: {end.replace('_', ' ')}", exercise.hints_on[end])
            for end in verdict.ends
            if end in exercise.hints_on
        ),
    )


def _next_hint(name: str) -> cards.Page:
    """The next hint for an exercise; a Notice if it has none."""
    lesson = session.current()
    exercise = lesson.exercise(name)
    new = [one for one in lesson.due.get(name, ()) if (name, one[1]) not in lesson.hinted]
    if not new and not exercise.hints:
        raise failures.Notice(f"There are no more hints for `{name}`.")
    progress.tried(exercise.id.partition("/")[0], name, None)
    if new:
        lesson.hinted.add((name, new[0][1]))
        return cards.hint(*new[0])
    number = lesson.hints[name] = min(lesson.hints[name] + 1, len(exercise.hints))
    return cards.hint(f"Hint {number} of {len(exercise.hints)}", exercise.hints[number - 1])


# ---- play ----

_HOW = (
    "`play` steps through what `watch(...)` returned, through a launch, as in "
    '`play(kernel, (1,), (32,), (x, n))`, or through an exercise, as in `play("name")`.'
)


def play(
    what: object,
    grid: Dim | None = None,
    block: Dim | None = None,
    args: tuple[object, ...] = (),
    shared_mem: int = 0,
) -> None:
    """Show a run step by step. `what` is the run that `watch` returned; or a kernel, launched as
    `watch` does, on copies of `args`; or the name of an exercise, of which a case that fails is
    shown, or else its first one."""
    if not isinstance(what, str):
        display(_of_run(run_of(what, (grid, block, args, shared_mem), _HOW)))
        return
    lesson = session.current()
    exercise, source = lesson.exercise(what), lesson.source(what)
    seed = secrets.randbelow(2**31)
    verdict = judge(exercise.id, source, seed=seed, hidden=False)
    runs = verdict.status in ("passed", "over_budget")
    replay = of_failure(verdict.while_open(), source, exercise) or (
        of_case(exercise, source, seed) if runs else None
    )
    if replay is None:
        raise failures.Notice(f'There is nothing to step through: `check("{what}")` says why.')
    display(of_replay(replay))


def _of_run(run: Run) -> cards.Page:
    """The last launch of a run in which something went wrong, or else the last one."""
    played = [(one, marks_of(one, run.hazards)) for one in recordings(run) if one.frames]
    if not played:
        raise failures.Notice("Nothing of this run was recorded: no thread got to an instruction.")
    recording, marks = next((pair for pair in reversed(played) if pair[1]), played[-1])
    note = ""
    if not marks and (elsewhere := [one for one in run.hazards if not one.warning]):
        note = f"What went wrong happened in block {elsewhere[0].block}, which was not recorded."
    return player(recording, marks, note)


# ---- warmup ----


def warmup() -> None:
    """Show three to five short pieces of passed lessons, for at most ten minutes: questions, and
    an exercise, whose cell is put below this one."""
    shell = failures.shell()
    failures.install(shell)
    root = progress.folder()
    if root is None:
        raise failures.Notice("This is no learner's folder: `grader lab FOLDER` makes one.")
    pieces = recall.warm_up(root)
    if not pieces:
        why = (
            "Pieces come back some days after you did them, from lessons whose exercises all pass."
        )
        display(cards.line("success", "Nothing is due", why))
        return
    display(cards.line("note", "Warm-up", recall.length(pieces)))
    for piece in pieces:
        if isinstance(piece.task, recall.Prediction):
            ask_again(piece.task, piece.lesson)
        else:
            session.add(piece.lesson, piece.name)
            _show(f"**In the new cell below:** `{piece.name}`\n\n{piece.asked}")
            shell.set_next_input(piece.task)
        summary = f"<summary>Read again: {piece.section} ({piece.lesson})</summary>"
        _show(f"<details>{summary}\n\n{piece.above}\n\n</details>")


def _show(markdown: str) -> None:
    display({"text/markdown": markdown, "text/plain": markdown}, raw=True)
