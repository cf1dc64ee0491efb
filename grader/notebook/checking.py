"""check(), hint(), puzzle(), play(), warmup() and vary(): how far an exercise is, what to try next,
its lines to put in order, a launch step by step, what to do again, an exercise drawn anew."""

import os
import re
import secrets
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import ipywidgets as widgets
from IPython.display import display, update_display

from grader.compilers.declared import Declarations
from grader.course import Exercise, kinds, variants
from grader.cuda.limits import Dim
from grader.judge import judge, sizes, small_changes
from grader.judge.judging import WHILE_SOMEBODY_WAITS
from grader.judge.playback.strip import marks_of
from grader.judge.verdict import Verdict
from grader.learner import progress, recall, study
from grader.say import questions
from grader.status import DONE, Status
from grader.watch.observe import Run
from grader.watch.recording import recordings

from ..errors import unless
from . import cards, session, verdict_card
from .cards import OURS, Notice, Page, html_of
from .player import Replay, of_case, of_failure, of_replay, player

HELP = "A question first"


@dataclass(frozen=True)
class _Asked:
    """A question that the page shows."""

    prediction: questions.Prediction
    lesson: str  # the name of the one that it is from
    name: str  # by which its answer is remembered
    again: bool = False  # in a warm-up, or of a verdict: a wrong choice gets a second try
    card: str = ""  # the exercise on whose card it stands, as the first of its hints


_asked: dict[str, _Asked] = {}  # by the key of the output


def predict(
    question: str,
    choices: Sequence[str],
    answer: str,
    because: str,
    anew: Sequence[tuple[str, Sequence[str], str, str]] = (),
) -> None:
    """Ask `question`; the learner clicks on one of `choices`, and learns at once whether it is
    `answer` (one of them) and why. What stands between backticks is shown as code. A question
    that was answered before is shown with what was answered. Warm-ups ask each of `anew` in turn:
    the same question with other numbers, choices, answer and reason."""
    for _, some, right, _ in ((question, choices, answer, because), *anew):
        unless(
            right in some,
            ValueError(f"predict: the answer {right!r} is not one of the choices {some!r}"),
        )
    prediction = questions.Prediction(question, tuple(choices), answer, because, tuple(anew))
    lesson, key = session.current().lesson.name, prediction.key
    _asked[key] = _Asked(prediction, lesson, key)
    given = progress.answer(lesson, key)
    if given in prediction.choices:
        display(_answered(prediction, given))
    else:
        display(
            _Buttons(prediction, key),
            display_id=key,
            metadata={OURS: {"prediction": key, "answered": False}},
        )


def answer(key: str, number: int) -> None:
    """The learner chose number `number`, from 0, of the question `key`, in the page."""
    unless(key in _asked, Notice("Run the question's cell first."))
    asked = _asked[key]
    prediction, choice = asked.prediction, asked.prediction.choices[number]
    right = choice == prediction.answer
    if prediction.title != HELP:  # that is of no lesson
        progress.predicted(asked.lesson, asked.name, choice, right)
    left = tuple(other for other in prediction.choices if other != choice)
    shown: Page | _Buttons = _answered(prediction, choice)
    if not right and asked.again and len(left) > 1:  # one alone needs no thought
        where = "the message" if asked.prediction.title == HELP else "that part of the lesson"
        said = f"It is not “{choice}”. Read {where} again. Then choose again."
        second = replace(prediction, text=f"{prediction.text}\n{said}", choices=left)
        _asked[key] = replace(asked, prediction=second, again=False)
        shown = _on_card(second, key) if asked.card else _Buttons(second, key)
    if asked.card and isinstance(shown, Page):
        _show_on_card(asked.card, lambda hinted: [shown, *hinted[1:]])
    else:
        update_display(shown, display_id=key)


def _on_card(prediction: questions.Prediction, key: str) -> Page:
    return Page(html_of("answerable", prediction, key), prediction.text)


def _show_on_card(name: str, change: Callable[[list[Page]], list[Page]]) -> None:
    """Show the card of an exercise's last check with other hints than before."""
    card, shown, hinted = session.current().cards[name]
    hinted[:] = change(hinted)
    shown.update(card(hinted))


