"""`RawModule` and its kernels: CuPy's interface to the simulated GPU."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

import numpy as np

from .. import compilers
from ..compilers.signature import parameters as declared_parameters
from ..machine.geometry import Geometry, Index
from ..machine.job import Job
from ..machine.memory.layout import SharedLayout, local_layout, module_variables, shared_layout
from ..machine.memory.spaces import GlobalSpace, Heap, PrivateSpace, Store
from ..machine.options import current_options
from ..machine.passed import Arguments, Passed
from ..machine.printf import Output
from ..machine.special_registers import GRID_WORKSPACE
from ..ptx import parser
from ..ptx.assembly import Assembly
from ..ptx.executable import Executable
from ..ptx.linker import executable
from ..ptx.naming import Names, plain
from ..ptx.ptx import Function, Program
from ..watch.observe import Run, current_run
from .errors import LaunchError
from .kernel import Dim
from .limits import (
    MOST_THREADS,
    Architecture,
    architecture,
    check_cluster,
    check_cooperative,
    check_launch,
    check_shared,
    dimensions,
)
from .observed import launch

WAVE_LANES = 32768  # simulated together: enough to hide the cost of a NumPy call, few enough for L2
REMEMBERED = 8  # programs, parsed and linked


class RawModule:
    """CUDA C++ compiled for the simulated GPU; as `cupy.RawModule`.

    `code` is the source, `options` are NVRTC's, `name_expressions` the template instances to
    emit. Raises CompileError.
    """

    def __init__(
        self,
        code: str,
        *,
        options: Iterable[str] = (),
        name_expressions: Iterable[str] | None = None,
        enable_cooperative_groups: bool = False,
    ):
        self.code = code
        self.cooperative = enable_cooperative_groups
        ptx = compilers.compile_ptx(code, tuple(options), tuple(name_expressions or ()))
        self._names, self.text = ptx.names, ptx.text
        self.assembly = Assembly(code)
        with self.assembly.may_be_wrong():
            self.program = _parsed(ptx.text)
            self.variables = module_variables(self.program)
        for function in self.program.functions.values():
            self.assembly.check_names(function)
        self.debug = re.search(r"^\.target .*\bdebug\b", ptx.text, re.MULTILINE) is not None
        self.heap = Heap()

    def get_function(self, name: str) -> RawKernel:
        """The kernel called `name` (or the name expression); LaunchError if there is none."""
        kernel = self.program.functions.get(self._names.get(name, name))
        if kernel is None or not kernel.entry:
            known = ", ".join(map(plain, self.kernel_names)) or "none"
            raise LaunchError(
                f"there is no kernel called {name!r} here; the source defines: {known}. A kernel "
                'is `extern "C" __global__ void name(...)`.'
            )
        return RawKernel(self, kernel, name)

    def get_global(self, name: str) -> np.ndarray:
        """The `__device__` or `__constant__` variable `name`, to read and fill between launches:
        its bytes (size,) uint8, to `.view` as its type. LaunchError if no kernel uses it."""
        store = self.variables.get(self._names.get(f"&{name}", name))
        if store is None:
            known = ", ".join(map(plain, self.variables)) or "none"
            raise LaunchError(f"no kernel here uses a variable called {name!r}; they use: {known}.")
        return store.data

    @property
    def kernel_names(self) -> tuple[str, ...]:
        """The kernels that the source defines (mangled where they are not extern "C")."""
        return tuple(name for name, f in self.program.functions.items() if f.entry)


class RawKernel:
    """A kernel of the simulated GPU, called as `cupy.RawKernel` is."""

    def __init__(self, module: RawModule, function: Function, name: str):
        self.name = name
        self.max_dynamic_shared_size_bytes = 0
        self._module = module
        self._executable = _executable(module.text, function.name)
        self._linked = self._executable.linked
        self._function = function
        self._declared = declared_parameters(module.code, name.partition("<")[0])

    def __call__(self, grid: Dim, block: Dim, args: Arguments, *, shared_mem: int = 0) -> None:
        """Launch over `grid` blocks of `block` threads, each an int or a tuple of up to three.

        `args`: NumPy arrays, changed in place, and NumPy scalars of the parameters' types.
        Raises one of the `grader.cuda` exceptions for whatever goes wrong.
        """
        blocks = dimensions(self.name, "grid", grid)
        threads = dimensions(self.name, "block", block)
        passed = Passed(self.name, self._function.parameters, self._declared, args)
        passed.check()
        observed = current_run()
        run = observed or Run()
        try:
            job = self._job(blocks, threads, passed, shared_mem, run.output)
            launch(job, run, observed is not None)
        finally:
            if observed is None:
                print(run.printed, end="")  # to the terminal, as printf on a real GPU

    @property
    def depends_on_order(self) -> bool:
        """Whether what its threads do may depend on who comes first even where nothing races: it
        uses what an atomic or a volatile load finds. Where threads meet at barriers alone, one
        schedule shows every race that an input can show."""
        return any(
            (one.form.atomic and one.written) or (one.form.reads and one.form.strong)
            for one in self._linked.function.instructions
        )

    def _job(
        self, grid: Index, block: Index, passed: Passed, shared_mem: int, output: Output
    ) -> Job:
        """The launch, checked against the device's limits and laid out in memory."""
        options, module = current_options(), self._module
        device, directives = architecture(options.architecture), self._function.directives
        check_launch(self.name, grid, block, math.prod(directives.get("maxntid", (MOST_THREADS,))))
        shared = shared_layout(self._linked.function, module.program, max(shared_mem, 0))
        opt_in = self.max_dynamic_shared_size_bytes
        check_shared(self.name, device, shared.static, shared_mem, opt_in)
        geometry = _geometry(self.name, device, grid, block, directives, module.cooperative)
        if options.blocks:
            together = min(geometry.wave_blocks, max(map(len, options.blocks)))
            geometry = replace(geometry, wave_blocks=together)
        layout = local_layout(self._linked)
        stores, parameters = passed.stores()
        variables = {name: store.address for name, store in module.variables.items()}
        given = self._linked.addresses | variables
        return Job(
            program=self._executable,
            constants=self._constants(),
            assembly=module.assembly,
            layout=layout,
            names=Names(module.code, self.name, passed.buffers(), passed.integers()),
            geometry=geometry,
            heap=module.heap,
            flat=GlobalSpace([*stores, *self._kept()]),
            shared=_shared_space(shared, geometry),
            local=self._local_space(layout.size, geometry.lanes),
            symbols=shared.symbols | layout.symbols | parameters | given,
            options=options,
            output=output,
            cooperative=module.cooperative,
        )

    def _kept(self) -> list[Store]:
        """The memory that outlives a launch."""
        module = self._module
        return [*module.variables.values(), module.heap.store, *_workspace(module.cooperative)]

    def _local_space(self, size: int, lanes: int) -> PrivateSpace:
        space = PrivateSpace("local", size, lanes, np.arange(lanes))
        if self._module.debug:  # struct copies and bit-fields touch what nobody wrote
            space.store.written = None
        return space

    def _constants(self) -> frozenset[str]:
        """PTX's names of the parameters that are pointers to const."""
        pairs = zip(self._function.parameters, self._declared or (), strict=False)
        return frozenset(parameter.name for parameter, declared in pairs if declared.constant)


