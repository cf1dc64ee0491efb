"""Launches tried on the simulated GPU: only what it shows counts. This needs no Z3."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice

from ..course import rules
from ..course.model import Rule
from ..cuda import arguments, simulator
from ..cuda.errors import CudaError
from ..cuda.module import WAVE_LANES
from ..watch.findings import HazardReport
from .launches import constants, launches, same_code
from .trial import FAULTS, STEP, Effort, Found, Outcome, Trial

MOST_STEPS = 20_000  # of a wave
AT_ONCE = 32  # launches that are tried at the same time
MOST_IN_ALL = 200_000
LARGE_GRID = 2**18  # threads
WHOLE = 4096  # threads of a grid all of which are tried at once
MOST_OF_EFFORT = 0.12  # for one launch, of which not all blocks are run
BETWEEN = (2, 4, 32)  # where packs, or warps, would end that are as many as there are elements


def replayed(source: str, trial: Trial, effort: Effort) -> CudaError | None:
    """What goes wrong in a launch with made-up numbers in its arrays, all of which have been
    written; None where it is none of `FAULTS`."""
    most = min(MOST_STEPS, MOST_IN_ALL // -(-trial.threads // WAVE_LANES))
    return _run(simulator.RawModule(code=source), [trial], effort, most)[0]


def break_in_part(source: str, trials: Sequence[Trial], effort: Effort) -> bool:
    """Whether some blocks alone go wrong, the first and the last among them, in each dimension of
    the grid; all where what they do may depend on the others. They are stopped early. Several
    launches run at the same time: then any error may be one of them gone wrong."""
    module = simulator.RawModule(code=source)
    most = int(effort.most * MOST_OF_EFFORT) // STEP
    kernel = module.get_function(trials[0].rule.kernel)
    runs = [_blocks(trial, kernel) for trial in trials]
    error, hazards = _run(module, trials, effort, most, runs)
    return error is not None or any(one.status in FAULTS and not one.warning for one in hazards)


def _blocks(trial: Trial, kernel: simulator.RawKernel) -> tuple[range, ...]:
    """The runs of blocks that are tried first."""
    if trial.threads <= WHOLE or kernel.depends_on_blocks:
        return (range(math.prod(trial.grid)),)
    return _edges(*trial.grid)


def _run(
    module: simulator.RawModule,
    trials: Sequence[Trial],
    effort: Effort,
    most: int,
    runs: Sequence[tuple[range, ...]] = ((),),
) -> tuple[CudaError | None, list[HazardReport]]:
    """What ended the launches, each of those blocks (of all where there are none), if it is one of
    `FAULTS` or may be, and what was seen until then."""
    first, fault = trials[0], None
    kernel = module.get_function(first.rule.kernel)
    instructions = len(module.program.functions[kernel.name].instructions)
    buffers = [trial.arguments() for trial in trials]
    given = [
        arguments(rules.passed(one.rule, of), of) for one, of in zip(trials, buffers, strict=True)
    ]
    several = len(trials) > 1  # in a batch the blocks are chosen launch by launch
    how, blocks = ({}, [[*chain(*one)] for one in runs]) if several else ({"blocks": runs[0]}, ())
    with simulator.options(step_limit=most, **how), simulator.observe(counted=False) as run:
        try:
            kernel.batch(
                [one.grid for one in trials],
                first.block,
                given,
                shared_mem=first.shared_mem,
                blocks=blocks,
            )
        except CudaError as error:
            fault = error if error.status in FAULTS or several else None
    # Together they cost little more than one. 0 steps where it was stopped: soon, if by a fault.
    effort.replay(instructions * (1 + len(trials) // 8), run.steps or most)
    return fault, run.hazards


def _edges(x: int, y: int, z: int) -> tuple[range, ...]:
    """The numbers of the first two blocks and the last two, of those beside the corners, and of
    some between."""
    last = x * y * z - 1
    between = (last // part + more for part in BETWEEN for more in (0, 1))
    near = (0, 1, x - 1, x, x * (y - 1), last - 1, last, *between)
    numbers = {one for one in near if 0 <= one <= last}
    begins = sorted(one for one in numbers if one - 1 not in numbers)
    ends = sorted(one + 1 for one in numbers if one + 1 not in numbers)
    return tuple(map(range, begins, ends))


@dataclass
class Attempts:
    """Launches of a source's kernels, none of them tried twice; large grids not with other sizes
    of arrays either."""

    source: str
    effort: Effort  # that they may take
    in_part: bool = False  # whether a launch is made in part first, and stopped early
    made: set[object] = field(default_factory=set)  # launches

    def broken(self, trials: Iterable[Trial]) -> Found | None:
        """The first of some launches that breaks a kernel."""
        left = self._new(trials)
        while some := list(islice(left, AT_ONCE if self.in_part else 1)):
            for trial in self._suspects(some) if self.in_part else some:
                if not self.effort.left:
                    return None
                if self.in_part and not break_in_part(self.source, [trial], self.effort):
                    continue
                if error := replayed(self.source, trial, self.effort):
                    return Found(Outcome.COUNTEREXAMPLE, trial.rule.kernel, error, trial)
        return None

    def _new(self, trials: Iterable[Trial]) -> Iterator[Trial]:
        """Those that were not made yet, until the effort is spent."""
        for trial in trials:
            if not self.effort.left or not rules.any_numbers_will_do(trial.rule):
                return
            large = trial.threads > LARGE_GRID
            launch = (trial.rule.kernel, trial.grid, trial.block) if large else str(trial)
            if launch not in self.made:
                self.made.add(launch)
                yield trial

    def _suspects(self, trials: Sequence[Trial]) -> Iterator[Trial]:
        """The launches that may go wrong. Those that are alike run at the same time: they have
        blocks of one shape, and loops of about the same length."""
        kernel = simulator.RawModule(code=self.source).get_function(trials[0].rule.kernel)
        alike = defaultdict(list)
        for number, trial in enumerate(trials):
            threads = sum(map(len, _blocks(trial, kernel))) * math.prod(trial.block)
            elements = max(trial.sizes(), default=0)
            passes = (elements // threads).bit_length() // 2
            small = threads <= WHOLE and elements <= 16 * WHOLE  # many of them fit into memory
            together = -1 if small and kernel.batchable else number
            alike[trial.block, trial.shared_mem, passes, together].append(trial)
        for some in alike.values():
            if len(some) == 1 or break_in_part(self.source, some, self.effort):
                yield from some


def broken_at_its_numbers(
    source: str, given: Sequence[Rule], solution: str, effort: Effort
) -> Found | None:
    """The first launch that breaks a kernel, of those at the numbers that stand in it; None where
    there is none. `solution` is a source that is right ("": none is known)."""
    own = simulator.RawModule(code=source).program
    right = simulator.RawModule(code=solution).program if solution else None
    for number, rule in enumerate(given):
        kernel, allowed = rule.kernel, effort.shared(len(given) - number - 1)
        if kernel not in own.functions or (right and same_code(own, right, kernel)):
            continue
        trials = launches(rule, *constants(own, kernel, right))
        if found := Attempts(source, allowed, in_part=True).broken(trials):
            return found
    return None