class _Buttons(widgets.VBox):
    """The question and a button for each choice. Nothing that is sent to the page, or saved with
    it, holds the answer; once there is one, a page without widgets stands in its place."""

    def __init__(self, prediction: questions.Prediction, key: str):
        self._prediction, self._key = prediction, key
        buttons = [
            widgets.Button(
                description=text,
                layout={"width": "auto", "max_width": "100%", "margin": "2px 8px 2px 0"},
            )
            for text in prediction.choices
        ]
        for number, button in enumerate(buttons):
            button.on_click(lambda _, number=number: answer(key, number))
        super().__init__(
            [
                widgets.HTML(html_of("large", html_of("asked", prediction))),
                widgets.HBox(buttons, layout={"flex_flow": "row wrap"}),
            ],
            layout=_FRAME,
        )

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        """The widget's own, with twins for pages that have no widgets."""
        prediction = self._prediction
        # Our labextension shows the first before all else: HTML whose links answer. Where there is
        # no such extension, the widget does the same.
        return super()._repr_mimebundle_(**kwargs) | {  # type: ignore[no-any-return]
            "application/vnd.warpwise.html": html_of("answerable", prediction, self._key),
            "text/html": html_of("choices", prediction),
            "text/plain": "\n  - ".join(
                (f"{prediction.title}: {prediction.text}", *prediction.choices)
            ),
        }


def _answered(prediction: questions.Prediction, choice: str) -> Page:
    """The question, all choices with what was chosen and what is right, and the reason."""
    right = choice == prediction.answer
    title = "✓ Right." if right else f"✗ It is not “{choice}”."
    correct = "" if right else f" The answer is “{prediction.answer}”."
    signs = {choice: "✗", prediction.answer: "✓"}
    rows = [f"{signs.get(one, '·')} {one}" for one in prediction.choices]
    return Page(
        html_of("answered", prediction, rows, right, title, correct),
        "\n".join(
            [
                f"{prediction.title}: {prediction.text}",
                *(f"  {row}" for row in rows),
                title + correct,
                prediction.because,
            ]
        ),
        {"prediction": prediction.key, "answered": True},
    )


_FRAME = {
    **{f"border_{edge}": f"1px solid {html_of('border')}" for edge in ("top", "right", "bottom")},
    "border_left": f"4px solid {html_of('accent', 'note')}",
    "padding": "6px 14px",
    "margin": "4px 0",
    "max_width": "980px",
}

LIMITS = replace(WHILE_SOMEBODY_WAITS, reasoning_seconds=3.0)


def check(name: str, *, hidden: bool = False) -> None:
    """Judge the text last run as `%%cuda name` on the exercise's visible cases, with inputs drawn
    afresh, and show the verdict; of a case that failed, also how it came to that, step by step.
    With `hidden` on all of them, of which the hidden ones show what kind of input they are and
    whether they passed."""
    lesson = session.current()
    exercise, source = lesson.exercise(name), lesson.source(name)
    hidden &= bool(exercise.cases)  # a question has none, and tells what its lesson lets it tell
    origin = exercise.id.partition("/")[0]  # a warm-up brings in exercises of other lessons
    ours = not progress.is_fetched(origin)  # others may still hand in
    place = _Place()

    def page(verdict: Verdict, replay: Replay | None = None, hinted: Sequence[Page] = ()) -> Page:
        return verdict_card.page(
            verdict.for_learner(), source, exercise, replay, name, ours, hinted=hinted
        )

    def look(verdict: Verdict, what: str = verdict_card.CAUSE) -> None:
        """Show what is known while `what` is looked for."""
        if exercise.size_points:
            verdict = sizes.with_case(verdict, sizes.result(exercise, Status.NOT_RUN))
        place.show(verdict_card.looking(page(verdict), what))

    verdict = judge(
        variants.asked(exercise),
        source,
        seed=secrets.randbelow(2**31),
        hidden=hidden,
        limits=LIMITS,
        sizes=False,
        partial_marks=lesson.partial_marks,
        marked=look,
    )
    if sizes.can_be_looked_for(verdict, exercise):
        look(verdict, verdict_card.SIZES)
    verdict = sizes.looked_for(verdict, exercise, source, LIMITS)
    lesson.due[name] = _hints_on(verdict, exercise)
    lesson.searches[name] = partial(small_changes.place_of_mistake, exercise, source, verdict)
    shown = verdict.for_learner()
    found = questions.about(verdict.status, shown.parts, shown.line, source)
    lesson.asked.pop(name, None)
    if found and isinstance(exercise.kind, kinds.Write) and verdict.status not in DONE:
        lesson.asked[name] = found

    def card(replay: Replay | None = None, hinted: Sequence[Page] = ()) -> Page:
        return verdict_card.noted(page(verdict, replay, hinted), verdict.for_learner(), source)

    place.show(card())
    replay = of_failure(verdict.while_open(), source, exercise)
    if replay:
        place.show(card(replay))
    lesson.cards[name] = (lambda hinted: card(replay, hinted)), place.handle, []
    ran = replay or (
        of_case(exercise, source, verdict.seed) if exercise.cases and "printf" in source else None
    )
    if ran and ran.run.printed:
        display(cards.printed(ran.case.name, ran.run.printed))
    if verdict.status not in (Status.NOT_ATTEMPTED, Status.UNSUPPORTED, Status.KEPT):
        progress.tried(origin, name, verdict.status == Status.PASSED, verdict.status)
    if verdict.status in DONE:
        progress.passed(origin, name)
    elif os.environ.get("NBGRADER_EXECUTION") == "validate":
        # nbgrader's Validate says Success of every cell that ends without an error.
        raise Notice(card(replay).text)


