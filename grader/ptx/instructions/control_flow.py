"""Branches, and calls: of device functions, directly or through a pointer, and of what the driver
provides; what stops a thread, for a while or for good (PTX ISA, "Control Flow Instructions" and
"Miscellaneous Instructions")."""

import numpy as np

from ...cuda.errors import CudaError, OutOfBounds
from ...machine.lanes import Lanes, Step, Successors, by_value, compact, lane_index
from ...machine.wave import Wave
from ..program import (
    Flow,
    Instruction,
    Operand,
    Register,
    Unsupported,
    Vector,
    components,
    immediate_of,
    require,
    symbol_of,
)
from ..table import collective, control, effect, guard_of


@control("call", "uni? : ...", flow=Flow.CALL)
def call(instruction: Instruction, at: int, wave: Wave) -> Step:
    """[(result),] function, (parameters)[, prototype]"""
    operands = list(instruction.operands)
    require(operands, "call_of_nothing")
    results = components(operands.pop(0)) if isinstance(operands[0], Vector) else ()
    function, *rest = operands
    parameters = [_slot(item, wave) for item in components(rest[0])] if rest else []
    wave.results[at] = _slot(results[0], wave) if results else None
    if isinstance(function, Register):
        return _indirect(function, parameters, at, wave)
    name = symbol_of(function)
    called = wave.linked.parts.get(name)
    if called is None and name not in _DRIVER:
        raise Unsupported("unknown", of_textures=False)
    expected = len(called.function.parameters) if called else _DRIVER[name][0]
    require(
        len(parameters) == expected,
        "parameters_of_a_call",
        expected=expected,
        given=len(parameters),
    )
    if called:
        return lambda lanes: ((wave.calls.enter(lanes, at, name, parameters), lanes),)
    provided, result = _DRIVER[name][1], wave.results[at] or ""

    def step(lanes: Lanes) -> Successors:
        provided(lane_index(lanes), parameters, result, at, wave)
        return ((at + 1, lanes),)

    return step


def _slot(operand: Operand, wave: Wave) -> str:
    """The parameter that an operand names."""
    name = symbol_of(operand)
    require(name in wave.calls.slots, "no_parameter_of_a_call", name=name)
    return name


def _indirect(pointer: Register, parameters: list[str], at: int, wave: Wave) -> Step:
    addresses = wave.read(pointer, "u64")
    names = {address: name for name, address in wave.linked.addresses.items()}

    def step(lanes: Lanes) -> Successors:
        onward = []
        for address, group in by_value(lanes, addresses[lanes]):
            name = names.get(address)
            if name not in wave.linked.parts:
                raise wave.report.error(
                    OutOfBounds,
                    at,
                    int(lane_index(group)[0]),
                    "no_such_function",
                )
            onward.append((wave.calls.enter(group, at, name, parameters), group))
        return tuple(onward)

    return step


@control("ret", "uni? :", flow=Flow.RETURN)
@control("exit", ":", flow=Flow.EXIT)
def leave(instruction: Instruction, at: int, wave: Wave) -> Step:
    """Back to the caller, or, in the kernel itself, the end of the thread."""
    name = wave.linked.owner[at]
    return (
        (lambda lanes: wave.calls.leave(lanes, name, wave.results))
        if instruction.form.flow is Flow.RETURN and name != wave.kernel.name
        else wave.exit
    )


def _printf(lanes: np.ndarray, parameters: list[str], result: str, at: int, wave: Wave) -> None:
    if not wave.output.full:
        formats, arguments = (wave.calls.words(name, lanes) for name in parameters)
        wave.calls.print(formats, arguments, lanes, at)
    wave.calls.slots[result][lanes] = 0


def _assert_failed(
    lanes: np.ndarray, parameters: list[str], result: str, at: int, wave: Wave
) -> None:
    lane = int(lanes[0])
    condition = wave.calls.text(int(wave.calls.words(parameters[0], lanes)[0]), lane, at)
    raise wave.report.error(CudaError, at, lane, "failed_assert", condition=condition)


def _malloc(lanes: np.ndarray, parameters: list[str], result: str, at: int, wave: Wave) -> None:
    wave.calls.slots[result][lanes, :8] = (
        wave.heap.allocate(wave.calls.words(parameters[0], lanes)).view(np.uint8).reshape(-1, 8)
    )


def _free(lanes: np.ndarray, parameters: list[str], result: str, at: int, wave: Wave) -> None:
    for lane, address in zip(lanes, wave.calls.words(parameters[0], lanes).tolist(), strict=True):
        if address and not wave.heap.free(address):
            raise wave.report.error(OutOfBounds, at, int(lane), "wrong_free")


_DRIVER = {  # how many parameters they have, and what they do
    "vprintf": (2, _printf),
    "__assertfail": (5, _assert_failed),
    "malloc": (1, _malloc),
    "free": (1, _free),
}


@control("bra", "uni? : a", flow=Flow.BRANCH)
def branch(instruction: Instruction, at: int, wave: Wave) -> Step:
    target = wave.kernel.labels[symbol_of(instruction.operands[0])]
    if instruction.guard is None:
        return lambda lanes: ((target, lanes),)
    guard, negated = guard_of(instruction, wave), instruction.guard_negated

    def step(lanes: Lanes) -> Successors:
        taken = guard[lanes] ^ negated
        number = int(np.count_nonzero(taken))
        wave.events.branch(at, lanes, taken)
        if number == len(taken):
            return ((target, lanes),)
        if number == 0:
            return ((at + 1, lanes),)
        index = lane_index(lanes)
        return ((target, compact(index[taken])), (at + 1, compact(index[~taken])))

    return step


@control("brx", "idx uni? : a, b", flow=Flow.TABLE)
def branch_by_index(instruction: Instruction, at: int, wave: Wave) -> Step:
    """index, table: a jump through a list of labels."""
    index, table = instruction.operands
    labels = [wave.kernel.labels[name] for name in wave.kernel.tables[symbol_of(table)]]
    targets, chosen = np.array(labels), wave.read(index, "u32")
    return lambda lanes: tuple(by_value(lanes, targets[chosen[lanes]]))


@effect("nanosleep", "u32 : a")
def nanosleep(instruction: Instruction, at: int, wave: Wave) -> Step:
    return lambda lanes: wave.spin()


@collective("setmaxnreg", "inc|dec sync aligned u32 : n", whole_warp=True)
def set_registers(instruction: Instruction, at: int, wave: Wave) -> Step:
    """Registers are given back, or asked for; here there are always enough."""
    number = immediate_of(instruction.operands[0])
    require(
        24 <= number <= 256 and number % 8 == 0,
        "registers_of_a_thread",
        number=number,
    )
    return lambda lanes: None


@control("trap", ":", flow=Flow.TRAP)
def trap(instruction: Instruction, at: int, wave: Wave) -> Step:
    def step(lanes: Lanes) -> None:
        raise wave.report.error(
            CudaError,
            at,
            int(lane_index(lanes)[0]),
            "trapped",
            by_the_compiler=not wave.kernel.instructions[at].line,
        )

    return step
