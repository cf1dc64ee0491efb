"""Calls: of device functions, directly or through a pointer, and of what the driver provides."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .....counted import counted
from ....errors import CudaError, OutOfBounds
from ...engine.events import Step, Successors
from ...engine.lanes import Lanes, compact
from ...engine.lanes import index as lane_index
from ...engine.operands import read
from ...program.ptx import Instruction, Malformed, Operand, Register, Vector, components, symbol_of
from ..form import Flow
from ..steps import unsupported
from ..table import control

if TYPE_CHECKING:
    from ...engine.machine import Machine


@control("call", "uni? : ...", flow=Flow.CALL)
def call(instruction: Instruction, at: int, machine: Machine) -> Step:
    """[(result),] function, (parameters)[, prototype]"""
    operands = list(instruction.operands)
    if not operands:
        raise Malformed("it names no function")
    results = components(operands.pop(0)) if isinstance(operands[0], Vector) else ()
    function, *rest = operands
    parameters = [_slot(item, machine) for item in components(rest[0])] if rest else []
    machine.results[at] = _slot(results[0], machine) if results else None
    if isinstance(function, Register):
        return _indirect(function, parameters, at, machine)
    name = symbol_of(function)
    if name in machine.linked.parts:
        _check_number(parameters, len(machine.linked.parts[name].parameters))
        return lambda lanes: ((machine.calls.enter(lanes, at, name, parameters), lanes),)
    if name not in _DRIVER:
        raise unsupported(instruction, machine)
    number, provided = _DRIVER[name]
    _check_number(parameters, number)
    action = provided(parameters, machine.results[at] or "", at, machine)

    def step(lanes: Lanes) -> Successors:
        action(lanes)
        return ((at + 1, lanes),)

    return step


def _slot(operand: Operand, machine: Machine) -> str:
    """The parameter that an operand names."""
    if (name := symbol_of(operand)) not in machine.calls.slots:
        raise Malformed(f"{name} is no parameter of a call")
    return name


def _check_number(parameters: list[str], expected: int) -> None:
    if len(parameters) != expected:
        raise Malformed(
            f"a function of {counted(expected, 'parameter')} is called with {len(parameters)}"
        )


def _indirect(pointer: Register, parameters: list[str], at: int, machine: Machine) -> Step:
    addresses = read(pointer, "u64", machine)
    names = {address: name for name, address in machine.linked.addresses.items()}

    def step(lanes: Lanes) -> Successors:
        index, where = lane_index(lanes), addresses[lanes]
        onward = []
        for address in np.unique(where):
            group = compact(index[where == address])
            name = names.get(int(address))
            if name not in machine.linked.parts:
                lane = int(lane_index(group)[0])
                what = "calls a function by a pointer that points to none."
                raise machine.report.error(OutOfBounds, at, lane, what)
            onward.append((machine.calls.enter(group, at, name, parameters), group))
        return tuple(onward)

    return step


@control("ret", "uni? :", flow=Flow.RETURN)
@control("exit", ":", flow=Flow.EXIT)
def leave(instruction: Instruction, at: int, machine: Machine) -> Step:
    """Back to the caller, or, in the kernel itself, the end of the thread."""
    name = machine.linked.owner[at]
    if instruction.form.flow is Flow.RETURN and name != machine.kernel.name:
        return lambda lanes: machine.calls.leave(lanes, name, machine.results)

    def step(lanes: Lanes) -> Successors:
        machine.exit(lanes)
        return ()

    return step


def _printf(parameters: list[str], result: str, at: int, machine: Machine) -> Step:
    calls = machine.calls

    def print_each(lanes: Lanes) -> None:
        index = lane_index(lanes)
        if not machine.output.full:
            formats, arguments = (calls.words(name, index) for name in parameters)
            calls.print(formats, arguments, index, at)
        calls.slots[result][index] = 0

    return print_each


def _assert_failed(parameters: list[str], result: str, at: int, machine: Machine) -> Step:
    def fail(lanes: Lanes) -> None:
        lane = int(lane_index(lanes)[0])
        condition = machine.calls.text(machine.calls.word(parameters[0], lane), lane, at)
        raise machine.report.error(CudaError, at, lane, f"fails its assert({condition}).")

    return fail


def _malloc(parameters: list[str], result: str, at: int, machine: Machine) -> Step:
    def allocate(lanes: Lanes) -> None:
        index = lane_index(lanes)
        addresses = machine.heap.allocate(machine.calls.words(parameters[0], index))
        machine.calls.slots[result][index, :8] = addresses.view(np.uint8).reshape(-1, 8)

    return allocate


def _free(parameters: list[str], result: str, at: int, machine: Machine) -> Step:
    def give_back(lanes: Lanes) -> None:
        for lane in lane_index(lanes):
            address = machine.calls.word(parameters[0], lane)
            if address and not machine.heap.free(address):
                why = "frees memory that is not in use: freed before, or not from `malloc`."
                raise machine.report.error(OutOfBounds, at, int(lane), why)

    return give_back


_DRIVER = {  # how many parameters they have, and what they do
    "vprintf": (2, _printf),
    "__assertfail": (5, _assert_failed),
    "malloc": (1, _malloc),
    "free": (1, _free),
}
