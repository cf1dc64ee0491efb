"""Instructions that change how fast memory is, not what is in it (PTX ISA, "createpolicy",
"griddepcontrol")."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...engine.events import Step
from ...engine.lanes import Lanes
from ...program.ptx import Instruction
from ..table import effect

if TYPE_CHECKING:
    from ...engine.machine import Machine


@effect(
    "createpolicy",
    "fractional EVICTIONS EVICTIONS? b64 : d, a?",
    "range global? EVICTIONS EVICTIONS? b64 : d, [a], b, c",
    "cvt L2 b64 : d, a",
)
def create_policy(instruction: Instruction, at: int, machine: Machine) -> Step:
    """A cache policy is an opaque number; ours says nothing."""
    out = machine.registers.write(instruction.operands[0], "b64")

    def step(lanes: Lanes) -> None:
        out[lanes] = 0

    return step


@effect("griddepcontrol", "launch_dependents|wait :")
@effect("pmevent", "mask? : a")
def nothing(instruction: Instruction, at: int, machine: Machine) -> Step:
    """A grid starts when those before it have ended, so there is nothing to wait for."""
    return lambda lanes: None
