"""One case on the simulated device, and what one of its launches leaves for the next.

A kernel that counts in memory must leave the count as it found it, or its next launch begins with a
wrong one. So what a kernel finds at its first launch is noted, and compared with what it finds when
it is launched again: the case's inputs, which nobody may change, and whole numbers, which may be
counters, in other buffers and in the module's `__device__` variables. Partial results are no
counters: nobody has written them before the first launch, or they are no whole numbers.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import cycle
from operator import itemgetter
from typing import Any, TypeVar

import numpy as np
from msgspec.structs import replace

from ...compilers.declared import Declarations
from ...compilers.parameters import DTYPES, parameters
from ...cuda import CudaError, StepLimit, simulator, tensor_map
from ...cuda.errors import Message
from ...cuda.work import Work, buffers_of
from ...grouped import grouped
from ...machine.state import current_options
from ...status import Status, headline
from ...watch.counters import Paths, in_all
from ...watch.observe import Kind, Run
from ...watch.recording import Recording, recordings
from ...watch.slice import Graph, TooLong
from ...watch.slice.observer import Slicer
from ..playback.strip import (
    Mark,
    Strip,
    blocks_around,
    marks_of,
    one_launch,
    strip_of,
    wrong_element,
)
from ..protocol import OTHER_ORDERS, Argument, Arrays, CaseRequest, LaunchRequest, Ran, Recorded
from .made import made, path_of, way
from .slices import Elements

Batches = tuple[tuple[int, ...], ...]  # numbers of launches, from 0, that run at the same time
Place = tuple[str, str, np.ndarray, np.ndarray]
_MOST = 1 << 20  # bytes of an array worth copying: counters are small


class Leftovers:
    """What the kernels of `module` find, launch by launch; `inputs` are the names of the case's
    inputs."""

    def __init__(self, source: str, module: simulator.RawModule, inputs: Collection[str]):
        self.source, self.module = source, module
        self.inputs = inputs
        self._begun: dict[tuple[str, str], tuple[np.ndarray, np.ndarray]] = {}

    def found_by(self, launch: LaunchRequest, buffers: Mapping[str, np.ndarray]) -> str:
        """What `launch`, which is about to begin, finds otherwise than the first launch of its
        kernel; "" if it is nothing, or if this is the first. `buffers` are the case's, by name."""
        for name, called, array, written in (*self._passed(launch, buffers), *self._variables()):
            key = launch.kernel, name
            if key not in self._begun:
                self._begun[key] = array.copy(), written
                continue
            before, known = self._begun[key]
            bits = f"u{array.itemsize}"  # NaN is NaN
            changed = np.flatnonzero(known & (before.view(bits) != array.view(bits)))
            if len(changed):
                at = int(changed[0])
                place = f"{called}[{at}]" if array.size > 1 else called
                return (
                    f"An earlier launch has left `{place}` at {array[at]:.9g}, where it began with "
                    f"{before[at]:.9g}. The next launch begins with that value."
                )
        return ""

    def _passed(self, launch: LaunchRequest, buffers: Mapping[str, np.ndarray]) -> Iterator[Place]:
        """The buffers of a launch that matter: the exercise's name for each and the learner's,
        what it holds, and which elements somebody has written."""
        declared = parameters(self.source, launch.kernel) or ()
        for position, passed in enumerate(launch.args):
            array = buffers.get(passed.buffer)
            if array is None or array.dtype.kind not in "biuf" or array.nbytes > _MOST:
                continue
            called = (declared[position].name if position < len(declared) else "") or passed.buffer
            flat = np.asarray(array).ravel()
            if passed.buffer in self.inputs:
                yield passed.buffer, called, flat, np.ones(flat.size, bool)
            elif array.dtype.kind != "f":
                yield passed.buffer, called, flat, simulator.written(array).ravel()

    def _variables(self) -> Iterator[Place]:
        """The module's variables that matter; all of them begin with a value."""
        declared = None
        for mangled, store in self.module.variables.items():
            if not store.writable or len(store.data) > _MOST:
                continue
            declared = declared or Declarations(self.source)
            name = simulator.plain(mangled)
            one = declared.find(name, "device")
            dtype = np.dtype(DTYPES.get(one.type, np.uint32) if one else np.uint32)
            if dtype.kind in "biu" and len(store.data) % dtype.itemsize == 0:
                values = store.data.view(dtype)
                yield f"&{name}", name, values, np.ones(values.size, bool)


Array = TypeVar("Array")  # NumPy's, or CuPy's

MOST_STEPS = 20_000  # in all other orders together, so that they take no longer than the case


