"""What reasoning costs, counted so that it comes to the same on every machine, busy or not."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

SECOND = 1_000_000  # units of Z3's own measure ("rlimit"), in 0.3 s to 3 s
INSTRUCTION = 200  # that a symbolic thread executes, in the same units
FORMULA = 30  # that a question holds
LAUNCH = 2_000  # on the simulated GPU
BOUND = 50  # for each instruction of the kernel
STEP = 15  # of it, which is up to 2,048 threads' instruction
TRIALS = 1.5  # seconds, as `seconds` has them, for launches before there is any reasoning
MOST_OF_ONE = SECOND  # for one question


@dataclass
class Meter:
    """What has been spent."""

    spent: int = 0


@dataclass(frozen=True)
class Effort:
    """So much may be spent in all."""

    most: int
    meter: Meter = field(default_factory=Meter)

    @property
    def left(self) -> int:
        return max(self.most - self.meter.spent, 0)

    def but(self, part: float) -> Effort:
        """The same that leaves so much of what is left."""
        return replace(self, most=self.most - int(part * self.left))

    def spend(self, units: int) -> None:
        self.meter.spent += units

    def replay(self, instructions: int, steps: int) -> None:
        """A launch on the simulated GPU, of a kernel of so many instructions."""
        self.spend(LAUNCH + instructions * BOUND + steps * STEP)


def seconds(number: float) -> Effort:
    """What comes to about so many seconds."""
    return Effort(int(number * SECOND))
