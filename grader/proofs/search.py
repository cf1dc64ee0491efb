"""Kernel by kernel: proved, shown to be wrong by a launch, or neither.

Whatever must not happen (an access out of bounds, a race, threads that do not meet) is a question
to Z3. A question that may have an answer is a doubt; launches in which it may show are tried.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations_with_replacement, islice

import numpy as np
import z3

from ..course.model import Rule
from ..cuda import simulator
from ..errors import unless
from ..machine.lanes import WARP
from ..machine.wave import FULL
from ..ptx.link import link
from ..ptx.program import LinkedProgram, PtxModule, Variable
from .atoms import Atoms, Formula, Polynomial, Scope, all_of, negated, term
from .launches import MOST_ELEMENTS, Effort, Found, Outcome, Trial, random_trials
from .loops import AccessSite, Epoch, LoopGraph, MeetingSite, Undecided
from .solver import Solver, differ
from .thread import SymbolicThread
from .trying import Attempts
from .values import AXES, Arithmetic, Setting, Shape, shapes

# ---- what may go wrong ----


@dataclass(frozen=True)
class FaultQuestion:
    """`formulas` are true at once if the `fault` ("bounds", "alignment", "race", "barrier",
    "warp") happens at the instructions `places`."""

    fault: str
    places: tuple[int, ...]
    solver: Solver
    formulas: list[Formula]


def _about_accesses(thread: SymbolicThread) -> Iterator[FaultQuestion]:
    solver, in_parts = Solver(thread.on.atoms), Solver(thread.on.atoms, in_parts=True)
    for one in thread.accesses:
        length = unless(
            thread.lengths[one.pointer.array],
            Undecided(
                f"only its contents say how much `{one.pointer.array}` must hold",
                thread.code.instructions[one.at].line,
            ),
        )
        offset = term(one.pointer.offset)
        outside = z3.Or(offset < 0, offset + one.width > term(length))
        yield FaultQuestion("bounds", (one.at,), solver, [*one.path, outside])
        if not one.pointer.offset.divisible(one.width):
            whole = thread.on.floor_quotient(one.pointer.offset, one.width) * one.width
            yield FaultQuestion(
                "alignment", (one.at,), in_parts, [*one.path, term(one.pointer.offset - whole) != 0]
            )


def _about_meetings(thread: SymbolicThread) -> Iterator[FaultQuestion]:
    solvers = {scope: Solver(thread.on.atoms, scope) for scope in Scope}
    for one in thread.meetings:
        solver = solvers[one.scope]
        if one.scope is Scope.WARP_ROUND:
            yield from _about_whole_warps(thread, solvers[Scope.THREAD], one)
        path = all_of(one.path)
        apart = differ(solver, [thread.setting.special[f"%tid.{axis}"] for axis in AXES])
        formulas = [path, negated(solver.second(path)), apart]
        if one.scope is Scope.WARP_ROUND:
            warp = thread.on.floor_quotient(thread.setting.thread_number, WARP)
            formulas += [
                term(warp) == term(solver.second(warp)),
                solver.second(_named(thread, one.mask)),
            ]
        yield FaultQuestion(
            "warp" if one.scope is Scope.WARP_ROUND else "barrier", (one.at,), solver, formulas
        )


def _about_whole_warps(
    thread: SymbolicThread, solver: Solver, one: MeetingSite
) -> Iterator[FaultQuestion]:
    """That a mask names the lane that comes with it, and no lane that a block's last warp lacks."""
    on, whole = thread.on, thread.setting.threads
    if one.mask != FULL:
        yield FaultQuestion(
            "warp", (one.at,), solver, [*one.path, negated(_named(thread, one.mask))]
        )
    if not whole.divisible(WARP):
        last = on.floor_quotient(whole, WARP)
        mine = on.floor_quotient(thread.setting.thread_number, WARP)
        partial = [term(whole - last * WARP) <= one.mask.bit_length() - 1, term(mine) == term(last)]
        yield FaultQuestion("warp", (one.at,), solver, [*one.path, *partial])


def _named(thread: SymbolicThread, mask: int) -> Formula:
    """That a mask names a thread's lane."""
    if mask == FULL:
        return z3.BoolVal(True)
    lane = term(thread.on.low_bits(thread.setting.thread_number, 5))
    return z3.Or([lane == bit for bit in range(WARP) if mask >> bit & 1])