def run_case(source: str, case: CaseRequest, compiled: tuple[str, ...] = ()) -> Ran:
    """Run the case's launches, once more in each of two other orders where what threads do may
    depend on it. It may take `case.steps` steps a wave of blocks. `compiled`: by which options the
    source is, where elements are followed. Raises CudaError."""
    if case.recorded:
        return Ran(strip=_recorded(source, case, case.recorded))
    if case.followed or case.asked or case.path:
        return _followed(source, case, compiled)
    tolerated, batches = case.tolerated, () if case.tolerated else in_batches(source, case)
    run, buffers, depends_on_order, left = _observed(source, case, batches)
    if depends_on_order and not tolerated:
        _look_for_races(source, case, batches)
    results = {f"input/{name}": buffers[name] for name in case.inputs}
    for name in case.outputs:
        results[f"output/{name}"] = np.asarray(buffers[name])
        results[f"written/{name}"] = simulator.written(buffers[name])
    if depends_on_order or tolerated:
        results |= _in_other_orders(source, case)
    counters = run.counters
    costs, opcodes = _costs(counters.lines), dict(counters.opcodes)
    totals = counters.total | in_all(run.observers)
    totals["exponentials"] = sum(n for opcode, n in opcodes.items() if opcode.startswith("ex2."))
    return Ran(totals, costs, opcodes, run.steps, results, left, causes=tuple(sorted(run.causes)))


def _observed(
    source: str, case: CaseRequest, batches: Batches
) -> tuple[Run, Arrays, bool, dict[int, str]]:
    """The case's launches, with their counters; and what `_launch_all` gives. What goes wrong in
    batches is told by one launch after the other."""
    with (
        simulator.options(step_limit=case.steps, order=case.order, tolerated=case.tolerated),
        simulator.observe(observers=(Paths,), counted=case.counted, traced=False) as run,
    ):
        try:
            return run, *_launch_all(source, case, batches=batches)
        except CudaError as error:
            if isinstance(error, StepLimit):
                error.counters = run.counters.total | in_all(run.observers)
            if not batches:
                raise
    return _observed(source, case, ())


def _followed(source: str, case: CaseRequest, compiled: tuple[str, ...]) -> Ran:
    """The making of the elements that are `case.followed`, what `case.asked` asks for, and the path
    of a thread; nothing of it where it takes too much to follow the case."""
    graph = Graph(detailed=not case.asked)
    try:
        with (
            simulator.options(
                step_limit=case.steps,
                order=case.order,
                checks=case.path is not None,  # what goes wrong ends the path
            ),
            simulator.observe(observers=[partial(Slicer, graph)], counted=False),
        ):
            buffers, _, _ = _launch_all(source, case, compiled)
    except TooLong:
        return Ran(too_long=True)
    except CudaError:
        if case.path is None:
            raise
        return Ran(path=path_of(graph, case.path, None))
    elements = Elements(buffers, beyond=case.room > 0)
    return Ran(
        made=tuple(made(graph, elements, one) for one in case.followed),
        ways=tuple(way(graph, elements, case, one) for one in case.asked),
        path=path_of(graph, case.path, elements) if case.path else None,
    )


def _recorded(source: str, case: CaseRequest, asked: Recorded) -> Strip | None:
    """The steps that lead to what went wrong, where it does so once more."""
    where = asked.where
    blocks = blocks_around(where.block, math.prod(case.launches[where.launch - 1].block))
    run, _, error = replayed(
        source,
        replace(case, launches=case.launches[: where.launch]),
        one_launch(blocks, where.launch),
        math.inf if asked.compared else where.launch,
        counted=False,
    )
    recording = next((one for one in recordings(run) if one.frames), None)
    mark = _mark(recording, run, error, asked) if recording else None
    return strip_of(recording, [mark]) if recording and mark else None


def replayed(
    source: str, case: CaseRequest, recorded: Kind, checked_from: float, **observed: Any
) -> tuple[Run, Arrays, CudaError | None]:
    """The run of a case's launches, recorded so and checked from the launch of that number on (1:
    the first); the buffers afterwards, and the error that ended it. `observed`: what else
    `observe` is to see."""
    module, buffers = simulator.RawModule(code=source), _buffers(case)
    with simulator.observe(observers=[recorded], **observed) as run:
        try:
            for number, launch in enumerate(case.launches, 1):
                with simulator.options(
                    step_limit=case.steps, order=case.order, checks=number >= checked_from
                ):
                    _launch(module, [launch], buffers)
        except CudaError as error:
            return run, buffers, error
    return run, buffers, None


def _mark(recording: Recording, run: Run, error: CudaError | None, asked: Recorded) -> Mark | None:
    """Where it went wrong as it did before; None where it did not."""
    if error is None:
        return (
            None
            if asked.status != Status.WRONG_ANSWER
            else wrong_element(recording, asked.name, asked.offset, headline(asked.status), "")
        )
    return (
        None
        if asked.status not in (error.status, "")
        else next((one for one in marks_of(recording, run.hazards) if not one.warning), None)
    )


