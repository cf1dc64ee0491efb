"""Launches tried on the simulated GPU: only what it shows counts. This needs no Z3.

A launch breaks a kernel if it ends with a fault, or if its outputs are not the solution's.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice

from ..course import Rule, rules
from ..cuda import CudaError, arguments, simulator
from ..watch.findings import HazardReport
from .launches import (
    FAULTS,
    STEP,
    Argument,
    Effort,
    Found,
    Outcome,
    Trial,
    code_of,
    constants,
    is_as_wanted,
    launches,
)

MOST_STEPS = 20_000  # of a wave
AT_ONCE = 32  # launches that are tried at the same time
MOST_IN_ALL = 800_000
WHOLE = 4096  # threads of a grid all of which are tried at once
MOST_OF_EFFORT = 0.12  # for one launch, of which not all blocks are run
FOR_NEW = 0.6  # of the effort, for numbers that a right kernel does not have
BETWEEN = (2, 4, 32)  # where packs, or warps, would end that are as many as there are elements


Compared = Mapping[str, int]  # by parameter, in launches of at most so many blocks


@dataclass
class TrialRun:
    """Launches that were made: what ended them, if it is one of `FAULTS` or may be, the hazards
    seen until then, and by launch what is in the arrays; `ended`: all of them came to their end."""

    fault: CudaError | None
    hazards: list[HazardReport]
    arrays: list[dict[str, Argument]]
    ended: bool

    def differs(self, ours: "TrialRun", trials: Sequence[Trial], compared: Compared) -> bool:
        """Whether an output that is compared has other values than a right kernel leaves."""
        return (self.ended and ours.ended) and not all(
            is_as_wanted(arrays[name], right[name])
            for arrays, right, trial in zip(self.arrays, ours.arrays, trials, strict=True)
            for name, most in compared.items()
            if math.prod(trial.grid) <= most
        )


def replayed(source: str, trial: Trial, effort: Effort) -> TrialRun:
    """A launch with made-up numbers in its arrays, all of which have been written."""
    most = min(MOST_STEPS, MOST_IN_ALL // -(-trial.threads // simulator.WAVE_LANES))
    return _run(simulator.RawModule(code=source), [trial], effort, most)


def in_part(source: str, trials: Sequence[Trial], effort: Effort) -> TrialRun:
    """Some blocks alone, the first and the last among them, in each dimension of the grid; all
    where what they do may depend on the others. They are stopped early. Several launches run at the
    same time: then any error may be one of them gone wrong."""
    module = simulator.RawModule(code=source)
    most = int(effort.most * MOST_OF_EFFORT) // STEP
    kernel = module.get_function(trials[0].rule.kernel)
    return _run(module, trials, effort, most, [_blocks(trial, kernel) for trial in trials])


def _blocks(trial: Trial, kernel: simulator.RawKernel) -> tuple[range, ...]:
    """The runs of blocks that are tried first."""
    whole = trial.threads <= WHOLE or kernel.depends_on_blocks
    return (range(math.prod(trial.grid)),) if whole else _edges(*trial.grid)


def _run(
    module: simulator.RawModule,
    trials: Sequence[Trial],
    effort: Effort,
    most: int,
    runs: Sequence[tuple[range, ...]] = ((),),
) -> TrialRun:
    """Launches, each of those blocks (of all where there are none)."""
    first, fault, ended = trials[0], None, True
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
            fault, ended = error if error.status in FAULTS or several else None, False
    # Together they cost little more than one. 0 steps where it was stopped: soon, if by a fault.
    effort.replay(instructions * (1 + len(trials) // 8), run.steps or most)
    return TrialRun(fault, run.hazards, buffers, ended)


def _edges(x: int, y: int, z: int) -> tuple[range, ...]:
    """The numbers of the first two blocks and the last two, of those beside the corners, and of
    some between."""
    last = x * y * z - 1
    between = (last // part + more for part in BETWEEN for more in (0, 1))
    numbers = {
        one for one in (0, 1, x - 1, x, x * (y - 1), last - 1, last, *between) if 0 <= one <= last
    }
    begins = sorted(one for one in numbers if one - 1 not in numbers)
    return tuple(map(range, begins, sorted(one + 1 for one in numbers if one + 1 not in numbers)))


@dataclass
class Attempts:
    """Launches of a source's kernels, none of them tried twice; large grids not with other sizes
    of arrays either."""

    source: str
    effort: Effort  # that they may take
    in_part: bool = False  # whether a launch is made in part first, and stopped early
    solution: str = ""  # a right source, whose outputs are compared
    compared: Compared = field(default_factory=dict)
    made: set[object] = field(default_factory=set)  # launches
    other_blocks: bool = False  # whether a block's work is that of another one in the solution

    def broken(self, trials: Iterable[Trial]) -> Found | None:
        """The first of some launches that breaks a kernel."""
        left = self._new(trials)
        while some := list(islice(left, AT_ONCE if self.in_part else 1)):
            for trial in self._suspects(some) if self.in_part else some:
                if not self.effort.left:
                    return None
                if self.in_part and not self._is_suspect([trial]):
                    continue
                run = replayed(self.source, trial, self.effort)
                if run.fault or self._differs(run, [trial], is_whole=True):
                    return Found(Outcome.COUNTEREXAMPLE, trial.rule.kernel, run.fault, trial)
                self.other_blocks |= self.in_part and trial.threads > WHOLE
        return None

    def _is_suspect(self, trials: Sequence[Trial]) -> bool:
        """Whether one of several launches may have gone wrong."""
        run = in_part(self.source, trials, self.effort)
        return (
            run.fault is not None
            or any(one.status in FAULTS and not one.warning for one in run.hazards)
            or self._differs(run, trials)
        )

    def _differs(self, run: TrialRun, trials: Sequence[Trial], is_whole: bool = False) -> bool:
        """Whether the solution leaves other outputs in the same launches."""
        large = any(one.threads > WHOLE for one in trials)
        compared = {} if large and self.other_blocks and not is_whole else self.compared
        if not (compared and run.ended):
            return False
        return run.differs(
            replayed(self.solution, trials[0], self.effort)
            if is_whole
            else in_part(self.solution, trials, self.effort),
            trials,
            compared,
        )

    def _new(self, trials: Iterable[Trial]) -> Iterator[Trial]:
        """Those that were not made yet, until the effort is spent."""
        for trial in trials:
            if not self.effort.left or not rules.any_numbers_will_do(trial.rule):
                return
            large = trial.threads > 2**18
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
            fits = threads <= WHOLE and elements <= 16 * WHOLE and kernel.batchable  # with others
            alike[trial.block, trial.shared_mem, passes, -1 if fits else number].append(trial)
        yield from chain.from_iterable(
            some for some in alike.values() if len(some) == 1 or self._is_suspect(some)
        )


def broken_at_its_numbers(
    source: str,
    given: Sequence[Rule],
    solution: str,
    compared: Mapping[str, Compared],
    effort: Effort,
) -> Found | None:
    """The first launch that breaks a kernel, of those at the numbers that stand in it; None where
    there is none. `solution` is a source that is right ("": none is known); `compared`: by kernel
    the outputs that must be as there."""
    own = simulator.RawModule(code=source).program
    right = simulator.RawModule(code=solution).program if solution else None
    for number, rule in enumerate(given):
        kernel, allowed = rule.kernel, effort.shared(len(given) - number - 1)
        if kernel not in own.functions or (
            right and code_of(own, kernel) == code_of(right, kernel)
        ):
            continue
        new, usual = constants(own, kernel, right)
        allowed = allowed.but(FOR_NEW) if right and not (new.limits or new.factors) else allowed
        trials = launches(rule, new, usual)
        outputs = compared.get(kernel, {}) if solution else {}
        if found := Attempts(source, allowed, True, solution, outputs).broken(trials):
            return found
    return None
