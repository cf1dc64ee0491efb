"""The simulated GPU: runs the PTX that NVRTC makes, one NumPy operation for many threads.

    module = simulator.RawModule(code=source)
    with simulator.observe() as run:
        module.get_function("name")((blocks,), (threads,), (x, y, np.int32(n)))
    run.hazards, run.counters, run.trace, run.printed

This is CuPy's interface to it: modules and their kernels. `Passed` has the arguments of a launch,
checked against the kernel's parameters and laid out in memory; `Batch` has the memory of launches
that run at the same time. Behind this door `ptx` parses and links, and says what each instruction
does, `machine` runs waves of blocks over checked memory, and `watch` finds what nothing orders and
what has no value, counts and traces.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

import numpy as np

from .. import compilers
from ..compilers.parameters import Parameter, check_arguments, parameters as declared_parameters
from ..errors import counted, unless
from ..machine.lanes import BatchGeometry, Geometry, Index
from ..machine.memory.allocations import (
    address,
    address_of,
    allocation_of,
    bytes_of,
    empty,
    owner_of,
    reachable,
    written,
)
from ..machine.memory.spaces import (
    PAGE,
    BatchSpace,
    GlobalSpace,
    Heap,
    Pieces,
    PrivateSpace,
    SharedLayout,
    Store,
    local_layout,
    module_variables,
    shared_layout,
)
from ..machine.naming import MemoryNames, PassedArray, plain
from ..machine.state import GRID_WORKSPACE, PreparedLaunch, current_options, options
from ..ptx import parse as parser
from ..ptx.assembly import dangling
from ..ptx.link import Executable, executable
from ..ptx.program import Flow, Function, Malformed, PtxModule, Variable
from ..say import ptx_faults
from ..watch.observe import Event, Run, current_run, observe
from .errors import LaunchError
from .limits import (
    MOST_THREADS,
    Dim,
    architecture,
    check_cluster,
    check_cooperative,
    check_launch,
    check_shared,
    dimensions,
)
from .observed import launch
from .tensor_maps import Encoding

__all__ = [
    "Event",
    "RawKernel",
    "RawModule",
    "Run",
    "address",
    "cuTensorMapEncodeTiled",
    "empty",
    "observe",
    "options",
    "plain",
    "prepare",
    "written",
]

Arguments = tuple[Any, ...]  # NumPy arrays and scalars, and None for a null pointer
_PARAMETERS_AT = 0x6000_0000_0000
_BATCH_AT, _APART = 0x5000_0000_0000, 1 << 32  # the first store of a batch; to the next one


@dataclass(frozen=True)
class Passed:
    """The arguments of a launch of `kernel`, with its `parameters` as PTX has them and, where that
    is known, as the source `declared` them."""

    kernel: str
    parameters: tuple[Variable, ...]
    declared: tuple[Parameter, ...] | None
    args: Arguments

    def __post_init__(self) -> None:
        """LaunchError unless there are as many as the kernel has parameters, of their sizes."""
        args, expected = self.args, self.parameters
        if self.declared is not None:
            check_arguments(self.kernel, self.declared, args)
        unless(
            len(args) == len(expected),
            LaunchError(
                f"{self.kernel} takes {counted(len(expected), 'argument')}, not {len(args)}.",
                kernel=self.kernel,
            ),
        )
        for number, (parameter, value) in enumerate(zip(expected, args, strict=True), start=1):
            of_scalar = value.nbytes if isinstance(value, np.generic) else 0
            size = 8 if value is None or isinstance(value, np.ndarray) else of_scalar
            if size != parameter.size:
                raise LaunchError(
                    f"parameter {number} of {self.kernel} has {counted(parameter.size, 'byte')} "
                    f"({parameter.type}), the argument {value!r} has {size or 'no fixed size'}.",
                    kernel=self.kernel,
                )

    def stores(self) -> tuple[list[Store], dict[str, int]]:
        """The buffers behind the arguments, and one more that holds the parameters."""
        stores: dict[int, Store] = {}
        for number, (parameter, value) in enumerate(zip(self.parameters, self.args, strict=True)):
            if isinstance(value, np.ndarray):
                store = self.store(value, number)
                stores.setdefault(store.address, store).names.add(parameter.name)
        packed, symbols = self.packed({name: address_of(one) for name, one in self.arrays.items()})
        structs = {parameter.name for parameter in self.parameters if parameter.size > 8}
        for array in reachable():
            store = self.store(array, None)
            stores.setdefault(store.address, store).names.update(structs)
        return [*stores.values(), parameters_store(packed)], symbols

    @property
    def arrays(self) -> dict[str, np.ndarray]:
        """The arguments that are arrays, by parameter."""
        return {
            one.name: value
            for one, value in zip(self.parameters, self.args, strict=True)
            if isinstance(value, np.ndarray)
        }

    def packed(self, addresses: Mapping[str, int]) -> tuple[bytes, dict[str, int]]:
        """The bytes of the parameters, where the arrays lie at these `addresses`, and where each
        parameter lies."""
        symbols, packed = {}, bytearray()
        for parameter, value in zip(self.parameters, self.args, strict=True):
            packed += bytes(-len(packed) % parameter.align)
            symbols[parameter.name] = _PARAMETERS_AT + len(packed)
            given = np.uint64(addresses[parameter.name]) if isinstance(value, np.ndarray) else value
            packed += bytes(8) if given is None else given.tobytes()
        return bytes(packed) + bytes(-len(packed) % 16 + 16), symbols

    def buffers(self) -> tuple[PassedArray, ...]:
        """What the buffers that are passed are called, by the source or by their number."""
        named: Sequence[Parameter | None] = self.declared or [None] * len(self.args)
        return tuple(
            PassedArray(
                one.name if one else f"argument {number}",
                one.type.removesuffix("*").rstrip() if one else "",
                address_of(value),
                value.dtype.itemsize,
                value.size,
            )
            for number, (one, value) in enumerate(zip(named, self.args, strict=True), start=1)
            if isinstance(value, np.ndarray)
        )

    def integers(self) -> dict[str, int]:
        """The whole numbers that are passed, by parameter."""
        return {
            one.name: int(value)
            for one, value in zip(self.declared or (), self.args, strict=False)
            if isinstance(value, np.integer)
        }

    def store(self, array: np.ndarray, number: int | None) -> Store:
        """The buffer of `array`: argument `number`, or None where only its address is passed."""
        owner = owner_of(array)
        name = "an array" if number is None else f"argument {number + 1}"
        unless(
            not array.dtype.hasobject,
            LaunchError(f"{name} of {self.kernel} holds Python objects."),
        )
        unless(
            owner.flags.c_contiguous or owner.flags.f_contiguous,
            LaunchError(f"{name} of {self.kernel} is not contiguous in memory."),
        )
        allocation = allocation_of(array)
        if self.declared and number is not None:
            name = self.declared[number].name
        return Store(
            name,
            bytes_of(owner),
            allocation.written,
            owner.flags.writeable,
            number,
            allocation.address,
        )


def parameters_store(packed: bytes) -> Store:
    """The memory that holds the parameters of a launch, or of one launch after the other."""
    return Store(
        "the parameters", np.frombuffer(packed, np.uint8), writable=False, address=_PARAMETERS_AT
    )


class Batch:
    """The memory of launches that run at the same time, with what each has `passed`. The arrays of
    one parameter become pieces of one store, and are `copy_back`ed from it at the end."""

    def __init__(self, passed: Sequence[Passed]):
        self._copies: list[tuple[Store, np.ndarray, np.ndarray]] = []  # of an array: its pieces
        self._pieces: dict[Store, Pieces] = {}
        arrays = [one.arrays for one in passed]
        addresses = [
            {name: address_of(array) - allocation_of(array).address for name, array in one.items()}
            for one in arrays
        ]
        for number, name in enumerate(arrays[0]):
            own = [one.store(of[name], None) for one, of in zip(passed, arrays, strict=True)]
            store, begins = self._joined(name, own, _BATCH_AT + number * _APART)
            for one, begin in zip(addresses, begins, strict=False):
                one[name] += store.address + begin
        packed = [one.packed(at)[0] for one, at in zip(passed, addresses, strict=True)]
        self._pitch = len(packed[0])
        self._stores = [*self._pieces, parameters_store(b"".join(packed))]

    def space(self, others: list[Store], parameters: Iterable[str], lanes: int) -> BatchSpace:
        """Global memory, with `others` that all launches share."""
        return BatchSpace([*self._stores, *others], self._pieces, parameters, self._pitch, lanes)

    def copy_back(self) -> None:
        """The arrays hold what the launches have left."""
        for own, data, marks in self._copies:
            if own.writable:
                own.data[:] = data
            if own.written is not None:
                own.written[:] = marks

    def _joined(self, name: str, own: list[Store], address: int) -> tuple[Store, list[int]]:
        """The store that holds copies of these, and where in it each begins."""
        pages = [-(-len(one.data) // PAGE) for one in own]
        begins = (np.cumsum([0, *pages]) * PAGE).tolist()
        ends = [begin + len(one.data) for begin, one in zip(begins, own, strict=False)]
        data, marks = np.zeros((2, begins[-1]), np.uint8)
        store = Store(
            name,
            data,
            marks if any(one.written is not None for one in own) else None,
            writable=all(one.writable for one in own),
            address=address,
            names={name},
        )
        for one, begin, end in zip(own, begins, ends, strict=False):
            self._copies.append((one, data[begin:end], marks[begin:end]))
            data[begin:end] = one.data
            marks[begin:end] = 255 if one.written is None else one.written
        launches = np.repeat(np.arange(len(own)), pages)
        self._pieces[store] = Pieces(launches, np.array(ends)[launches])
        return store, begins


WAVE_LANES = 32768  # simulated together: enough to hide the cost of a NumPy call, few enough for L2
REMEMBERED = 8  # programs, parsed and linked


class SimulatedModule:
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
        self.code, self.cooperative = code, enable_cooperative_groups
        ptx = compilers.compile_ptx(code, tuple(options), tuple(name_expressions or ()))
        self._names, self.text = ptx.names, ptx.text
        try:
            self.program = _parsed(ptx.text)
            self.variables = module_variables(self.program)
        except Malformed as error:
            raise ptx_faults.refused(error, None, code) from error
        for function in self.program.functions.values():
            if found := next(dangling(function), None):
                raise ptx_faults.refused(*found)
        self.debug = re.search(r"^\.target .*\bdebug\b", ptx.text, re.MULTILINE) is not None
        self.heap = Heap()

    def get_function(self, name: str) -> "SimulatedKernel":
        """The kernel called `name` (or the name expression); LaunchError if there is none."""
        kernel = self.program.functions.get(self._names.get(name, name))
        if kernel is None or not kernel.entry:
            raise LaunchError(
                f"there is no kernel called {name!r} here; the source defines: "
                f"{', '.join(map(plain, self.kernel_names)) or 'none'}. A kernel is "
                '`extern "C" __global__ void name(...)`.'
            )
        return SimulatedKernel(self, kernel, name)

    def get_global(self, name: str) -> np.ndarray:
        """The `__device__` or `__constant__` variable `name`, to read and fill between launches:
        its bytes (size,) uint8, to `.view` as its type. LaunchError if no kernel uses it."""
        return unless(
            self.variables.get(self._names.get(f"&{name}", name)),
            LaunchError(
                f"no kernel here uses a variable called {name!r}; they use: "
                f"{', '.join(map(plain, self.variables)) or 'none'}."
            ),
        ).data

    @property
    def kernel_names(self) -> tuple[str, ...]:
        """The kernels that the source defines (mangled where they are not extern "C")."""
        return tuple(name for name, f in self.program.functions.items() if f.entry)


class SimulatedKernel:
    """A kernel of the simulated GPU, called as `cupy.RawKernel` is."""

    def __init__(self, module: SimulatedModule, function: Function, name: str):
        self.name, self.max_dynamic_shared_size_bytes = name, 0
        self._module = module
        self._executable = _executable(module.text, function.name)
        self._linked, self._function = self._executable.linked, function
        self._declared = declared_parameters(module.code, name.partition("<")[0])
        self._passed = partial(Passed, name, function.parameters, self._declared)

    def __call__(self, grid: Dim, block: Dim, args: Arguments, *, shared_mem: int = 0) -> None:
        """Launch over `grid` blocks of `block` threads, each an int or a tuple of up to three.

        `args`: NumPy arrays, changed in place, and NumPy scalars of the parameters' types.
        Raises one of the `grader.cuda` exceptions for whatever goes wrong.
        """
        threads, observed = dimensions(self.name, "block", block), current_run()
        run = observed or Run()
        try:
            job = self._job(self._geometry(grid, threads), self._passed(args), shared_mem, run)
            launch(job, run, observed is not None)
        finally:
            if observed is None:
                print(run.printed, end="")  # to the terminal, as printf on a real GPU

    def batch(
        self,
        grids: Sequence[Dim],
        block: Dim,
        args: Sequence[Arguments],
        *,
        shared_mem: int = 0,
        blocks: Sequence[Sequence[int]] = (),
    ) -> None:
        """Launch over each of `grids` with its `args`, all at the same time: the arrays hold what
        they would after one launch after the other, in a fraction of the time. No array may be
        passed twice, and the kernel must be `batchable`; a launch alone is made as any other.
        `blocks`: for each launch the numbers of those that run; by default all. Errors name a block
        of the right launch, but do not say which that is."""
        if len(grids) == 1 and not blocks:
            return self(grids[0], block, args[0], shared_mem=shared_mem)
        threads = dimensions(self.name, "block", block)
        each = [self._geometry(grid, threads) for grid in grids]
        passed = [self._passed(one) for one in args]
        chosen = tuple(blocks or [range(one.blocks) for one in each])
        number = sum(map(len, chosen))
        together = min(number, max(1, WAVE_LANES // each[0].stride))
        geometry = BatchGeometry(
            (number, 1, 1), threads, together, grids=tuple(x.grid for x in each), chosen=chosen
        )
        observed = current_run()
        run = observed or Run()
        job = self._job(geometry, passed[0], shared_mem, run)
        memory, parameters = Batch(passed), [one.name for one in self._function.parameters]
        job = replace(job, flat=memory.space(self._outliving(), parameters, geometry.lanes))
        launch(job, run, observed is not None)
        memory.copy_back()

    @property
    def batchable(self) -> bool:
        """Whether launches of it can run at the same time: they share no variable that they may
        change, get no structs, and call nothing, as `printf` is called."""
        return not (
            self._module.cooperative
            or self._function.directives.get("reqnctapercluster")
            or any(store.writable for store in self._module.variables.values())
            or any(parameter.size > 8 for parameter in self._function.parameters)  # with pointers
            or any(one.form.flow is Flow.CALL for one in self._linked.function.instructions)
        )

    @property
    def depends_on_order(self) -> bool:
        """Whether what its threads do may depend on who comes first even where nothing races: it
        uses what an atomic or a volatile load finds. Where threads meet at barriers alone, one
        schedule shows every race that an input can show."""
        return self._executable.depends_on_order

    @property
    def depends_on_blocks(self) -> bool:
        """The same of other blocks: of their atomics, or of their part of a cluster."""
        return (
            bool(self._function.directives.get("reqnctapercluster"))
            or self._executable.depends_on_blocks
        )

    def _geometry(self, grid: Dim, block: Index) -> Geometry:
        """How many blocks run together: all of a cooperative launch, whole clusters otherwise."""
        device, directives = architecture(current_options().architecture), self._function.directives
        blocks = dimensions(self.name, "grid", grid)
        check_launch(
            self.name, blocks, block, math.prod(directives.get("maxntid", (MOST_THREADS,)))
        )
        x, y, z, *_ = (*directives.get("reqnctapercluster", ()), 1, 1, 1)
        cluster = x, y, z
        check_cluster(self.name, device, blocks, cluster)
        one = Geometry(blocks, block, 1, cluster)
        if self._module.cooperative:
            check_cooperative(self.name, device, one.blocks, one.threads)
            return replace(one, wave_blocks=one.blocks)
        together = max(1, WAVE_LANES // (one.stride * one.cluster_blocks)) * one.cluster_blocks
        return replace(one, wave_blocks=min(one.blocks, together))

    def _job(self, geometry: Geometry, passed: Passed, shared_mem: int, run: Run) -> PreparedLaunch:
        """The launch, checked against the device's limits and laid out in memory."""
        options, module = current_options(), self._module
        device = architecture(options.architecture)
        shared = _shared(module.text, self._function.name, max(shared_mem, 0))
        check_shared(
            self.name, device, shared.static, shared_mem, self.max_dynamic_shared_size_bytes
        )
        if options.blocks:
            geometry = replace(
                geometry, wave_blocks=min(geometry.wave_blocks, max(map(len, options.blocks)))
            )
        layout, owner = local_layout(self._linked), geometry.block_of_lane
        shared_space = PrivateSpace(
            "shared", shared.size, geometry.wave_blocks, owner, shared.owner
        )
        shared_space.cleared, shared_space.symbols = shared.cleared, shared.symbols
        local = PrivateSpace("local", layout.size, geometry.lanes, np.arange(geometry.lanes))
        if module.debug:  # struct copies and bit-fields touch what nobody wrote
            local.store.written = None
        stores, parameters = passed.stores()
        return PreparedLaunch(
            program=self._executable,
            constants=frozenset(
                in_ptx.name
                for in_ptx, declared in zip(
                    self._function.parameters, self._declared or (), strict=False
                )
                if declared.constant
            ),
            layout=layout,
            names=MemoryNames(module.code, plain(self.name), passed.buffers(), passed.integers()),
            geometry=geometry,
            heap=module.heap,
            flat=GlobalSpace([*stores, *self._outliving()]),
            shared=shared_space,
            local=local,
            symbols={
                **shared.symbols,
                **layout.symbols,
                **parameters,
                **self._linked.addresses,
                **{name: store.address for name, store in module.variables.items()},
            },
            options=options,
            output=run.output,
            cooperative=module.cooperative,
        )

    def _outliving(self) -> list[Store]:
        """The memory that outlives a launch, and a cooperative one's grid barrier."""
        module = self._module
        return [
            *module.variables.values(),
            module.heap.store,
            *(
                [Store("the grid barrier", np.zeros(64, np.uint8), address=GRID_WORKSPACE)]
                if module.cooperative
                else []
            ),
        ]


