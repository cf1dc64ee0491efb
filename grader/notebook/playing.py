"""play(): a launch step by step, forwards and backwards."""

from __future__ import annotations

import secrets

import numpy as np
from IPython.display import display

from grader import cuda
from grader.cuda import simulator
from grader.cuda.errors import CudaError
from grader.cuda.kernel import Dim
from grader.cuda.limits import opted_in
from grader.judge import judge
from grader.judge.playback.marks import FIRST_BLOCKS, Blocks, marks_of
from grader.watch.observe import Run
from grader.watch.recorder import recording, recordings

from . import failures, session
from .html import Page
from .kernel import Kernel
from .player import player
from .player.replay import Replay, of_case, of_failure

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
    if isinstance(what, Run):
        page = of_run(what)
    elif isinstance(what, Kernel) and grid is not None and block is not None:
        page = of_run(launched(what, grid, block, args, shared_mem))
    elif isinstance(what, str):
        page = _of_exercise(what)
    else:
        raise failures.Notice(_HOW)
    display(page)


def of_run(run: Run) -> Page:
    """The last launch of a run in which something went wrong, or else the last one."""
    played = [(one, marks_of(one, run.hazards)) for one in recordings(run) if one.frames]
    if not played:
        raise failures.Notice("Nothing of this run was recorded: no thread got to an instruction.")
    recording, found = next((pair for pair in reversed(played) if pair[1]), played[-1])
    note = ""
    if not found and (elsewhere := [one for one in run.hazards if not one.warning]):
        note = f"What went wrong happened in block {elsewhere[0].block}, which was not recorded."
    return player(recording, found, note)


def of_replay(replay: Replay) -> Page:
    """A case of an exercise."""
    note = f"The case `{replay.case.name}`"
    if (launches := len(replay.problem.launches)) > 1:
        note += f", launch {replay.number} of {launches}"
    return player(replay.recording, list(replay.found), f"{note}.")


def _of_exercise(name: str) -> Page:
    lesson = session.current()
    exercise = lesson.exercise(name)
    source = lesson.source(name)
    seed = secrets.randbelow(2**31)
    verdict = judge(exercise.id, source, seed=seed, hidden=False)
    replay = of_failure(verdict, source, exercise)
    if replay is None and verdict.status in ("passed", "over_budget"):
        replay = of_case(exercise, source, seed)
    if replay is None:
        raise failures.Notice(f'There is nothing to step through: `check("{name}")` says why.')
    return of_replay(replay)


def launched(
    kernel: Kernel, grid: Dim, block: Dim, args: tuple[object, ...], shared_mem: int
) -> Run:
    """The launch on copies; once more, if something goes wrong in a block that was not recorded."""
    run = _launched(kernel, grid, block, args, shared_mem, FIRST_BLOCKS)
    wrong = next((one.block for one in run.hazards if not one.warning and one.block), None)
    if wrong and not any(tuple(wrong) in one.indices for one in recordings(run)):
        return _launched(kernel, grid, block, args, shared_mem, (wrong,))
    return run


def _launched(
    kernel: Kernel,
    grid: Dim,
    block: Dim,
    args: tuple[object, ...],
    shared_mem: int,
    blocks: Blocks,
) -> Run:
    copies: dict[int, np.ndarray] = {}
    args = tuple(_copy(arg, copies) for arg in args)
    with failures.about(kernel.source), simulator.observe(observers=[recording(blocks)]) as run:
        run.source = kernel.source
        function = simulator.RawModule(code=kernel.source).get_function(kernel.name)
        try:
            opted_in(function, shared_mem)(grid, block, args, shared_mem=shared_mem)
        except CudaError:
            if not recordings(run):
                raise  # it was not launched at all
    return run


def _copy(arg: object, copies: dict[int, np.ndarray]) -> object:
    """A copy on the host, the same for the same array; what no kernel has written stays so."""
    if not hasattr(arg, "dtype") or not getattr(arg, "ndim", 0):
        return arg
    if id(arg) not in copies:
        copies[id(arg)] = np.array(cuda.xp.asnumpy(arg) if cuda.device == "gpu" else arg)
    return copies[id(arg)]
