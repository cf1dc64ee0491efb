"""A kernel of a %%cuda cell, as a Python variable."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from grader import cuda
from grader.cuda.kernel import Dim, Module
from grader.cuda.kernel import Kernel as DeviceKernel
from grader.cuda.limits import opted_in

from . import failures


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

    def __repr__(self) -> str:
        return f"<CUDA kernel {self.name}: call it as {self.name}((grid,), (block,), (args...))>"
