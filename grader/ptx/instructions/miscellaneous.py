"""Instructions that stop a thread, for a while or for good (PTX ISA, "Miscellaneous
Instructions")."""

from ...cuda.errors import CudaError
from ...machine.events import Step
from ...machine.lanes import Lanes, lane_index
from ...machine.wave import Wave
from ..program import Flow, Instruction, immediate_of, require
from ..table import collective, control, effect

_MADE_BY_THE_COMPILER = (
    " The compiler puts a trap, without a line, where an operation is impossible, such as an atomic"
    " on a thread's own variable."
)


@effect("nanosleep", "u32 : a")
def nanosleep(instruction: Instruction, at: int, wave: Wave) -> Step:
    return lambda lanes: wave.spin()


@collective("setmaxnreg", "inc|dec sync aligned u32 : n", whole_warp=True)
def set_registers(instruction: Instruction, at: int, wave: Wave) -> Step:
    """Registers are given back, or asked for; here there are always enough."""
    number = immediate_of(instruction.operands[0])
    require(
        24 <= number <= 256 and number % 8 == 0,
        f"a thread cannot have {number} registers: 24 to 256, a multiple of 8",
    )
    return lambda lanes: None


@control("trap", ":", flow=Flow.TRAP)
def trap(instruction: Instruction, at: int, wave: Wave) -> Step:
    def step(lanes: Lanes) -> None:
        whose = "" if wave.kernel.instructions[at].line else _MADE_BY_THE_COMPILER
        raise wave.report.error(
            CudaError, at, int(lane_index(lanes)[0]), f"stops the kernel with a trap.{whose}"
        )

    return step
