"""A kernel examined for every launch that a rule allows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..course.model import Rule
from ..ptx.program import LinkedProgram, PtxModule, Symbol, Variable
from . import questions
from .atoms import Atoms, term
from .effort import Effort
from .loops import Graph, Undecided
from .questions import Question
from .scenes import Scene
from .setting import Setting, Shape, shapes
from .thread import Thread
from .values import Arithmetic

MOST_RUNS = 8  # until it is known which integers may wrap


@dataclass(frozen=True)
class Doubt:
    """A question that may have an answer: what may go wrong, and how it came up."""

    thread: Thread
    question: Question
    unknown: bool

    @property
    def lines(self) -> tuple[int | None, ...]:
        return tuple(self.thread.code.instructions[at].line for at in self.question.places)


def examined(
    program: PtxModule, linked: LinkedProgram, rule: Rule, effort: Effort
) -> Iterator[Doubt]:
    """What could not be excluded; nothing where the kernel is proved. Raises Undecided."""
    graph = Graph(linked.function)
    variables = variables_of(program, linked)
    for shape in shapes(rule):
        thread = explored(graph, variables, rule, shape, effort)
        for question in questions.all_questions(thread):
            answer = question.scene.ask(question.formulas, effort)
            if not effort.left:
                raise Undecided("the time was too short")
            if answer is not None:
                yield Doubt(thread, question, answer == "unknown")


def explored(
    graph: Graph,
    variables: dict[str, Variable],
    rule: Rule,
    shape: Shape,
    effort: Effort,
) -> Thread:
    """A symbolic thread that has gone through the kernel; whatever integers might not fit where
    it comes by are reduced."""
    wraps: frozenset[int] = frozenset()
    for _ in range(MOST_RUNS):
        on = Arithmetic(Atoms(), wraps)
        thread = Thread(graph, Setting(rule, shape, on), variables, effort)
        thread.run()
        failed = unmet(on, effort)
        if not failed:
            return thread
        wraps |= failed
    raise Undecided("too many integers may wrap")


def unmet(on: Arithmetic, effort: Effort) -> frozenset[int]:
    """The instructions at which some integer may not fit its type."""
    scene = Scene(on.atoms)
    failed: set[int] = set()
    for one in on.obligations:
        if one.at in failed:
            continue
        value = term(one.value)
        for outside in (value < one.low, value > one.high):
            if not effort.left:
                raise Undecided("the time was too short")
            if not scene.impossible([*one.path, outside], effort):
                failed.add(one.at)
                break
    return frozenset(failed)


def variables_of(program: PtxModule, linked: LinkedProgram) -> dict[str, Variable]:
    """The variables that a kernel speaks of, by name."""
    if len(linked.parts) > 1:
        raise Undecided("a function is called")
    mentioned = {
        getattr(getattr(operand, "base", operand), "name", "")
        for one in linked.function.instructions
        for operand in one.operands
        if isinstance(getattr(operand, "base", operand), Symbol)
    }
    everywhere = [*program.variables.values(), *linked.function.variables]
    return {one.name: one for one in everywhere if one.name in mentioned}
