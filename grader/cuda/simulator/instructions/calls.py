"""Calls: `printf` and `assert`, which the driver provides."""

from __future__ import annotations

from ...errors import CudaError
from ..lanes import Lanes
from ..lanes import index as lane_index
from ..ptx import Instruction, Symbol, Vector
from .registry import effect, unsupported


@effect("call")
def call(instruction: Instruction, at: int, machine):
    """call[.uni] [(results),] function, (parameters)"""
    operands = instruction.operands
    name = next(operand.name for operand in operands if isinstance(operand, Symbol))
    after = operands[operands.index(Symbol(name)) + 1 :]
    parameters = [item.name for item in after[0].items] if after else []
    if name == "vprintf":
        results = [operand for operand in operands if isinstance(operand, Vector)]
        return _printf(parameters, results[0].items[0].name, machine)
    if name == "__assertfail":
        return _assert_failed(parameters, at, machine)
    raise unsupported(instruction, machine)


def _printf(parameters: list[str], result: str, machine):
    def step(lanes: Lanes) -> None:
        for lane in lane_index(lanes):
            formats, arguments = (machine.calls.pointer(name, lane) for name in parameters)
            machine.calls.print(formats, arguments, lane)
        machine.calls.slots[result][lane_index(lanes)] = 0

    return step


def _assert_failed(parameters: list[str], at: int, machine):
    def step(lanes: Lanes) -> None:
        lane = int(lane_index(lanes)[0])
        condition = machine.calls.text(machine.calls.pointer(parameters[0], lane), lane)
        raise machine.report.error(CudaError, at, lane, f"fails its assert({condition}).")

    return step