@dataclass
class _Place:
    """A place in the page for a card: shown once, then changed."""

    handle: Any = None  # IPython's, once there is a card

    def show(self, card: Page) -> None:
        if self.handle:
            self.handle.update(card)
        else:
            self.handle = display(card, display_id=True)


def hint(name: str) -> None:
    """Ask a question about what the last check found; then show hints on it, each once: what to
    look at next, where one small change makes the kernel right, what our own kernel does there, and
    what the lesson says about such a mistake. Then the exercise's next hint; after the last one,
    one line of our kernel after the other."""
    if key := _question(name):
        display(_Buttons(_asked[key].prediction, key), display_id=key, metadata={OURS: {}})
    else:
        place = _Place()
        place.show(_next_hint(name, place.show))


def _question(name: str, card: str = "") -> str:
    """The key of the question about the last check, which is asked once; "" if there is none."""
    lesson, origin = session.current(), session.current().exercise(name).id.partition("/")[0]
    if not (found := lesson.asked.pop(name, None)):
        return ""
    prediction = replace(found, title=HELP)
    _asked[prediction.key] = _Asked(prediction, origin, prediction.key, again=True, card=card)
    progress.tried(origin, name, None)
    return prediction.key


def hint_on_card(name: str) -> None:
    """Show the same below the card of the exercise's last check: its button calls this."""
    key = _question(name, name)

    def show(new: Page) -> None:
        _show_on_card(
            name, lambda hinted: [*(one for one in hinted if one not in (new, _LOOKING)), new]
        )

    show(_on_card(_asked[key].prediction, key) if key else _next_hint(name, show))


def _hints_on(verdict: Verdict, exercise: Exercise) -> tuple[tuple[str, str], ...]:
    """The titles and texts of hints on a verdict. A hidden case, of which the card tells the kind
    alone, is told as an example: its numbers are of this check, and not those that a mark uses."""
    parts = verdict.parts
    return (
        *[("An example of such a case", str(parts.while_open))]
        * (parts != verdict.for_learner().parts),
        *parts.hints,
        *(
            (f"A hint for: {end.replace('_', ' ')}", exercise.hints_on[end])
            for end in verdict.ends
            if end in exercise.hints_on
        ),
    )


_LOOKING = cards.hint(
    small_changes.TITLE,
    "The grader changes your kernel in one place, and looks whether every case passes. It tries "
    f"this with many places. That takes at most {small_changes.SECONDS:g} seconds.",
)