# As CuPy calls them.
RawKernel = SimulatedKernel
RawModule = SimulatedModule


@lru_cache(REMEMBERED)
def _executable(text: str, name: str) -> Executable:
    """The kernel `name` of the PTX `text`, so that a module loaded again, with fresh variables,
    need not be analysed again."""
    program = _parsed(text)
    return executable(program, program.functions[name])


@lru_cache(REMEMBERED)
def _shared(text: str, name: str, dynamic: int) -> SharedLayout:
    return shared_layout(_executable(text, name).linked.function, _parsed(text), dynamic)


@lru_cache(REMEMBERED)
def _parsed(text: str) -> PtxModule:
    return parser.parse(text, compilers.SOURCE_NAME)


def prepare(code: str) -> None:
    """Parse and link all kernels of `code` now, which the first launch would have to, and find out
    what a recording shows of them. Raises CompileError, and what a launch would raise."""
    module = SimulatedModule(code)
    for name in module.kernel_names:
        _ = _executable(module.text, name).assigned


def cuTensorMapEncodeTiled(*arguments: Any) -> np.void:
    """A tensor map (128 bytes), to be passed to a launch; the arguments are those of `Encoding`.
    Kernels can reach the array through it for as long as the array lives. Raises LaunchError."""
    given = Encoding(*arguments)
    return given.map(int(address(given.globalAddress))).encoded()
