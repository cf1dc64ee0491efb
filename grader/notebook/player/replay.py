"""A failing case run once more with its steps recorded, in the block where it went wrong."""

from dataclasses import dataclass, replace

import numpy as np

from grader.compilers.declared import parameters
from grader.course import Case, Exercise, Problem
from grader.cuda import simulator
from grader.cuda.errors import CudaError
from grader.cuda.limits import Extent
from grader.judge import cases
from grader.judge.cases import CaseInstance
from grader.judge.playback.marks import (
    FIRST_BLOCKS,
    STEPS,
    Blocks,
    Mark,
    blocks_around,
    marks_of,
    one_launch,
    wrong_element,
)
from grader.judge.protocol import OTHER_ORDERS, Scene
from grader.judge.stepped import handy_failure
from grader.judge.verdict import CaseResult, Verdict
from grader.profiler.work import Work, buffers_of, of_problem, one_by_one
from grader.watch.observe import Run
from grader.watch.recorder import recordings
from grader.watch.recording import Recording

from ..html import Page
from . import player

_MOST_BLOCKS = 4096  # that are searched for who wrote an element


@dataclass(frozen=True)
class Replay:
    """What was seen of a case, and the launch of it to play."""

    case: Case
    problem: Problem
    run: Run
    buffers: dict[str, np.ndarray]  # afterwards
    called: dict[str, str]  # buffer -> what the learner's kernels call it
    error: CudaError | None  # that ended it
    launch: int = 0  # the one to play: its position in `recordings(run)`
    number: int = 1  # and among all of the case, from 1
    found: tuple[Mark, ...] = ()  # its marks

    @property
    def recording(self) -> Recording:
        return recordings(self.run)[self.launch]


def of_failure(verdict: Verdict, source: str, exercise: Exercise) -> Replay | None:
    """A case that failed, with a mark where it went wrong; of hidden cases nothing is drawn, run or
    shown. None where there is nothing to see, or it does not go wrong once more."""
    handy = handy_failure(verdict, exercise)
    if handy is None:
        return None
    instance, result = handy
    work = of_problem(instance.problem, source, exercise.id)
    title = exercise.kind.word(result.status).capitalize()
    orders = (result.where.order,) if result.where else ("lockstep", *OTHER_ORDERS)
    return next(filter(None, (_again(instance, work, result, one, title) for one in orders)), None)


def of_case(exercise: Exercise, source: str, seed: int) -> Replay | None:
    """The exercise's first visible case, whatever comes of it."""
    instance = next(cases.drawn(exercise, seed, hidden=False))
    work = of_problem(instance.problem, source, exercise.id)
    seen = _run(instance, work, FIRST_BLOCKS, Scene(0, None, instance.problem.order))
    if seen is None:
        return None
    last = len(recordings(seen.run)) - 1
    return _at(seen, last, tuple(marks_of(recordings(seen.run)[last], seen.run.hazards)))


def of_replay(replay: Replay) -> Page:
    """A case of an exercise, to be stepped through from where it went wrong."""
    note = f"The case `{replay.case.name}`"
    if (launches := len(replay.problem.launches)) > 1:
        note += f", launch {replay.number} of {launches}"
    return player(replay.recording, list(replay.found), f"{note}.")


def _again(
    instance: CaseInstance, work: Work, result: CaseResult, order: str, title: str
) -> Replay | None:
    where = result.where or Scene(0, None, order)
    threads = int(np.prod(work.launches[max(where.launch, 1) - 1].block))
    blocks = blocks_around(where.block, threads)
    for _ in range(1 if where.block else 2):  # the second time with what the first one has shown
        seen = _run(instance, work, blocks, where, compared=bool(result.mismatches))
        if seen is None:
            break
        wanted = _block(seen, work, result)
        known = [block for one in recordings(seen.run) for block in (*one.blocks, *one.indices)]
        if wanted is None or wanted in known:
            break
        blocks = (wanted,)
    return seen and _marked(seen, result, title)


