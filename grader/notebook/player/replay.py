"""A failing case run once more with its steps recorded, in the block where it went wrong."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from grader.compilers.signature import parameters
from grader.course import Case, Exercise, Problem
from grader.cuda import simulator
from grader.cuda.errors import CudaError
from grader.cuda.kernel import Extent
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

_MOST_BLOCKS = 4096  # that are searched for who wrote an element


@dataclass(frozen=True)
class Replay:
    """What was seen of a case: the run, its buffers afterwards, what the learner's kernels call
    these, the error that ended it, and the launch to play (a position in `recordings(run)`, and
    its number, from 1, among all of the case) with its marks."""

    case: Case
    problem: Problem
    run: Run
    buffers: dict[str, np.ndarray]
    called: dict[str, str]
    error: CudaError | None
    launch: int = 0
    number: int = 1
    found: tuple[Mark, ...] = ()

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
    known = result.where
    for order in (known.order,) if known else ("lockstep", *OTHER_ORDERS):
        found = _again(instance, work, result, order, title)
        if found is not None:
            return found
    return None


def of_case(exercise: Exercise, source: str, seed: int) -> Replay | None:
    """The exercise's first visible case, whatever comes of it."""
    instance = next(cases.drawn(exercise, seed, hidden=False))
    work = of_problem(instance.problem, source, exercise.id)
    run, buffers, error = _run(work, FIRST_BLOCKS, Scene(0, None, instance.problem.order))
    if not recordings(run):
        return None
    found = tuple(marks_of(recordings(run)[-1], run.hazards))
    seen = _seen(instance, work, run, buffers, error)
    return _at(seen, len(recordings(run)) - 1, found)


def _seen(
    instance: CaseInstance,
    work: Work,
    run: Run,
    buffers: dict[str, np.ndarray],
    error: CudaError | None,
) -> Replay:
    called = {name: _called(work, name) for name in buffers}
    return Replay(instance.case, instance.problem, run, buffers, called, error)


def _again(
    instance: CaseInstance, work: Work, result: CaseResult, order: str, title: str
) -> Replay | None:
    where = result.where or Scene(0, None, order)
    threads = int(np.prod(work.launches[max(where.launch, 1) - 1].block))
    blocks = blocks_around(where.block, threads)
    for _ in range(1 if where.block else 2):  # the second time with what the first one has shown
        run, buffers, error = _run(work, blocks, where, compared=bool(result.mismatches))
        if not recordings(run):
            return None
        seen = replace(_seen(instance, work, run, buffers, error), number=max(where.launch, 1))
        wanted: int | Extent | None = (
            _wrong_block(seen, work, result) if result.mismatches else _hazard_block(run, result)
        )
        if wanted is None or any(wanted in (*one.blocks, *one.indices) for one in recordings(run)):
            break
        blocks = (wanted,)
    return _marked(seen, result, title)


def _run(
    work: Work, blocks: Blocks, where: Scene, compared: bool = False
) -> tuple[Run, dict[str, np.ndarray], CudaError | None]:
    """The run, the buffers afterwards, and the error if there was one; recorded is the launch that
    is known, or each. What was `compared` to be found wrong, and what came before that launch, need
    not be checked again; who wrote it is traced where the block is not known."""
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
    return run, {name: np.asarray(array) for name, array in buffers.items()}, error


def _hazard_block(run: Run, result: CaseResult) -> Extent | None:
    """The blockIdx that a hazard of the case's kind happened in."""
    found = (one.block for one in run.hazards if one.status == result.status and one.block)
    return next(found, None)


def _wrong_block(seen: Replay, work: Work, result: CaseResult) -> int | None:
    """The number of the block that wrote the first wrong element last."""
    buffer, offset = _place(seen, result)
    written = None
    for event in seen.run.trace.touched:
        at = event.address
        if event.kind == "load" or at is None or _argument(work, event.buffer) != buffer:
            continue
        if np.any((at <= offset) & (offset < at + event.width)):
            written = event.block
    return written


def _argument(work: Work, number: int | None) -> str | None:
    """What the last launch calls its argument of that number."""
    args = work.launches[-1].args
    passed = args[number] if number is not None and number < len(args) else None
    return passed if isinstance(passed, str) else None


def _place(seen: Replay, result: CaseResult) -> tuple[str, int]:
    """The buffer and the byte offset in it of the first wrong element."""
    first = result.mismatches[0]
    for name, array in seen.buffers.items():
        if seen.called[name] == first.buffer and array.ndim == len(first.index):
            flat = int(np.ravel_multi_index(first.index, array.shape)) if first.index else 0
            return name, flat * array.itemsize
    return first.buffer, 0


def _called(work: Work, buffer: str) -> str:
    """What the learner's kernel calls a buffer, in the last launch that it is passed to."""
    for launch in reversed(work.launches):
        declared = parameters(work.source, launch.kernel) or ()
        for one, passed in zip(declared, launch.args, strict=False):
            if isinstance(passed, str) and passed == buffer:
                return one.name
    return buffer


def _marked(seen: Replay, result: CaseResult, title: str) -> Replay | None:
    """With marks, at the last launch that has some; None where nothing went wrong as it did."""
    launches = recordings(seen.run)
    if result.status == "wrong_answer" and (seen.error is None):
        launch = len(launches) - 1
        mark = _wrong_mark(seen, result, launches[launch], title)
        return _at(seen, launch, (mark,))
    for launch in reversed(range(len(launches))):
        found = marks_of(launches[launch], seen.run.hazards)
        alike = [mark for mark in found if not mark.warning]
        as_it_did = seen.error is not None and (
            seen.error.status == result.status or seen.case.hazard is not None
        )
        if alike and as_it_did:
            return _at(seen, launch, (_told(alike[0], result), *alike[1:]))
    return None


def _told(mark: Mark, result: CaseResult) -> Mark:
    """A mark with the judge's sentence, which speaks of the whole case."""
    return replace(mark, text=result.message) if result.message else mark


def _wrong_mark(seen: Replay, result: CaseResult, recording: Recording, title: str) -> Mark:
    if not result.mismatches:
        return Mark(max(len(recording.frames) - 1, 0), title, result.message)
    _, offset = _place(seen, result)
    return wrong_element(recording, result.mismatches[0].buffer, offset, title, result.message)


def _at(seen: Replay, launch: int, found: tuple[Mark, ...]) -> Replay:
    number = seen.number if len(recordings(seen.run)) == 1 else launch + 1
    return replace(seen, launch=launch, number=number, found=found)
