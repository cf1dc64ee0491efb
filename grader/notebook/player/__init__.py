"""A recorded launch as a page that plays it: forwards, backwards, thread by thread.

The player is a frame of its own that holds script, style and data. A frame whose page stands in
`srcdoc` needs no server, no kernel and no widget, so that it plays in a saved notebook and in a
page made of one. Below it stands the strip, a few steps as text, which the script hides; where
scripts or frames are taken out, the strip is what remains. What a step is in words, and what went
wrong at it, says `judge.playback`.
"""

import base64
import zlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from math import inf

import msgspec
import numpy as np

from grader.course import Case, Exercise
from grader.cuda.errors import CudaError, lines_of, visible, window
from grader.cuda.limits import Extent
from grader.errors import counted
from grader.judge import cases
from grader.judge.compare import Words
from grader.judge.playback.strip import (
    ACTIVE,
    APART,
    FIRST_BLOCKS,
    LEFT,
    STANDS_BY,
    STEPS,
    WAITS,
    Blocks,
    Mark,
    Step,
    Strip,
    blocks_around,
    first_difference,
    marks_of,
    one_launch,
    sentence,
    strip_of,
    wrong_element,
)
from grader.judge.protocol import OTHER_ORDERS, Scene
from grader.judge.sandbox.simulated import replayed
from grader.judge.stepped import handy_failure, wrong_place
from grader.judge.verdict import CaseResult, Verdict
from grader.ptx.link import Result
from grader.watch.findings import HazardReport
from grader.watch.observe import Run
from grader.watch.recording import Frame, Recording, Touch, recordings

from ..cards import Page, filled, html_of


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
    launches, at = len(replay.words.problem.launches), replay.first + replay.launch
    which = f", launch {at} of {launches}" if launches > 1 else ""
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
    run, buffers, error = replayed(
        words.source,
        msgspec.structs.replace(
            cases.described(cases.CaseInstance(case, words.problem), STEPS), order=where.order
        ),
        one_launch(blocks, where.launch),
        inf if compared else where.launch,
        blocks=4096,  # that are searched for who wrote an element
        counted=compared and where.block is None,
    )
    return (
        Replay(
            *(case, words, run),
            {name: np.asarray(array) for name, array in buffers.items()},
            error,
            first=max(where.launch, 1),
        )
        if recordings(run)
        else None
    )


def _while_open(run: Run) -> list[HazardReport]:
    """What the simulated GPU saw, without the remedies: an exercise has hints for them."""
    return [msgspec.structs.replace(one, parts=one.parts.while_open) for one in run.hazards]


def _block(seen: Replay, result: CaseResult) -> int | Extent | None:
    """The number of the block that wrote the first wrong element last; or the blockIdx that a
    hazard of the case's kind happened in."""
    if not result.mismatches:
        alike = [one.block for one in seen.run.hazards if one.status == result.status and one.block]
        return alike[0] if alike else None
    buffer, offset = wrong_place(result, seen.words)
    numbers = {
        number
        for number, passed in enumerate(seen.words.problem.launches[-1].args)
        if str(passed) == buffer
    }
    writers = [
        event.block
        for event in seen.run.trace.touched
        if event.kind != "load" and event.address is not None and event.buffer in numbers
        if np.any((event.address <= offset) & (offset < event.address + event.width))
    ]
    return writers[-1] if writers else None


def _marked(seen: Replay, result: CaseResult, title: str) -> Replay | None:
    """With marks, at the last launch that has some; None where nothing went wrong as it did."""
    launches = recordings(seen.run)
    if result.status == "wrong_answer" and seen.error is None:
        last = launches[-1]
        mark = Mark(max(len(last.frames) - 1, 0), title, result.message)
        if result.mismatches:
            name, (_, offset) = result.mismatches[0].buffer, wrong_place(result, seen.words)
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
    text = f"Here {result.mismatches[0].place} gets its wrong value." if end.cells else ""
    return (
        (end,)
        if first is None
        else (
            replace(first, title=end.title, text=end.text),
            replace(end, title="The end", text=text, step="The end"),
        )
    )


HEIGHT = 620  # pixels, until the script knows better
PLAYER = "ww-player"  # the class by which pages know it


def player(recording: Recording, marks: list[Mark], note: str = "") -> Page:
    """The recording as a page, opened at the first of its `marks`, or at its first step.
    `note` is a sentence shown with it."""
    steps = drawn(strip_of(recording, marks), recording.source)
    title = f"{recording.kernel}, step by step"
    return Page(
        html_of(
            "player",
            *(note, title),
            filled("player/player.html", title=title, data=packed(recording, marks)),
            *(HEIGHT, PLAYER, steps.html),
        ),
        "\n".join(part for part in (note, steps.text) if part),
    )


# ---- a few steps as text, for pages in which no script runs ----

KEY = (
    f"{ACTIVE} runs   {APART} its warp runs without it   {STANDS_BY} inactive   "
    f"{WAITS} waits   {LEFT} has left"
)


def drawn(strip: Strip, source: str) -> Page:
    """The steps of a launch of `source`, one below the other: each with its line, a sign for every
    lane, and what happens in words."""
    lines = lines_of(source)
    x, y, z = strip.block
    block = f"({x}, {y}, {z})" if y or z else str(x)
    head = f"{strip.kernel}: {len(strip.steps)} of {counted(strip.of, 'step')} of block {block}"
    steps = [(_head(step, strip.of, lines), _warps(step), step) for step in strip.steps]
    texts = [
        "\n".join([above, *warps, *filter(None, [step.said, step.wrong and f"✗ {step.wrong}"])])
        for above, warps, step in steps
    ]
    return Page(html_of("strip", head, KEY, steps), "\n\n".join([f"{head}\n{KEY}", *texts]))


