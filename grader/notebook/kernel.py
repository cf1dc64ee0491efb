"""A kernel of a %%cuda cell, as a Python variable: called, watched, compared with another."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from IPython.display import display, publish_display_data

from grader import cuda
from grader.compilers.declared import parameters
from grader.cuda import simulator
from grader.cuda.errors import CudaError
from grader.cuda.limits import DeviceKernel, Dim, Module, opted_in
from grader.judge.beside import changes
from grader.judge.playback.strip import FIRST_BLOCKS, Blocks
from grader.watch.observe import arrays_among
from grader.watch.recording import recording, recordings

from ..errors import unless
from . import cards, failures

Launch = tuple[Dim | None, Dim | None, tuple[Any, ...], int]  # grid, block, arguments, shared bytes


@dataclass(frozen=True)
class Kernel:
    """One `extern "C" __global__` function. Called as cupy.RawKernel is:

        kernel((grid,), (block,), (args...), shared_mem=0)

    Takes NumPy arrays on the simulated GPU and CuPy arrays on a real one, and changes them in
    place. A launch gets as much dynamic shared memory as it asks for, if the device has it.
    `source` is the text of its cell `%%cuda cell`, the first line left blank. Raises the errors of
    grader.cuda.
    """

    name: str
    source: str
    cell: str = ""

    @cached_property
    def _function(self) -> DeviceKernel:
        module: Module = cuda.RawModule(code=self.source)
        return module.get_function(self.name)

    def __call__(
        self, grid: Dim, block: Dim, args: tuple[object, ...], *, shared_mem: int = 0
    ) -> None:
        with failures.about(self.source, self.cell):
            opted_in(self._function, shared_mem)(grid, block, args, shared_mem=shared_mem)

    def simulate(
        self, grid: Dim, block: Dim, args: tuple[object, ...], shared_mem: int
    ) -> CudaError | None:
        """Launch it on the simulated GPU, on any machine, and return the error that ended it."""
        try:
            with failures.about(self.source, self.cell):
                function = simulator.RawModule(code=self.source).get_function(self.name)
                opted_in(function, shared_mem)(grid, block, args, shared_mem=shared_mem)
        except CudaError as error:
            return error
        return None

    def __repr__(self) -> str:
        return f"<CUDA kernel {self.name}: call it as {self.name}((grid,), (block,), (args...))>"


def diff(before: Kernel, after: Kernel) -> cards.Page:
    """The lines that differ between the cells of two kernels, `-` gone and `+` new. The comment
    at the head of a cell is left out."""
    return cards.difference(changes(before.source, after.source))


def watch(
    kernel: Kernel,
    grid: Dim,
    block: Dim,
    args: tuple[Any, ...],
    shared_mem: int = 0,
    blocks: int = 1,
) -> simulator.Run:
    """Launch `kernel` on the simulated GPU, on any machine, and return what was observed:
    `.counters`, `.hazards`, `.printed`, and what pictures are drawn from and `play(run)` plays.

    `args` are those of a call; CuPy arrays are copied to the simulated GPU and back. `blocks` is
    how many blocks, from the first on, `draw.owners` is to show. What the kernel does wrong is
    shown under its source line, and the notebook goes on."""
    unless(
        isinstance(kernel, Kernel),
        failures.Notice("`watch` starts with a kernel, such as a `%%cuda` cell defines."),
    )
    unless(
        isinstance(blocks, int) and blocks > 0,
        failures.Notice(f"`blocks={blocks!r}` should be how many blocks to show, 1 or more."),
    )
    on_host = tuple(cuda.xp.asnumpy(arg) if _on_gpu(arg) else arg for arg in args)
    with simulator.observe(blocks, [recording(FIRST_BLOCKS)]) as run:
        run.source = kernel.source
        run.arrays = arrays_among(
            on_host, tuple(one.name for one in parameters(kernel.source, kernel.name) or ())
        )
        error = kernel.simulate(grid, block, on_host, shared_mem)
    for arg, copy in zip(args, on_host, strict=True):
        if _on_gpu(arg):
            arg.set(copy)
    if run.printed:
        print(run.printed, end="")
    if error:
        display(cards.failure(error))
    for hazard in (one for one in run.hazards if one.warning):
        display(cards.warning(hazard, kernel.source, kernel.cell))
    # An output that shows nothing: what each line cost is for the editor's margin.
    costs = cards.costs(kernel.cell, kernel.source, run.counters.lines)
    publish_display_data({}, {cards.OURS: costs} if costs else {})
    return run


def _on_gpu(arg: object) -> bool:
    return cuda.device == "gpu" and isinstance(arg, cuda.xp.ndarray)


def run_of(what: object, launch: Launch, how: str) -> simulator.Run:
    """The run that `watch` returned, or that of a kernel, launched as `watch` does on copies of its
    arguments; for anything else the Notice `how`. A kernel is launched once more, if something goes
    wrong in a block that was not recorded."""
    grid, block, args, shared_mem = launch
    if isinstance(what, simulator.Run):
        return what
    if not isinstance(what, Kernel) or grid is None or block is None:
        raise failures.Notice(how)
    run = _recorded(what, grid, block, args, shared_mem, FIRST_BLOCKS)
    wrong = next((one.block for one in run.hazards if not one.warning and one.block), None)
    if wrong and not any(tuple(wrong) in one.indices for one in recordings(run)):
        return _recorded(what, grid, block, args, shared_mem, (wrong,))
    return run


def _recorded(
    kernel: Kernel,
    grid: Dim,
    block: Dim,
    args: tuple[Any, ...],
    shared_mem: int,
    blocks: Blocks,
) -> simulator.Run:
    copies = {  # on the host, of each array one; what none has written stays so
        id(arg): np.array(cuda.xp.asnumpy(arg) if cuda.device == "gpu" else arg)
        for arg in args
        if hasattr(arg, "dtype") and getattr(arg, "ndim", 0) > 0
    }
    copied = tuple(copies.get(id(arg), arg) for arg in args)
    with simulator.observe(observers=[recording(blocks)]) as run:
        run.source = kernel.source
        error = kernel.simulate(grid, block, copied, shared_mem)
    if error and not recordings(run):
        raise error  # it was not launched at all
    return run