def _next_hint(name: str, show: Callable[[Page], None]) -> cards.Page:
    """The next hint for an exercise; a Notice if it has none. While it is looked for, `show` shows
    that."""
    lesson = session.current()
    exercise = lesson.exercise(name)
    new = [one for one in lesson.due.get(name, ()) if (name, one[1]) not in lesson.hinted]
    origin = exercise.id.partition("/")[0]
    if name in lesson.searches and len(new) < max(1, len(lesson.due[name])):
        show(_LOOKING)
        if said := lesson.searches.pop(name)():
            progress.tried(origin, name, None)
            return cards.hint(small_changes.TITLE, said)
    is_open = (
        isinstance(exercise.kind, kinds.Write)
        and exercise.solved
        and not progress.is_fetched(origin)
    )
    last = (
        " If this does not help, put the lines of our kernel in order. To get them, run this in a "
        f'new cell: `from grader.notebook import puzzle; puzzle("{name}")`.'
        if is_open and study.has("puzzle")
        else ""
    )
    count, source = len(exercise.hints), lesson.sources.get(name, "")
    lines = _worked_steps(exercise, source) if is_open and source else []
    unless(new or count or lines, Notice(f"There are no more hints for `{name}`.{last}"))
    progress.tried(origin, name, None)
    if new:
        lesson.hinted.add((name, new[0][1]))
        return cards.hint(*new[0])
    number = lesson.hints[name] = min(lesson.hints[name] + 1, count + len(lines))
    return (
        cards.hint(f"A worked step, {number - count} of {len(lines)}", lines[number - count - 1])
        if number > count
        else cards.hint(
            f"Hint {number} of {count}", exercise.hints[number - 1] + last * (number == count)
        )
    )


def _worked_steps(exercise: Exercise, source: str) -> list[str]:
    """Lines of our kernel that the learner's has not alike, or less often, each with the line
    before it."""
    ours, mine = map(Declarations, (exercise.solution, source))
    texts, known = kinds.answers(exercise.solution), ours.unusual(mine)
    given = {line.partition("//")[0] for text in texts for line in text.splitlines()}
    lacks = Counter(map(str.strip, ours.lines)) - Counter(map(str.strip, mine.lines))
    new = [
        at
        for at, line in enumerate(ours.lines, 1)
        if line in given and (at in known or (line.strip() in lacks and line.strip(" {}")))
    ]
    before = {at: [one for one in ours.lines[: at - 1] if re.search(r"\w", one)] for at in new}
    return [
        (
            f"In our kernel, this line comes after `{before[at][-1].strip()}`: "
            if before[at]
            else "Our kernel begins with this line: "
        )
        + f"`{ours.line(at).strip()}`. Where is it in yours?"
        for at in new
    ]


def _offered(feature: str) -> None:
    """A Notice if a study has drawn that this learner works without a feature."""
    unless(
        study.has(feature),
        Notice(
            f"In the study that you take part in, your half of the class works without "
            f"{study.FEATURES[feature]}. `grader study --withdraw` ends that."
        ),
    )


# ---- play ----


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
    _offered("player")
    if not isinstance(what, str):
        display(
            _of_run(
                session.run_of(
                    what,
                    (grid, block, args, shared_mem),
                    "`play` steps through what `watch(...)` returned, through a launch, as in "
                    "`play(kernel, (1,), (32,), (x, n))`, or through an exercise, as in "
                    '`play("name")`.',
                )
            )
        )
        return
    lesson = session.current()
    exercise, source = lesson.exercise(what), lesson.source(what)
    unless(exercise.cases, Notice(f"`{what}` is a question: no kernel runs."))
    seed = secrets.randbelow(2**31)
    verdict = judge(variants.asked(exercise), source, seed=seed, hidden=False)
    replay = of_failure(verdict.while_open(), source, exercise) or (
        of_case(exercise, source, seed) if verdict.status in ("passed", "over_budget") else None
    )
    display(
        of_replay(
            unless(replay, Notice(f'There is nothing to step through: `check("{what}")` says why.'))
        )
    )


def _of_run(run: Run) -> cards.Page:
    """The last launch of a run in which something went wrong, or else the last one."""
    played = [(one, marks_of(one, run.hazards)) for one in recordings(run) if one.frames]
    unless(
        played,
        Notice("Nothing of this run was recorded: no thread got to an instruction."),
    )
    recording, marks = next((pair for pair in reversed(played) if pair[1]), played[-1])
    block = next((one.block for one in run.hazards if not (marks or one.warning)), None)
    return player(
        recording,
        marks,
        f"What went wrong happened in block {block}, which was not recorded." if block else "",
    )