def in_batches(source: str, case: CaseRequest) -> Batches:
    """The launches in batches, which run one after the other; () if none holds several launches. A
    launch comes in the first batch behind those that use one of its buffers."""
    module = simulator.RawModule(code=source)
    kernels = {launch.kernel for launch in case.launches}
    known = kernels.issubset(module.kernel_names)  # if not, the launch says so
    if not (known and all(module.get_function(kernel).batchable for kernel in kernels)):
        return ()
    found: defaultdict[tuple[Any, ...], list[int]] = defaultdict(list)
    position: dict[str, int] = {}
    for number, launch in enumerate(case.launches):
        used = [passed.buffer for passed in launch.args if passed.buffer]
        at = max((position.get(buffer, 0) for buffer in used), default=0)
        position |= dict.fromkeys(used, at + 1)
        if len(set(used)) < len(used):
            return ()
        pointers = (bool(passed.buffer) for passed in launch.args)
        found[at, launch.kernel, launch.block, launch.shared_mem, *pointers].append(number)
    batches = tuple(tuple(found[key]) for key in sorted(found))
    return batches if len(batches) < len(case.launches) else ()


def _launch_all(
    source: str,
    case: CaseRequest,
    compiled: tuple[str, ...] = (),
    batches: Batches = (),
    orders: tuple[str, ...] = (),
) -> tuple[Arrays, bool, dict[int, str]]:
    """The buffers after a case's launches, whether another order may show another race, and by
    launch, from 1, a sentence about what earlier ones have left changed. The launches of each of
    the `batches` run at the same time, each batch in the next of the `orders`."""
    # A fresh one: __device__ variables start anew.
    module = simulator.RawModule(code=source, options=compiled)
    buffers = _buffers(case)
    leftovers = Leftovers(source, module, case.inputs.keys())
    left: dict[int, str] = {}
    depends_on_order = False
    each = batches or tuple((number,) for number in range(len(case.launches)))
    for numbers, order in zip(each, cycle(orders or [current_options().order]), strict=False):
        launches = [case.launches[number] for number in numbers]
        for number, launch in zip(numbers, launches, strict=True):
            found = leftovers.found_by(launch, buffers) if len(case.launches) > 1 else ""
            left |= {number + 1: found} if found else {}
        try:
            with simulator.options(order=order):
                depends_on_order |= _launch(module, launches, buffers)
        except CudaError as error:
            error.launch, error.order = numbers[0] + 1, order
            if error.launch in left:  # it may come from what an earlier launch has changed
                error.parts += Message(why=left[error.launch])
            raise
    return buffers, depends_on_order, left


def _buffers(case: CaseRequest) -> Arrays:
    """A case's buffers by name, each alone or as a stretch of a larger one."""
    work = Work("", "", (), case.inputs, case.outputs | case.scratch, case.begins)
    return buffers_of(work, np.array, simulator.empty, case.room)


def _launch(
    module: simulator.RawModule, launches: Sequence[LaunchRequest], buffers: Arrays
) -> bool:
    """Launches of one kernel, at the same time; whether another order may show another race."""
    first = launches[0]
    kernel = module.get_function(first.kernel)
    args = [tuple(argument(arg, buffers) for arg in launch.args) for launch in launches]
    kernel.batch(
        [launch.grid for launch in launches], first.block, args, shared_mem=first.shared_mem
    )
    return kernel.depends_on_order


def _look_for_races(source: str, case: CaseRequest, batches: Batches) -> None:
    """Once more in other orders, for races that the first one does not show; batches of many small
    launches in one of them each. Threads meet less often this way, so running out of steps or time
    means nothing; and what they print is not shown."""
    for orders in (OTHER_ORDERS,) if batches else zip(OTHER_ORDERS):
        try:
            with simulator.options(step_limit=case.steps), simulator.observe(counted=False):
                _launch_all(source, case, batches=batches, orders=orders)
        except StepLimit:
            return  # the case's time may be up, and is measured once
        except CudaError:
            if not batches:
                raise
            return _look_for_races(source, case, ())


def _in_other_orders(source: str, case: CaseRequest) -> Arrays:
    """What lies in the outputs when blocks and warps come in other orders, by "ORDER/name": as
    many of them as so many steps suffice for."""
    found: Arrays = {}
    left = MOST_STEPS
    for order in case.further_orders:
        try:
            with (
                simulator.options(step_limit=min(left, case.steps), order=order, checks=False),
                simulator.observe(counted=False) as run,
            ):
                buffers, _, _ = _launch_all(source, case)
        except StepLimit:
            break
        found |= {f"{order}/{name}": np.asarray(buffers[name]) for name in case.outputs}
        left -= run.steps
    return found


def _costs(lines: dict[int, dict[str, int]]) -> dict[str, tuple[int, int]]:
    """Per counter, the line that costs most and its count; what costs nothing is left out."""
    costs = grouped(
        (name, (line, count))
        for line, counts in lines.items()
        for name, count in counts.items()
        if line and count > 0
    )
    return {name: max(places, key=itemgetter(1)) for name, places in costs.items()}


def argument(value: Argument, buffers: Mapping[str, Array]) -> Any:
    """What a launch is given: a buffer by name, its tensor map, or a NumPy scalar."""
    if value.box:
        return tensor_map(buffers[value.buffer], value.box, value.swizzle)
    return buffers[value.buffer] if value.buffer else np.dtype(value.dtype).type(value.value)