def _about_races(thread: SymbolicThread) -> Iterator[FaultQuestion]:
    atoms, special = thread.on.atoms, thread.setting.special
    block, grid = Solver(atoms, Scope.BLOCK), Solver(atoms, Scope.GRID)
    threads = differ(block, [special[f"%tid.{axis}"] for axis in AXES])
    blocks = differ(grid, [special[f"%ctaid.{axis}"] for axis in AXES])
    for a, b in combinations_with_replacement(thread.accesses, 2):
        if {a.verb, b.verb} in ({"reads"}, {"updates"}) or a.pointer.array != b.pointer.array:
            continue
        space = getattr(thread.variables.get(a.pointer.array), "space", "global")
        places = tuple(dict.fromkeys((a.at, b.at)))
        if space in ("global", "shared"):
            meet = _same_epoch(thread, block, a, b)
            if not any(z3.is_false(one) for one in meet):
                yield FaultQuestion("race", places, block, [*_overlap(block, a, b), threads, *meet])
        if space == "global":
            yield FaultQuestion("race", places, grid, [*_overlap(grid, a, b), blocks])


def _overlap(solver: Solver, a: AccessSite, b: AccessSite) -> list[Formula]:
    """That the first thread does `a`, the second one `b`, and they touch the same bytes."""
    apart = solver.second(b.pointer.offset) - a.pointer.offset
    touch = (
        [term(apart) == 0]
        if a.width == b.width and apart.divisible(a.width)
        else [term(apart) < a.width, term(apart) > -b.width]
    )
    return [*a.path, *(solver.second(one) for one in b.path), *touch]


def _same_epoch(
    thread: SymbolicThread, solver: Solver, a: AccessSite, b: AccessSite
) -> list[Formula]:
    """That no barrier lies between: of the block, and of the warp if both are in one."""
    of_block, of_warp = zip(a.epochs, b.epochs, strict=True)
    found = _equal(solver, *of_block)
    if of_warp != of_block:
        warp = thread.on.floor_quotient(thread.setting.thread_number, WARP)
        found.append(
            z3.Or(term(warp) != term(solver.second(warp)), all_of(_equal(solver, *of_warp)))
        )
    return found


def _equal(solver: Solver, a: Epoch, b: Epoch) -> list[Formula]:
    differences: list[Polynomial] = [
        one - solver.second(other) for one, other in zip(a, b, strict=True)
    ]
    return (
        [z3.BoolVal(False)]
        if any(one.number for one in differences)
        else [term(one) == 0 for one in differences if one.number is None]
    )


# ---- a kernel examined for every launch that a rule allows ----

MOST_RUNS = 8  # until it is known which integers may wrap


@dataclass(frozen=True)
class Doubt:
    """A question that may have an answer: what may go wrong, and how it came up."""

    thread: SymbolicThread
    question: FaultQuestion

    @property
    def lines(self) -> tuple[int | None, ...]:
        return tuple(self.thread.code.instructions[at].line for at in self.question.places)


def examined(
    program: PtxModule, linked: LinkedProgram, rule: Rule, effort: Effort
) -> Iterator[Doubt]:
    """What could not be excluded; nothing where the kernel is proved. Raises Undecided."""
    graph, variables = LoopGraph(linked.function), variables_of(program, linked)
    for shape in shapes(rule):
        thread = explored(graph, variables, rule, shape, effort)
        # Those that are answered fastest come first.
        yield from (
            Doubt(thread, one)
            for one in chain(_about_accesses(thread), _about_meetings(thread), _about_races(thread))
            if not one.solver.impossible(one.formulas, effort)
        )


def explored(
    graph: LoopGraph,
    variables: dict[str, Variable],
    rule: Rule,
    shape: Shape,
    effort: Effort,
) -> SymbolicThread:
    """A symbolic thread that has gone through the kernel; whatever integers might not fit where
    it comes by are reduced."""
    wraps: frozenset[int] = frozenset()
    for _ in range(MOST_RUNS):
        on = Arithmetic(Atoms(), wraps)
        thread = SymbolicThread(graph, Setting(rule, shape, on), variables, effort)
        thread.run()
        if not (failed := unmet(on, effort)):
            return thread
        wraps |= failed
    raise Undecided("too many integers may wrap")


def unmet(on: Arithmetic, effort: Effort) -> frozenset[int]:
    """The instructions at which some integer may not fit its type."""
    solver = Solver(on.atoms)
    failed: set[int] = set()
    for one in on.obligations:
        value = term(one.value)
        outside = ([*one.path, value < one.low], [*one.path, value > one.high])
        if one.at not in failed and not all(solver.impossible(it, effort) for it in outside):
            failed.add(one.at)
    return frozenset(failed)


