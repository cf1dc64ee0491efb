"""Instructions that change how fast memory is, not what is in it (PTX ISA, "createpolicy",
"prefetch", "griddepcontrol")."""

from __future__ import annotations

from ...machine.events import Step
from ...machine.lanes import Lanes
from ...machine.wave import Wave
from ..forms.table import effect
from ..ptx import Instruction


@effect(
    "createpolicy",
    "fractional EVICTIONS EVICTIONS? b64 : d, a?",
    "range global? EVICTIONS EVICTIONS? b64 : d, [a], b, c",
    "cvt L2 b64 : d, a",
)
def create_policy(instruction: Instruction, at: int, wave: Wave) -> Step:
    """A cache policy is an opaque number; ours says nothing."""
    out = wave.registers.write(instruction.operands[0], "b64")

    def step(lanes: Lanes) -> None:
        out[lanes] = 0

    return step


@effect("griddepcontrol", "launch_dependents|wait :")
@effect("pmevent", "mask? : a")
@effect("prefetch", "global|local? L1|L2|EVICTIONS : [a]", "const|param? tensormap : [a]")
@effect("prefetchu", "L1 : [a]")
@effect("discard", "global? L2 : [a], n")
@effect("applypriority", "global? EVICTIONS : [a], n")
@effect("cp", "async bulk prefetch L2 global L2::cache_hint? : [a], n, policy?")
def nothing(instruction: Instruction, at: int, wave: Wave) -> Step:
    """Cache hints change no value, and a grid starts when those before it have ended."""
    return lambda lanes: None