@lru_cache(REMEMBERED)
def _executable(text: str, name: str) -> Executable:
    """The kernel `name` of the PTX `text`, so that a module loaded again, with fresh variables,
    need not be analysed again."""
    program = _parsed(text)
    return executable(program, program.functions[name])


@lru_cache(REMEMBERED)
def _parsed(text: str) -> Program:
    return parser.parse(text, compilers.SOURCE_NAME)


def prepare(code: str) -> None:
    """Parse and link all kernels of `code` now, which the first launch would have to, and find out
    what a recording shows of them. Raises CompileError, and what a launch would raise."""
    module = RawModule(code)
    for name in module.kernel_names:
        _ = _executable(module.text, name).assigned


def _shared_space(layout: SharedLayout, geometry: Geometry) -> PrivateSpace:
    return PrivateSpace(
        "shared",
        layout.size,
        geometry.wave_blocks,
        geometry.block_of_lane,
        layout.owner,
        layout.cleared,
        layout.symbols,
    )


def _workspace(cooperative: bool) -> list[Store]:
    """The memory in which a cooperative launch keeps its grid barrier."""
    if not cooperative:
        return []
    return [Store("the grid barrier", np.zeros(64, np.uint8), address=GRID_WORKSPACE)]


def _geometry(
    kernel: str,
    device: Architecture,
    grid: Index,
    block: Index,
    directives: dict[str, tuple[int, ...]],
    cooperative: bool,
) -> Geometry:
    """How many blocks run together: all of a cooperative launch, whole clusters otherwise."""
    x, y, z, *_ = (*directives.get("reqnctapercluster", ()), 1, 1, 1)
    cluster = x, y, z
    check_cluster(kernel, device, grid, cluster)
    one = Geometry(grid, block, 1, cluster)
    if cooperative:
        check_cooperative(kernel, device, one.blocks, one.threads)
        return Geometry(grid, block, one.blocks, cluster)
    together = max(1, WAVE_LANES // (one.stride * one.cluster_blocks)) * one.cluster_blocks
    return Geometry(grid, block, min(one.blocks, together), cluster)
