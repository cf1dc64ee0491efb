"""The steps that lead to where a case went wrong, in the verdict of an answer that nobody will run
again: a class's feedback page has them in place of the notebook's player.

The worker that runs the case once more may say anything. Of what it says is taken only what a strip
can hold, in a bounded size, as text; what went wrong is told as the verdict has it.
"""

from dataclasses import replace
from itertools import chain

import numpy as np

from ..course import Exercise, Problem
from ..cuda.errors import lines_of, visible
from ..machine.lanes import WARP
from ..status import Status, headline
from . import sizes
from .cases import CaseInstance, dim, drawn
from .compare import Words
from .playback.strip import MOST_ROWS, MOST_STEPS, SIGNS, STEPS, Step, Strip
from .protocol import Recorded, Scene
from .session import Judged
from .verdict import CaseResult, Verdict

SMALL = 1 << 16  # threads of a case that need no smaller one
LONGEST = 400  # characters of what is said of a step
_NO_STEPS = (
    Status.PASSED,
    Status.COMPILE_ERROR,
    Status.LAUNCH_ERROR,
    Status.OVER_BUDGET,
    Status.NOT_ATTEMPTED,
    Status.UNSUPPORTED,
)


def stepped(judged: Judged, verdict: Verdict) -> Verdict:
    """The verdict with a strip in the visible case that shows best how it went wrong, if one does.
    Hidden cases are not run, and not told."""
    exercise, source = judged.exercise, judged.source
    found = handy_failure(verdict, exercise)
    if found is None or (where := found[1].where) is None:
        return verdict
    instance, result = found
    told = judged.session.record(  # the launch, and the element that came out wrong, if one did
        instance,
        Recorded(
            where=where,
            # An endless loop is the same all the time.
            steps=2_000 if result.status == Status.TIMEOUT else STEPS,
            status="" if instance.case.hazard else result.status,
            compared=bool(result.mismatches),
            name=result.mismatches[0].buffer if result.mismatches else "",
            offset=wrong_place(result, Words(source, exercise.solution, instance.problem))[1],
        ),
    )
    strip = believed(told, instance, where, source) if told else None
    if strip is None:
        return verdict
    title = exercise.kind.called.get(result.status, headline(result.status))
    # The verdict's words stand at the first step that went wrong.
    first = next((at for at, one in enumerate(strip.steps) if one.wrong), len(strip.steps) - 1)
    strip = replace(
        strip,
        steps=tuple(
            replace(
                one,
                wrong=_plain(f"{title[:1].upper()}{title[1:]}: {result.message}")
                if at == first
                else "",
            )
            for at, one in enumerate(strip.steps)
        ),
    )
    return replace(
        verdict,
        cases=tuple(replace(one, strip=strip) if one is result else one for one in verdict.cases),
    )


def handy_failure(verdict: Verdict, exercise: Exercise) -> tuple[CaseInstance, CaseResult] | None:
    """The first visible case that failed, as the verdict drew it, or the smallest that failed alike
    if that one is large. Cases that fail in a later step come later."""
    step = min((one.step for one in verdict.cases if one.failed), default=0)
    results = [one for one in verdict.cases if one.visible]
    own = drawn(exercise, verdict.seed, hidden=False)  # as the verdict drew them, when asked for
    failing = (
        pair
        for pair in zip(chain(own, sizes.instances(verdict, exercise)), results, strict=False)
        if pair[1].status not in _NO_STEPS and pair[1].step == step
    )
    first = next(failing, None)
    return (
        first
        if first is None or _threads(first[0].problem) <= SMALL
        else min(
            [first, *(one for one in failing if one[1].status == first[1].status)],
            key=lambda one: _threads(one[0].problem),
        )
    )


def _threads(problem: Problem) -> int:
    return sum(int(np.prod(one.grid)) * int(np.prod(one.block)) for one in problem.launches)


def wrong_place(result: CaseResult, words: Words) -> tuple[str, int]:
    """The array of the first wrong element, by the exercise's name for it, and the byte offset in
    it at which the element begins; ("", 0) where no array is wrong."""
    if not result.mismatches:
        return "", 0
    first = result.mismatches[0]
    shapes = {name: (one.shape, one.dtype) for name, one in words.problem.inputs.items()} | {
        name: (one.value.shape, np.dtype(one.dtype)) for name, one in words.problem.outputs.items()
    }
    for name, (shape, dtype) in shapes.items():
        if words.name(name) == first.buffer and len(shape) == len(first.index):
            flat = int(np.ravel_multi_index(first.index, shape)) if shape else 0
            return name, flat * dtype.itemsize
    return "", 0


def believed(told: Strip, instance: CaseInstance, where: Scene, source: str) -> Strip | None:
    """What a worker says, as text of a bounded length; None where that can be no strip of the
    launch."""
    launch, lines = instance.problem.launches[where.launch - 1], len(lines_of(source))
    grid, warps = (*dim(launch.grid), 1, 1)[:3], -(-int(np.prod(launch.block)) // WARP)
    if not (
        0 < len(told.steps) <= MOST_STEPS
        and 0 < told.of < 1 << 30
        and all(0 <= at < size for at, size in zip(told.block, grid, strict=True))
        and all(_can_be(one, told.of, lines, warps) for one in told.steps)
    ):
        return None
    return Strip(
        launch.kernel,
        told.block,
        told.of,
        steps=tuple(replace(one, said=_plain(one.said)) for one in told.steps),
    )


def _can_be(step: Step, steps: int, lines: int, warps: int) -> bool:
    rows = step.warps
    firsts = [0, *(one.last + 1 for one in rows)]  # one after the other, and then the rest
    return (
        0 <= step.number < steps
        and 0 <= step.line <= lines
        and 0 < len(rows) <= MOST_ROWS
        and all(0 < len(one.lanes) <= WARP and set(one.lanes) <= set(SIGNS) for one in rows)
        and [one.first for one in rows] == firsts[:-1]
        and all(one.first <= one.last for one in rows)
        and firsts[-1] + step.more == warps
    )


def _plain(text: str) -> str:
    """Text of one line, and of a bounded length."""
    one_line = " ".join(visible(text[: LONGEST + 1]).split())
    return one_line if len(one_line) <= LONGEST else f"{one_line[:LONGEST]} [...]"
