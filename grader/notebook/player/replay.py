"""A failing case run once more with its steps recorded, in the block where it went wrong."""

from dataclasses import dataclass, replace

import numpy as np
from msgspec import structs

from grader.course import Case, Exercise
from grader.cuda import simulator
from grader.cuda.errors import CudaError
from grader.cuda.limits import Extent
from grader.judge import cases
from grader.judge.compare import Words
from grader.judge.playback.strip import (
    FIRST_BLOCKS,
    STEPS,
    Blocks,
    Mark,
    blocks_around,
    first_difference,
    marks_of,
    one_launch,
    wrong_element,
)
from grader.judge.protocol import OTHER_ORDERS, Scene
from grader.judge.stepped import handy_failure
from grader.judge.verdict import CaseResult, Verdict
from grader.profiler.work import buffers_of, of_problem, one_by_one
from grader.watch.findings import HazardReport
from grader.watch.observe import Run
from grader.watch.recorder import recordings
from grader.watch.recording import Recording

from ..cards import Page
from . import player

_MOST_BLOCKS = 4096  # that are searched for who wrote an element


@dataclass(frozen=True)
class Replay:
    """What was seen of a case, and the launch of it to play."""

    case: Case
    words: Words  # the learner's source and names, and the problem that was run
    run: Run
    buffers: dict[str, np.ndarray]  # afterwards
    error: CudaError | None  # that ended it
    first: int  # the number of the first recorded launch, from 1
    launch: int = 0  # the one to play: its position in `recordings(run)`
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
    if result.differs:
        result = cases.in_block(result, instance.problem, result.differs.block)
    words = Words(source, exercise.solution, instance.problem)
    title = exercise.kind.word(result.status).capitalize()
    for order in (result.where.order,) if result.where else ("lockstep", *OTHER_ORDERS):
        seen = _again(instance.case, words, result, result.where or Scene(0, None, order))
        if seen and (marked := _marked(seen, result, title)):
            return marked
    return None


def of_case(exercise: Exercise, source: str, seed: int) -> Replay | None:
    """The exercise's first visible case, whatever comes of it."""
    instance = next(cases.drawn(exercise, seed, hidden=False))
    words = Words(source, exercise.solution, instance.problem)
    seen = _run(instance.case, words, FIRST_BLOCKS, Scene(0, None, instance.problem.order))
    if seen is None:
        return None
    last = len(recordings(seen.run)) - 1
    return replace(
        seen, launch=last, found=tuple(marks_of(recordings(seen.run)[last], _while_open(seen.run)))
    )


def of_replay(replay: Replay) -> Page:
    """A case of an exercise, to be stepped through from where it went wrong."""
    launches = len(replay.words.problem.launches)
    which = f", launch {replay.first + replay.launch} of {launches}" if launches > 1 else ""
    return player(replay.recording, list(replay.found), f"The case `{replay.case.name}`{which}.")


def _again(case: Case, words: Words, result: CaseResult, where: Scene) -> Replay | None:
    """The failing case run again; where its block is not known, twice: the second time with the
    block recorded that the first time has shown."""
    threads = int(np.prod(words.problem.launches[max(where.launch, 1) - 1].block))
    compared = bool(result.mismatches)
    seen = _run(case, words, blocks_around(where.block, threads), where, compared)
    if seen and not where.block:
        block = _block(seen, result)
        known = [block for one in recordings(seen.run) for block in (*one.blocks, *one.indices)]
        if block is not None and block not in known:
            return _run(case, words, (block,), where, compared)
    return seen


def _run(
    case: Case, words: Words, blocks: Blocks, where: Scene, compared: bool = False
) -> Replay | None:
    """Run the case with the known launch recorded, or each; None where nothing was recorded. What
    was `compared` to be found wrong, and what came before that launch, need not be checked again;
    who wrote it is traced where the block is not known."""
    work = of_problem(words.problem, words.source, case.name)
    buffers = buffers_of(work, np.array, simulator.empty)
    error: CudaError | None = None
    with simulator.observe(
        _MOST_BLOCKS, [one_launch(blocks, where.launch)], counted=compared and where.block is None
    ) as run:
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
    return Replay(case, words, run, arrays, error, first=max(where.launch, 1))


def _while_open(run: Run) -> list[HazardReport]:
    """What the simulated GPU saw, without the remedies: an exercise has hints for them."""
    return [structs.replace(one, parts=one.parts.while_open) for one in run.hazards]


def _block(seen: Replay, result: CaseResult) -> int | Extent | None:
    """The number of the block that wrote the first wrong element last; or the blockIdx that a
    hazard of the case's kind happened in."""
    if not result.mismatches:
        alike = [one.block for one in seen.run.hazards if one.status == result.status and one.block]
        return alike[0] if alike else None
    buffer, offset = _place(seen, result)
    args = seen.words.problem.launches[-1].args
    numbers = {number for number, passed in enumerate(args) if str(passed) == buffer}
    writers = [
        event.block
        for event in seen.run.trace.touched
        if event.kind != "load" and event.address is not None and event.buffer in numbers
        if np.any((event.address <= offset) & (offset < event.address + event.width))
    ]
    return writers[-1] if writers else None


def _place(seen: Replay, result: CaseResult) -> tuple[str, int]:
    """The buffer and the byte offset in it of the first wrong element."""
    first = result.mismatches[0]
    for name, array in seen.buffers.items():
        if seen.words.name(name) == first.buffer and array.ndim == len(first.index):
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
        return replace(seen, launch=len(launches) - 1, found=_from_difference(last, mark, result))
    if seen.error is None or (seen.case.hazard is None and seen.error.status != result.status):
        return None
    hazards = _while_open(seen.run)
    for launch in reversed(range(len(launches))):
        marks = [one for one in marks_of(launches[launch], hazards) if not one.warning]
        if marks:  # the first with the judge's sentence, which speaks of the whole case
            first = replace(marks[0], text=result.message or marks[0].text)
            return replace(seen, launch=launch, found=(first, *marks[1:]))
    return None


def _from_difference(recording: Recording, end: Mark, result: CaseResult) -> tuple[Mark, ...]:
    """The mark of a wrong element, led by one at the first step that differs from ours, if that is
    known and was recorded."""
    there = result.differs
    first = (
        first_difference(recording, there.block, there.thread, there.line, there.values)
        if there
        else None
    )
    if first is None:
        return (end,)
    text = f"Here {result.mismatches[0].place} gets its wrong value." if end.cells else ""
    last = replace(end, title="The end", text=text, step="The end")
    return replace(first, title=end.title, text=end.text), last
