"""watch(): a launch on the simulated GPU, with everything that happened kept."""

from __future__ import annotations

from typing import Any

from IPython.display import display, publish_display_data

from grader import cuda
from grader.compilers.signature import parameters
from grader.cuda import simulator
from grader.cuda.errors import CudaError
from grader.cuda.kernel import Dim
from grader.cuda.limits import opted_in
from grader.cuda.simulator import Run
from grader.judge.playback.marks import FIRST_BLOCKS
from grader.watch.arrays import arrays_among
from grader.watch.recorder import recording

from . import about, cards, failures
from .kernel import Kernel


def watch(
    kernel: Kernel,
    grid: Dim,
    block: Dim,
    args: tuple[Any, ...],
    shared_mem: int = 0,
    blocks: int = 1,
) -> Run:
    """Launch `kernel` on the simulated GPU, on any machine, and return what was observed:
    `.counters`, `.hazards`, `.printed`, and what pictures are drawn from and `play(run)` plays.

    `args` are those of a call; CuPy arrays are copied to the simulated GPU and back. `blocks` is
    how many blocks, from the first on, `draw.owners` is to show. What the kernel does wrong is
    shown under its source line, and the notebook goes on."""
    if not isinstance(kernel, Kernel):
        raise failures.Notice("`watch` starts with a kernel, such as a `%%cuda` cell defines.")
    if not isinstance(blocks, int) or blocks < 1:
        raise failures.Notice(f"`blocks={blocks!r}` should be how many blocks to show, 1 or more.")
    on_host = tuple(cuda.xp.asnumpy(arg) if _on_gpu(arg) else arg for arg in args)
    with simulator.observe(blocks, [recording(FIRST_BLOCKS)]) as run:
        declared = parameters(kernel.source, kernel.name) or ()
        run.source = kernel.source
        run.arrays = arrays_among(on_host, tuple(one.name for one in declared))
        error = _launch(kernel, grid, block, on_host, shared_mem)
    for arg, copy in zip(args, on_host, strict=True):
        if _on_gpu(arg):
            arg.set(copy)
    if run.printed:
        print(run.printed, end="")
    if error:
        display(cards.failure(error), metadata=about.error(error))
    for hazard in run.hazards:
        if hazard.warning:
            page = cards.warning(hazard, kernel.source, kernel.cell)
            display(page, metadata=about.hazard(hazard, kernel.cell, kernel.source))
    # An output that shows nothing: what each line cost is for the editor's margin.
    costs = about.counters(kernel.cell, kernel.source, run.counters.lines)
    publish_display_data({}, costs)
    return run


def _on_gpu(arg: object) -> bool:
    return cuda.device == "gpu" and isinstance(arg, cuda.xp.ndarray)


def _launch(
    kernel: Kernel, grid: Dim, block: Dim, args: tuple[object, ...], shared_mem: int
) -> CudaError | None:
    """The error that ended the launch, if any."""
    try:
        with failures.about(kernel.source, kernel.cell):
            function = simulator.RawModule(code=kernel.source).get_function(kernel.name)
            opted_in(function, shared_mem)(grid, block, args, shared_mem=shared_mem)
    except CudaError as error:
        return error
    return None
