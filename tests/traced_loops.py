"""Loops written in PTX, and what their registers hold in each of their rounds.

What a register holds at the start of a round, and behind the loop, shows in the address of a store:
the simulated GPU says which there are. The analysis may exclude none of them; of registers that
change evenly, or not at all, it may allow no other.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import z3

from grader.course import Rule
from grader.cuda import simulator
from grader.proofs.atoms import term
from grader.proofs.launches import Effort
from grader.proofs.loops import LoopGraph
from grader.proofs.search import explored, variables_of
from grader.proofs.solver import Solver
from grader.proofs.thread import SymbolicThread
from grader.proofs.values import Shape
from grader.ptx.link import link

EFFORT = 50_000_000
THREADS = 4
SIZE = 4096  # elements of each array; a 0 is stored in the middle
TOGETHER = 5  # pieces in a loop
LAUNCHES = ((3, 1), (10, 2))  # n, and the thread that is asked about
MOST = 3  # of the places that a thread touches, each asked about
PLACES = "xyz"  # arrays for what is shown in a round, behind the loop, and behind its second exit


@dataclass(frozen=True)
class Piece:
    """What a loop carries: PTX `before` it and in each round (`inside`), and what makes `%v` an
    integer that tells how it stands (`shown`). At the places `exact` the analysis knows it."""

    name: str
    before: str
    inside: str
    shown: str
    exact: str = PLACES


@dataclass(frozen=True)
class Course:
    """How a loop goes round: `{rounds}`, `{inside}` and so on are its pieces'. Whether a thread
    comes to the places `open` the analysis cannot know."""

    name: str
    text: str
    open: str = ""


IN_A = "mov.s32 %v, %a;"
IN_P = "selp.s32 %v, 1, 0, %p;"
IN_L = "sub.s64 %m, %l, %x; cvt.u32.u64 %v, %m; shr.s32 %v, %v, 2;"
PIECES = (
    Piece("up by 3", "mov.s32 %a, 5;", "add.s32 %a, %a, 3;", IN_A),
    Piece("kept", "mov.s32 %a, %t;", "mov.s32 %b, %a; mov.s32 %a, %b;", IN_A),
    Piece("flag", "setp.lt.s32 %p, %t, 2;", "not.pred %q, %p; not.pred %p, %q;", IN_P),
    Piece("pointer", "add.s64 %l, %x, 16;", "add.s64 %l, %l, 12;", IN_L),
    Piece("loaded", "mov.s32 %a, 7;", "ld.global.s32 %a, [%x];", IN_A, ""),
    Piece("down by 3", "mov.s32 %a, 7;", "sub.s32 %a, %a, 3;", IN_A),
    Piece("flag that flips", "setp.lt.s32 %p, %t, 2;", "not.pred %p, %p;", IN_P, ""),
    Piece("pointer, kept", "add.s64 %l, %x, 16;", "mov.s64 %m, %l; mov.s64 %l, %m;", IN_L),
    Piece("twice and one", "mov.s32 %a, 0;", "mad.lo.s32 %a, %a, 2, 1;", IN_A, ""),
    Piece("up by n", "mov.s32 %a, %t;", "add.s32 %a, %a, %n;", IN_A),
    Piece("flag of a round", "setp.lt.s32 %p, %t, 2;", "setp.lt.s32 %p, %i, 2;", IN_P, "y"),
    Piece("flag of a float", "setp.lt.s32 %p, %t, 2;", "setp.lt.f32 %p, %f, %f;", IN_P, ""),
    Piece("null, then a pointer", "mov.s64 %l, 0;", "mov.s64 %l, %x;", "mov.s32 %v, 1;"),
    Piece(
        "pointer into another",
        "add.s64 %l, %x, 16;",
        "sub.s64 %m, %l, %x; add.s64 %l, %z, %m;",
        "sub.s64 %m, %l, %x; setp.eq.s64 %p, %m, 16; selp.s32 %v, 1, 0, %p;",
        "",
    ),
    Piece("by turns", "mov.s32 %a, 1;", "sub.s32 %a, 3, %a;", IN_A, ""),
    Piece(
        "two that part",
        "mov.s32 %a, %t; mov.s32 %b, 1;",
        "add.s32 %a, %a, 4; sub.s32 %b, %b, 2;",
        "sub.s32 %v, %a, %b;",
    ),
    Piece(
        "not known, kept",
        "ld.global.s32 %a, [%x]; mov.s32 %b, %a;",
        "mov.s32 %c, %a; mov.s32 %a, %c;",
        "sub.s32 %v, %a, %b;",
    ),
    Piece("flag that is set", "setp.lt.s32 %p, %t, 2;", "mov.pred %p, -1;", IN_P, ""),
    Piece("flag that was set", "mov.pred %p, -1;", "setp.lt.s32 %p, %a, 9;", IN_P, ""),
    Piece("pointer, loaded", "mov.s64 %l, %x;", "ld.global.u64 %l, [%x];", "mov.s32 %v, 1;"),
    Piece("was loaded", "ld.global.s32 %a, [%x];", "mov.s32 %a, 6;", IN_A, ""),
    Piece(
        "far",
        "mov.s64 %l, 1; cvt.s64.s32 %m, %n;",
        "mad.lo.s64 %l, %l, 900, %m;",
        "setp.gt.s64 %p, %l, 4000000000; selp.s32 %v, 1, 0, %p;",
        "",
    ),
    Piece("down by t", "mov.s32 %a, 1;", "sub.s32 %a, %a, %t;", IN_A),
    Piece(
        "a round behind",
        "mov.s32 %a, 0; mov.s32 %b, -9;",
        "mov.s32 %b, %a; add.s32 %a, %a, 5;",
        "mov.s32 %v, %b;",
        "",
    ),
    Piece(
        "over the end",
        "mov.s32 %a, 2147483645;",
        "cvt.s64.s32 %l, %a; add.s64 %l, %l, 1; cvt.u32.u64 %a, %l;",
        "setp.lt.s32 %p, %a, 0; selp.s32 %v, 1, 0, %p;",
        "",
    ),
    Piece("zero, then a flag", "mov.s32 %a, 0;", "selp.s32 %a, 1, %a, %q;", IN_A, ""),
    Piece("a flag after a float", "setp.lt.f32 %p, %f, %f;", "setp.lt.s32 %p, %t, 2;", IN_P, ""),
)

BOTTOM = """{before} mov.s32 %i, START;
AGAIN: {rounds} {inside} add.s32 %i, %i, STEP;
GUARD @%p bra AGAIN;
{behind}"""
TOP = """{before} mov.s32 %i, START;
AGAIN: GUARD @!%p bra DONE;
{rounds} {inside} add.s32 %i, %i, STEP; bra AGAIN;
DONE: {behind}"""
TWO_EXITS = """{before} mov.s32 %i, START; mov.s32 %u, 1;
AGAIN: {rounds} sub.s32 %u, 3, %u; EXIT @%p bra FOUND;
{inside} add.s32 %i, %i, STEP;
GUARD @%p bra AGAIN;
{behind} bra END;
FOUND: {second}
END:"""
NESTED = """{outer} mov.s32 %j, 0;
OUTER: {before} mov.s32 %i, START;
AGAIN: {rounds} {inside} add.s32 %i, %i, STEP;
GUARD @%p bra AGAIN;
{behind} add.s32 %j, %j, 1; setp.lt.s32 %p, %j, %n; @%p bra OUTER;
{second}"""
BY_ANOTHER = """{before} mov.s32 %j, 0;
OUTER: {rounds} {inside} mov.s32 %i, 0;
AGAIN: add.s32 %i, %i, 1; setp.lt.s32 %p, %i, %j; @%p bra AGAIN;
add.s32 %j, %j, 1; setp.lt.s32 %p, %i, %n; @%p bra OUTER;
{behind}"""


def _course(
    name: str, text: str, start: str, step: str, guard: str, leave: str = "", open: str = ""
) -> Course:
    parts = {"START": start, "STEP": step, "GUARD": f"setp.{guard};", "EXIT": leave}
    for word, part in parts.items():
        text = text.replace(word, part)
    return Course(name, text, open)


UP = "lt.s32 %p, %i, %n"
COURSES = (
    _course("up to n", BOTTOM, "0", "1", UP),
    _course("up to n, perhaps never", TOP, "%t", "2", UP),
    _course("until n", BOTTOM, "%n", "-1", "ne.s32 %p, %i, 0"),
    _course("until it is n", BOTTOM, "0", "1", "ne.s32 %p, %i, %n"),
    _course("down to 0", BOTTOM, "%n", "-2", "gt.s32 %p, %i, 0"),
    _course("through n", BOTTOM, "0", "2", "le.s32 %p, %i, %n"),
    _course("once", BOTTOM, "0", "-1", "gt.s32 %p, %i, %n"),
    _course(
        "while it is n",
        BOTTOM,
        "%n; mad.lo.s32 %i, %t, 3, %i; sub.s32 %i, %i, 4",
        "1",
        "eq.s32 %p, %i, %n",
    ),
    _course("in another", NESTED, "0", "1", UP),
    _course("up to 5", TWO_EXITS, "0", "1", UP, "setp.eq.s32 %p, %i, 5;"),
    _course("past 6", TWO_EXITS, "1", "2", UP, "setp.eq.s32 %p, %i, 6;"),
    _course(
        "past a product",
        TWO_EXITS,
        "-4",
        "2",
        "lt.s32 %p, %i, 1",
        "mul.lo.s32 %c, %i, %t; setp.eq.s32 %p, %c, -6;",
    ),
    _course("unless by turns", TWO_EXITS, "0", "1", UP, "setp.eq.s32 %p, %u, 7;", "z"),
    _course("by n", TWO_EXITS, "1", "%n", "lt.s32 %p, %i, 20", "setp.eq.s32 %p, %i, 0;"),
    _course("unless n is 3", TWO_EXITS, "0", "1", UP, "setp.eq.s32 %p, %n, 3;"),
    Course("as far as another comes", BY_ANOTHER),
)


@dataclass(frozen=True)
class Traced:
    """A loop with its pieces."""

    course: Course
    pieces: tuple[Piece, ...]

    @property
    def name(self) -> str:
        return ", ".join([self.course.name, *(one.name for one in self.pieces)])

    @property
    def arrays(self) -> list[str]:
        return [f"{place}{k}" for k in range(len(self.pieces)) for place in PLACES]

    @property
    def source(self) -> str:
        """The kernel, all of which is one piece of PTX."""
        arrays = self.arrays
        registers = [f".reg .b64 %{one}, %d{one};" for one in arrays]
        registers += [f"mov.b64 %{one}, ${k};" for k, one in enumerate(arrays)]
        text = self.course.text.format(
            before=self._all("before"),
            inside=self._all("inside"),
            rounds=self._stores("x"),
            behind=self._stores("y"),
            second=self._stores("z"),
            outer="",
        )
        own = "".join(_registers(k) for k in range(len(self.pieces)))
        shared = ".reg .pred %p; .reg .b32 %t, %n, %i, %j, %u, %c;"
        given = f"mov.u32 %t, %tid.x; mov.u32 %n, ${len(arrays)};"
        asm = " ".join(["{", shared, own, *registers, given, text, "}"])
        asm = asm.replace("%", "%%").replace("$", "%").replace("\n", " ")
        read = ", ".join([*(f'"l"({one})' for one in arrays), '"r"(n)'])
        parameters = ", ".join([*(f"float* {one}" for one in arrays), "int n"])
        body = f'asm volatile("{asm}" :: {read} : "memory");'
        return f'extern "C" __global__ void loop({parameters}) {{ {body} }}'

    @property
    def rule(self) -> Rule:
        given = (*(f"float {one}[{SIZE}]" for one in self.arrays), "int n")
        return Rule("loop", "loop", given, (THREADS,), ("n >= 1", "n <= 12", "gridDim.x == 1"))

    def _all(self, part: str) -> str:
        return " ".join(_own(getattr(one, part), k) for k, one in enumerate(self.pieces))

    def _stores(self, place: str) -> str:
        """What each piece shows, as an element of its array that is written."""
        return " ".join(
            _own(one.shown, k) + f" mad.wide.s32 %d{place}{k}, %v{k}, 4, %{place}{k};"
            f" st.global.u32 [%d{place}{k}+{2 * SIZE}], %v{k};"
            for k, one in enumerate(self.pieces)
        )


def _own(text: str, number: int) -> str:
    """PTX of a piece with its registers its own."""
    return re.sub(r"%([abclmpqfvxz])\b", rf"%\g<1>{number}", text)


def _registers(k: int) -> str:
    long, integers = f".reg .b64 %l{k}, %m{k};", f".reg .b32 %a{k}, %b{k}, %c{k}, %v{k};"
    return f"{long} {integers} .reg .pred %p{k}, %q{k}; .reg .f32 %f{k};"


def _traced() -> tuple[Traced, ...]:
    """Each course with pieces in turn."""
    number = len(PIECES)
    return tuple(
        Traced(course, tuple(PIECES[(at * TOGETHER + k) % number] for k in range(TOGETHER)))
        for at, course in enumerate(COURSES)
    )


TRACED = _traced()


def wrong_about(loop: Traced) -> list[str]:
    """What is not understood as it must be, in sentences."""
    program = simulator.RawModule(code=loop.source).program
    linked = link(program, program.functions["loop"])
    effort = Effort(EFFORT)
    shape = Shape((THREADS, 1, 1))
    graph = LoopGraph(linked.function)
    thread = explored(graph, variables_of(program, linked), loop.rule, shape, effort)
    return [said for n, who in LAUNCHES for said in _about_launch(loop, thread, n, who, effort)]


def _about_launch(
    loop: Traced, thread: SymbolicThread, n: int, who: int, effort: Effort
) -> list[str]:
    touched, found = _touched(loop, n, who), []
    for name in loop.arrays:
        piece, places = loop.pieces[int(name[1:])], touched.get(name, [])
        asked = Asked(thread, name, n, who, effort)
        here = f"{piece.name} in {name} of thread {who} where n = {n}"
        some = (*places[:1], *places[1:][-MOST + 1 :])
        found += [f"{here} may not be {one}" for one in some if not asked.may_be(one)]
        known = name[0] in piece.exact if places else name[0] not in loop.course.open
        if known and asked.may_be_none_of(places):
            found.append(f"{here} may be something else than {places}")
    return found


def _touched(loop: Traced, n: int, who: int) -> dict[str, list[int]]:
    """The places of each array that a thread writes, in bytes; arrays that it leaves are not in
    it."""
    given = [np.zeros(SIZE, np.float32) for _ in loop.arrays]
    kernel = simulator.RawModule(code=loop.source).get_function("loop")
    with simulator.options(checks=False), simulator.observe(1) as run:
        kernel((1,), (THREADS,), (*given, np.int32(n)))
    found: dict[str, list[int]] = {}
    for event in run.trace.touched:
        if event.kind == "store" and who in event.threads:
            at = event.threads.tolist().index(who)
            found.setdefault(loop.arrays[event.buffer], []).append(int(event.address[at]))
    return {name: list(dict.fromkeys(places)) for name, places in found.items()}


@dataclass(frozen=True)
class Asked:
    """What the analysis allows a thread to write in an array."""

    thread: SymbolicThread
    array: str
    n: int
    who: int
    effort: Effort

    def may_be(self, place: int) -> bool:
        return self._may(lambda at: at == place)

    def may_be_none_of(self, places: list[int]) -> bool:
        return self._may(lambda at: z3.And([at != one for one in places]))

    def _may(self, where: Callable[[z3.ArithRef], z3.BoolRef]) -> bool:
        setting = self.thread.setting
        known = [(setting.special["%tid.x"], self.who), (setting.numbers["n"], self.n)]
        known.append((setting.numbers["gridDim.x"], 1))
        ways = [
            z3.And([*one.path, where(term(one.pointer.offset))])
            for one in self.thread.accesses
            if one.pointer.array == self.array and one.verb == "writes"
        ]
        scene = Solver(self.thread.on.atoms)
        values = {min(one.atoms): number for one, number in known}
        return scene.ask([z3.Or(ways)], self.effort, values) is not None