def variables_of(program: PtxModule, linked: LinkedProgram) -> dict[str, Variable]:
    """The variables that a kernel speaks of, by name."""
    unless(len(linked.parts) <= 1, Undecided("a function is called"))
    return {
        one.name: one
        for one in (*program.variables.values(), *linked.function.variables)
        if one.name in linked.function.symbols
    }


# ---- from a doubt to launches ----

TRIES = 6  # of a tier


def trials(doubt: Doubt, effort: Effort) -> Iterator[Trial]:
    """Launches in which the fault may show, small ones first. Products are what they are in each
    of them: the sizes are guessed with what the lemmas say, and asked for again as numbers."""
    setting, question = doubt.thread.setting, doubt.question
    solver, atoms = question.solver, setting.on.atoms
    grid = sorted(name for name, one in atoms.by_name.items() if one.scope is Scope.GRID)
    given = set().union(*(value.atoms for value in setting.numbers.values()))
    free = [name for name in grid if name in given]  # a launch gives it; others follow from these
    fault = [*question.formulas, *[z3.Int(name) >= atoms.by_name[name].low for name in free]]
    # Elements of an array and threads of a grid, tier by tier.
    for most in (2**10, 2**13, 2**17, MOST_ELEMENTS):
        small = [term(size) <= most for size in setting.sizes()]
        tried: list[Formula] = []
        for _ in range(TRIES):
            if not effort.left:
                return
            guess = solver.ask([*fault, *small, *tried], effort)
            if not isinstance(guess, dict):
                break
            values = {name: guess[name] for name in free}
            tried.append(z3.Or([z3.Int(name) != number for name, number in values.items()]))
            if isinstance(solver.ask(fault, effort, values), dict):
                trial = Trial.named(
                    setting.rule,
                    {name: value.value(values) for name, value in setting.numbers.items()},
                )
                if trial.keeps_to_its_rule():  # guessed products may be larger in truth
                    yield trial


# ---- kernel by kernel ----

MOST_DOUBTS = 12  # that are followed up
MOST_TRIALS = 3  # for each
FIRST_DRAWN = 3  # launches drawn at random, before there is any reasoning
MOST_DRAWN = 40  # in all, where a kernel is not proved
FOR_DRAWN = 0.1  # of the effort


def search(source: str, given: Sequence[Rule], effort: Effort) -> Found:
    """The outcome for a source, as `proofs.prove` gives it."""
    if not given:
        return Found(Outcome.NOT_DECIDED, why="the exercise states no rule")
    all_of_them = Found(Outcome.PROVED)
    for number, rule in enumerate(given):
        found = _kernel(source, rule, effort.shared(len(given) - number - 1))
        if found.outcome is Outcome.COUNTEREXAMPLE:
            return found
        if all_of_them.outcome is Outcome.PROVED and found.outcome is Outcome.NOT_DECIDED:
            all_of_them = found
    return all_of_them


def _kernel(source: str, rule: Rule, effort: Effort) -> Found:
    program = simulator.RawModule(code=source).program
    function = program.functions.get(rule.kernel)
    if function is None or len(function.parameters) != len(rule.parameters):
        return _not_decided(rule, f"there is no {rule.kernel} with the rule's parameters")
    drawn = random_trials(rule, np.random.default_rng(0), MOST_DRAWN)
    launches = Attempts(source, effort)
    if shown := launches.broken(islice(drawn, FIRST_DRAWN)):
        return shown
    doubts: list[Doubt] = []
    why, line = "", None
    try:
        for doubt in islice(
            examined(program, link(program, function), rule, effort.but(FOR_DRAWN)), MOST_DOUBTS
        ):
            doubts.append(doubt)
            why = "what may go wrong there could not be shown"
            if shown := launches.broken(islice(trials(doubt, effort), MOST_TRIALS)):
                return shown
    except Undecided as reason:
        why, line = str(reason), reason.line
    except z3.Z3Exception as reason:
        why = f"Z3 gave up: {reason}"
    if not why:
        return Found(Outcome.PROVED, rule.kernel)
    return launches.broken(drawn) or _not_decided(
        rule, why, (line, *(at for one in doubts for at in one.lines))
    )


def _not_decided(rule: Rule, why: str, lines: Iterable[int | None] = ()) -> Found:
    return Found(
        Outcome.NOT_DECIDED,
        rule.kernel,
        why=why,
        suspected=tuple(dict.fromkeys(filter(None, lines))),
    )