def _run(
    instance: CaseInstance, work: Work, blocks: Blocks, where: Scene, compared: bool = False
) -> Replay | None:
    """Run the case with the known launch recorded, or each; None where nothing was recorded. What
    was `compared` to be found wrong, and what came before that launch, need not be checked again;
    who wrote it is traced where the block is not known."""
    buffers = buffers_of(work, np.array, simulator.empty)
    error: CudaError | None = None
    traced = compared and where.block is None
    recorded = one_launch(blocks, where.launch)
    with simulator.observe(_MOST_BLOCKS, [recorded], counted=traced) as run:
        try:
            for number, launch in enumerate(one_by_one(work, simulator.RawModule, buffers), 1):
                checks = number >= where.launch and not compared
                with simulator.options(step_limit=STEPS, order=where.order, checks=checks):
                    launch()
        except CudaError as raised:
            error = raised
    if not recordings(run):
        return None
    arrays = {name: np.asarray(array) for name, array in buffers.items()}
    called = {name: _called(work, name) for name in arrays}
    number = max(where.launch, 1)
    return Replay(instance.case, instance.problem, run, arrays, called, error, number=number)


def _called(work: Work, buffer: str) -> str:
    """What the learner's kernel calls a buffer, in the last launch that it is passed to."""
    for launch in reversed(work.launches):
        declared = parameters(work.source, launch.kernel) or ()
        for parameter, passed in zip(declared, launch.args, strict=False):
            if isinstance(passed, str) and passed == buffer:
                return parameter.name
    return buffer


def _block(seen: Replay, work: Work, result: CaseResult) -> int | Extent | None:
    """The number of the block that wrote the first wrong element last; or the blockIdx that a
    hazard of the case's kind happened in."""
    if not result.mismatches:
        alike = [one.block for one in seen.run.hazards if one.status == result.status and one.block]
        return alike[0] if alike else None
    buffer, offset = _place(seen, result)
    args = enumerate(work.launches[-1].args)
    numbers = {number for number, passed in args if isinstance(passed, str) and passed == buffer}
    writer = None
    for event in seen.run.trace.touched:
        at = event.address
        if event.kind == "load" or at is None or event.buffer not in numbers:
            continue
        if np.any((at <= offset) & (offset < at + event.width)):
            writer = event.block
    return writer


def _place(seen: Replay, result: CaseResult) -> tuple[str, int]:
    """The buffer and the byte offset in it of the first wrong element."""
    first = result.mismatches[0]
    for name, array in seen.buffers.items():
        if seen.called[name] == first.buffer and array.ndim == len(first.index):
            flat = int(np.ravel_multi_index(first.index, array.shape)) if first.index else 0
            return name, flat * array.itemsize
    return first.buffer, 0


def _marked(seen: Replay, result: CaseResult, title: str) -> Replay | None:
    """With marks, at the last launch that has some; None where nothing went wrong as it did."""
    launches = recordings(seen.run)
    if result.status == "wrong_answer" and seen.error is None:
        last = launches[-1]
        mark = Mark(max(len(last.frames) - 1, 0), title, result.message)
        if result.mismatches:
            name, (_, offset) = result.mismatches[0].buffer, _place(seen, result)
            mark = wrong_element(last, name, offset, title, result.message)
        return _at(seen, len(launches) - 1, (mark,))
    expected = seen.case.hazard is not None
    if seen.error is None or not (expected or seen.error.status == result.status):
        return None
    for launch in reversed(range(len(launches))):
        marks = [one for one in marks_of(launches[launch], seen.run.hazards) if not one.warning]
        if marks:  # the first with the judge's sentence, which speaks of the whole case
            first = replace(marks[0], text=result.message or marks[0].text)
            return _at(seen, launch, (first, *marks[1:]))
    return None


def _at(seen: Replay, launch: int, found: tuple[Mark, ...]) -> Replay:
    number = seen.number if len(recordings(seen.run)) == 1 else launch + 1
    return replace(seen, launch=launch, number=number, found=found)