# ---- warmup ----


def warmup() -> None:
    """Show three to five short pieces of passed lessons, for at most ten minutes: questions, and
    an exercise, whose cell is put below this one."""
    cards.install(cards.shell())
    _offered("warm_up")
    pieces = recall.warm_up(
        unless(
            progress.folder(),
            Notice("This is no learner's folder: `grader lab FOLDER` makes one."),
        )
    )
    if not pieces:
        display(
            cards.line(
                "success",
                "Nothing is due",
                "Pieces come back some days after you did them, from lessons whose exercises all "
                "pass.",
            )
        )
        return
    display(cards.line("note", "Warm-up", recall.length(pieces)))
    for piece in pieces:
        if isinstance(piece.task, questions.Prediction):
            # With whatever was answered before.
            key = f"again_{piece.name}"
            _asked[key] = _Asked(piece.task, piece.lesson, piece.name, again=True)
            display(_Buttons(piece.task, key), display_id=key)
        else:
            _below(
                piece.name,
                session.add(piece.lesson, piece.name),
                f"The lesson says:\n\n{piece.asked}",
            )
        _show(
            f"<details><summary>Read again: {piece.section} ({piece.lesson})</summary>\n\n"
            f"{piece.above}\n\n</details>"
        )


def puzzle(name: str) -> None:
    """Put a *write it* exercise into a new cell below as lines to put in order: those of our
    kernel, shuffled, among lines of common mistakes. It counts as help. `check` judges the cell
    like any other answer."""
    _offered("puzzle")
    lesson = session.current()
    exercise, origin = lesson.exercise(name), lesson.lesson
    unless(
        exercise.solved and not progress.is_fetched(exercise.id.partition("/")[0]),
        Notice("An exercise that others may still hand in is no puzzle."),
    )
    unless(
        isinstance(exercise.kind, kinds.Write),
        Notice(f"`{name}` is no exercise of the kind *write it*."),
    )
    ours, *wrong = (
        [line.strip() for text in kinds.answers(source) for line in text.splitlines()]
        for source in (
            exercise.solution,
            *(one.source for one in origin.wrong_kernels if one.exercise == name),
        )
    )
    strange = dict.fromkeys(line for lines in wrong for line in lines if line not in {*ours, ""})
    progress.tried(exercise.id.partition("/")[0], name, None)
    _below(
        name,
        replace(exercise, kind=kinds.Order(distractors=tuple(strange)[:4])),
        "Some lines belong to common mistakes. "
        * bool(strange)
        + "The new cell is not handed in: when it passes, write the kernel into the exercise's own "
        "cell, too.",
    )


def vary(name: str, seed: int | None = None) -> None:
    """Put an exercise drawn anew into a new cell below: its arrays lie in memory in another way, or
    it has another operation. Each number is another variant; without one, chance takes it. `check`
    judges it like any other, under the name that its cell begins with."""
    lesson, number = session.current(), secrets.randbelow(2**31) if seed is None else seed
    drawn = variants.vary(lesson.exercise(name), number, lesson.lesson.path.parent)
    lesson.warm_up[drawn.name] = drawn
    _below(drawn.name, drawn, "The first lines say what is new.")


def _below(name: str, exercise: Exercise, more: str) -> None:
    """Put an exercise, as it is handed out, into a new cell below, under that name; what is to do
    there, and `more`, are said above it."""
    where = ", which comes below it" * (name in session.current().warm_up)
    _show(
        f"**In the new cell below:** `{name}`\n\n{exercise.kind.to_do}. {more}\n\n"
        f'Run the new cell. Then run the cell with `check("{name}")`{where}.'
    )
    cards.shell().set_next_input(
        f"%%cuda {name}\n{exercise.kind.handed_out(exercise.solution)}".rstrip()
    )


def _show(markdown: str) -> None:
    display({"text/markdown": markdown, "text/plain": markdown}, raw=True)