def _head(step: Step, of: int, lines: Sequence[str]) -> str:
    text, _ = window(lines[step.line - 1].strip() if 0 < step.line <= len(lines) else "", None)
    return f"step {step.number + 1:,} of {of:,}   {step.line:>3} | {visible(text)}"


def _warps(step: Step) -> list[str]:
    names = [
        f"warp {some.first}" if some.first == some.last else f"warps {some.first}-{some.last}"
        for some in step.warps
    ]
    width = max(map(len, names), default=0)
    rows = [f"  {name:<{width}} {one.lanes}" for name, one in zip(names, step.warps, strict=True)]
    return [*rows, f"  and {counted(step.more, 'more warp')}"] if step.more else rows


# ---- a recording as JSON, small: what the script reads (model.js is its twin) ----

# Whole numbers travel as a list or, where they rise evenly, as {"f": first, "d": difference, "n":
# how many}; 32-bit floats as their bits; a state of all threads as value, count, value, count.


def packed(recording: Recording, marks: list[Mark]) -> str:
    """The recording, compressed (zlib) and as base64."""
    results: dict[Result, int] = {}
    data = {
        "kernel": recording.kernel,
        "source": [visible(line) for line in lines_of(recording.source)],
        "grid": recording.grid,
        "block": recording.block,
        "indices": recording.indices,
        "launched": recording.launched,
        "threads": recording.threads,
        "stride": recording.stride,
        "steps": recording.steps,
        "memories": [
            {
                "space": memory.space,
                "parts": [
                    (one.name, one.start, one.size, getattr(one.dtype, "itemsize", 0), *one.inner)
                    for one in memory.parts
                ],
                "phase": memory.phase,
            }
            for memory in recording.memories
        ],
        "frames": [
            _frame(recording, frame, results, before)
            for before, frame in zip((None, *recording.frames), recording.frames, strict=False)
        ],
        "results": [[one.type, one.built_in, one.constant] for one in results],
        "marks": [asdict(mark) for mark in marks],
        "open": marks[0].frame if marks else 0,
    }
    # Level 1 takes, beside zlib's usual 6, a quarter of the time, for a fifth more bytes.
    return base64.b64encode(zlib.compress(msgspec.json.encode(data), level=1)).decode()


def series(numbers: np.ndarray) -> list[int] | dict[str, int]:
    """Whole numbers (int64), written short."""
    return _series(numbers.astype(np.int64, copy=False).tobytes())


@lru_cache(1024)
def _series(raw: bytes) -> list[int] | dict[str, int]:
    """The same of their bytes: the same threads come again and again."""
    numbers = np.frombuffer(raw, np.int64)
    steps = np.diff(numbers)
    return (
        {"f": int(numbers[0]), "d": int(steps[0]), "n": len(numbers)}
        if len(numbers) > 2 and (steps == steps[0]).all()
        else list(numbers.tolist())
    )


def values(numbers: np.ndarray) -> list[object]:
    """Numbers as [kind, numbers]: "f" are the bits of 32-bit floats, "d" floats, "i" integers."""
    flat = numbers.reshape(-1)
    if flat.dtype.kind == "f" and flat.dtype.itemsize <= 4:
        return ["f", series(flat.astype(np.float32).view(np.uint32).astype(np.int64))]
    if flat.dtype.kind == "f":
        return ["d", [one if np.isfinite(one) else str(one) for one in flat.tolist()]]
    return (
        ["i", series(flat.astype(np.int64))]
        if flat.dtype.itemsize < 8
        else ["i", [one if abs(one) < 1 << 53 else str(one) for one in flat.tolist()]]
    )


def _frame(
    recording: Recording, frame: Frame, results: dict[Result, int], before: Frame | None
) -> dict[str, object]:
    made: dict[str, object] = {
        "n": frame.number,
        "l": frame.line,
        "t": series(frame.threads),
        "say": [sentence(recording, frame, slot) for slot in range(len(recording.blocks))],
        "a": [
            [results.setdefault(one.result, len(results)), series(one.threads), values(one.values)]
            for one in frame.assigned
        ],
        "m": [_touch(touch) for touch in frame.touches],
        "s": [
            [series(one.threads), series(one.source), values(one.values)] for one in frame.shuffles
        ],
        "c": [_touch(touch) for touch in frame.caught_up],
        "b": [series(threads) for threads in frame.passed],
        "p": int(frame.parted),
    }
    if before is None or not np.array_equal(before.state, frame.state):
        starts = np.concatenate([[0], np.flatnonzero(np.diff(frame.state)) + 1])
        counts = np.diff(np.append(starts, len(frame.state)))
        made["w"] = np.stack([frame.state[starts], counts], axis=1).reshape(-1).tolist()
    return {key: value for key, value in made.items() if value not in ([], 0) or key in "nlt"}


def _touch(touch: Touch) -> list[object]:
    return [
        *(touch.kind[0], touch.memory, series(touch.threads), series(touch.offsets), touch.width),
        *(values(touch.values), series(touch.owner)),
    ]
