"""Loops that the analysis must understand, and what threads do in them beside what it says they do.

Every access that a launch makes on the simulated GPU is asked of the analysis: may this thread, in
this block, touch these bytes on this line? What happens may not be excluded.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import z3

from grader import compilers
from grader.course import Rule
from grader.cuda import simulator
from grader.proofs.atoms import term
from grader.proofs.launches import Effort, Trial
from grader.proofs.loops import LoopGraph
from grader.proofs.search import examined, explored, variables_of
from grader.proofs.solver import Solver
from grader.proofs.thread import SymbolicThread
from grader.proofs.values import Shape
from grader.ptx.link import link

EFFORT = 10_000_000
MOST = 12  # accesses of a launch that are asked about, one thread of each


@dataclass(frozen=True)
class Loop:
    """A kernel over `float* x, int n`; `faults`: all that may happen, for all the analysis knows,
    in the order of the alphabet; `with_clang`: the same where its code tells more or less."""

    name: str
    body: str
    length: str = "n"
    grid: str = "gridDim.x >= 1"
    faults: str = ""
    with_clang: str | None = None

    @property
    def expected(self) -> str:
        if compilers.chosen_name() == "clang" and self.with_clang is not None:
            return self.with_clang
        return self.faults

    @property
    def source(self) -> str:
        return f'extern "C" __global__ void loop(float* x, int n) {{\n{self.body}\n}}'

    @property
    def rule(self) -> Rule:
        given = (f"float x[{self.length}]", "int n")
        return Rule("loop", "loop", given, (64,), ("n >= 1", self.grid))


OWN = "blockIdx.x * blockDim.x + threadIdx.x"
EVERY = "gridDim.x * blockDim.x"
TILES = """__shared__ float t[64];
for (int from = 0; from < n; from += 64) {{
    t[threadIdx.x] = from;
    {first}
    if (from + threadIdx.x < n) x[from + threadIdx.x] = t[63 - threadIdx.x];
    {second}
}}"""
BARRIER = "__syncthreads();"
ROWS = """for (int r = blockIdx.x; r < n; r += gridDim.x)
    for (int c = threadIdx.x; c < {columns}; c += blockDim.x) x[r * 100 + c] = 1;"""
ALONE = "gridDim.x == 1"
WARPS = """__shared__ float t[64];
int lane = threadIdx.x % 32, begin = threadIdx.x - lane;
for (int k = 0; k < n; k++) {{
    t[threadIdx.x] = k;
    __syncwarp();
    x[blockIdx.x * 64 + threadIdx.x] = t[begin + 31 - lane];
    {again}
}}"""
FIRST = "if (threadIdx.x || blockIdx.x) return;\n"
WALK = "for (int k = threadIdx.x; k < n; k += 64)\nx[k] = 1;"
BEHIND = "\n__syncthreads();\nx[n + threadIdx.x] = 2;"
ROWS_BY_TURNS = """#pragma unroll 1
for (int k = 0; k < n; k++) {{
    x[k * 64 + threadIdx.x] = k;
    __syncthreads();
    if (k) x[n * 64 + 64 + threadIdx.x] = x[({other}) * 64 + 63 - threadIdx.x];
}}"""
LOOPS = (
    Loop("grid-stride", f"for (int i = {OWN}; i < n; i += {EVERY}) x[i] = 1;"),
    Loop(
        "one too far", f"for (int i = {OWN}; i <= n; i += {EVERY}) x[i] = 1;", faults="bounds race"
    ),
    Loop(
        "too short a step", f"for (int i = {OWN}; i < n; i += blockDim.x) x[i] = i;", faults="race"
    ),
    Loop(
        "row",
        "for (int i = threadIdx.x; i < n; i += blockDim.x)\nx[blockIdx.x * n + i] = 1;",
        "gridDim.x * n",
    ),
    Loop(
        "down", "for (int i = n - 1 - threadIdx.x; i >= 0; i -= blockDim.x) x[i] = 1;", grid=ALONE
    ),
    Loop(
        "down too far",
        "for (int i = n - 1 - threadIdx.x; i >= -1; i -= blockDim.x) x[i] = 1;",
        grid=ALONE,
        faults="bounds",
    ),
    Loop("tiles", TILES.format(first=BARRIER, second=BARRIER), grid=ALONE),
    Loop("tiles, one barrier", TILES.format(first=BARRIER, second=""), grid=ALONE, faults="race"),
    Loop("tiles, the other", TILES.format(first="", second=BARRIER), grid=ALONE, faults="race"),
    Loop("rows of 100", ROWS.format(columns=100), "100 * n"),
    Loop("rows of 100, and one more", ROWS.format(columns=101), "100 * n", faults="bounds race"),
    Loop(
        "unrolled",
        "float s = 0;\n#pragma unroll 4\nfor (int k = 0; k < n; k++)\n    s += x[k];\n"
        "x[n + threadIdx.x] = s;",
        "n + 64",
        ALONE,
    ),
    Loop(
        "where it ended",
        "int i = threadIdx.x;\nif (i >= n) return;\nwhile (i + 64 < n) i += 64;\nx[i] = 1;",
        grid=ALONE,
    ),
    Loop(
        "behind where it ended",
        "int i = threadIdx.x;\nif (i >= n) return;\nwhile (i < n) i += 64;\nx[i] = 1;",
        grid=ALONE,
        faults="bounds",
    ),
    Loop(
        "pointers",
        "for (float* p = x + threadIdx.x; p < x + n; p += 64) *p = 1;",
        grid=ALONE,
    ),
    Loop("warps", WARPS.format(again="__syncwarp();"), "64 * gridDim.x"),
    Loop("warps, no second", WARPS.format(again=""), "64 * gridDim.x", faults="race"),
    Loop(
        "uneven",
        f"int i = {OWN}, step = 1;\n"
        "while (i < n) {\n    x[i] = 1;\n    i += step;\n    step = 3 - step;\n}",
        grid="gridDim.x * 64 == n",
        faults="bounds race",
    ),
    Loop("a barrier behind it", WALK + BEHIND, "2 * n + 64", ALONE),
    Loop(
        "a barrier behind what some leave for good",
        WALK.replace("x[k] = 1", "if (x[k] < 0) return; else x[k] = 1") + BEHIND,
        "2 * n + 64",
        ALONE,
        "barrier",
    ),
    Loop(
        "where it was found",
        "if (threadIdx.x) return;\nint k = 0;\nfor (; k < n; k++)\nif (x[k] == 0) goto found;\n"
        "return;\nfound:\nx[k] = 1;",
        grid=ALONE,
    ),
    Loop(
        "where it was not found",
        "if (threadIdx.x) return;\nint k = 0;\nfor (; k < n; k++)\nif (x[k] == 0) goto found;\n"
        "x[k] = 1;\nfound:\nx[0] = 1;",
        grid=ALONE,
        faults="alignment bounds",
        with_clang="bounds",  # it writes to x[k], where NVRTC writes to where it has read
    ),
    Loop(
        "by turns",
        f"bool first = true;\n#pragma unroll 1\nfor (int i = {OWN}; i < n; i += {EVERY}) {{\n"
        "if (first)\nx[i] = 1;\nelse\nx[n + i] = 2;\nfirst = x[i] < 3 && !first;\n}",
        "2 * n",
    ),
    Loop(
        "arrays that change places",
        "__shared__ float t[64];\nfloat *a = x, *b = t;\n#pragma unroll 1\n"
        "for (int k = 0; k < n; k++) {\na[threadIdx.x] = k;\nfloat* c = a;\na = b;\nb = c;\n}",
        "n + 64",
        ALONE,
        "alignment bounds race",
    ),
    Loop(
        "a pointer that leaps",
        "float* p = x + threadIdx.x;\n#pragma unroll 1\nfor (int k = 0; k < n; k++) {\n"
        "*p = k;\np += k;\n}",
        "n + 64",
        ALONE,
        "alignment bounds race",
    ),
    Loop(
        "twice as far",
        "#pragma unroll 1\nfor (long long i = threadIdx.x; i < n; i = 2 * i + 64)\nx[i] = 1;",
        grid=ALONE,
        faults="bounds race",  # two ways may lead to a place, for all the analysis knows
    ),
    Loop(
        "alone twice as far",
        "if (threadIdx.x) return;\n#pragma unroll 1\n"
        "for (int i = 0; i < n; i = 2 * i + 1)\nx[i] = 1;",
        grid=ALONE,
        faults="bounds",  # of how far it has come nothing is known, not even its sign
    ),
    Loop(
        "a long way",
        "if (threadIdx.x) return;\nlong long i = n;\n#pragma unroll 1\n"
        "while (i % 3) i = 5 * i + 1;\nif (i > 4000000000LL) x[n] = 1;",
        grid=ALONE,
        faults="bounds",
    ),
    Loop(
        "a way that wraps",
        "if (threadIdx.x) return;\nunsigned i = n;\n#pragma unroll 1\n"
        "while (i % 3) i = 5 * i + 1;\nif (i > 3000000000u) x[n] = 1;",
        grid=ALONE,
        faults="bounds",
    ),
    Loop(
        "down by threes, unless it passes 0",
        FIRST + "#pragma unroll 1\nfor (int i = n * 3; i != 0; i -= 3)\nx[i / 3 - 1] = 1;",
        grid="n <= 1000",
    ),
    Loop(
        "down by twos, past 0",
        FIRST + "#pragma unroll 1\nfor (int i = n * 3; i != 0; i -= 2)\nx[i / 3 - 1] = 1;",
        grid="n <= 1000",
        faults="bounds",
    ),
    Loop(
        "rows of tiles",
        "__shared__ float t[64];\nfor (int r = blockIdx.x; r < n; r += gridDim.x) {\n"
        "t[threadIdx.x] = r;\n__syncthreads();\nfor (int k = 0; k < n; k++)\n"
        "x[r * 64 + threadIdx.x] += t[63 - threadIdx.x];\n__syncthreads();\n}",
        "64 * n",
    ),
    Loop(
        "rows of tiles, one barrier",
        "__shared__ float t[64];\nfor (int r = blockIdx.x; r < n; r += gridDim.x) {\n"
        "t[threadIdx.x] = r;\n__syncthreads();\nfor (int k = 0; k < n; k++)\n"
        "x[r * 64 + threadIdx.x] += t[63 - threadIdx.x];\n}",
        "64 * n",
        faults="race",
    ),
    Loop(
        "two deep, a barrier in one",
        "__shared__ float t[64];\n#pragma unroll 1\nfor (int r = 0; r < n; r++) {\n"
        "t[threadIdx.x] = r;\n#pragma unroll 1\nfor (int k = 0; k < n; k++) {\n__syncthreads();\n"
        "x[threadIdx.x] = t[63 - threadIdx.x];\n}\n}",
        "64",
        ALONE,
        "race",
    ),
    Loop(
        "the tile before",
        "__shared__ float t[64];\nt[threadIdx.x] = 0;\n#pragma unroll 1\n"
        "for (int k = 0; k < n; k++) {\n__syncthreads();\nfloat v = t[63 - threadIdx.x];\n"
        "__syncthreads();\nt[threadIdx.x] = v + k;\n}\nx[threadIdx.x] = t[threadIdx.x];",
        "64",
        ALONE,
    ),
    Loop(
        "the tile before, too early",
        "__shared__ float t[64];\nt[threadIdx.x] = 0;\n#pragma unroll 1\n"
        "for (int k = 0; k < n; k++) {\n__syncthreads();\nfloat v = t[63 - threadIdx.x];\n"
        "t[threadIdx.x] = v + k;\n}\nx[threadIdx.x] = t[threadIdx.x];",
        "64",
        ALONE,
        "race",
    ),
    Loop(
        "what is read behind it",
        "__shared__ float t[64];\n#pragma unroll 1\nfor (int k = 0; k < n; k++) {\n"
        "__syncthreads();\nt[threadIdx.x] = k;\n}\nx[threadIdx.x] = t[63 - threadIdx.x];",
        "64",
        ALONE,
        "race",
    ),
    Loop(
        "no end known",
        "if (threadIdx.x) return;\n#pragma unroll 1\nwhile (true) {\nx[0] += 1;\n"
        "if (x[0] > 9) break;\nx[n - 1] += 1;\n}",
        grid=ALONE,
    ),
    Loop(
        "as often as an inner one went round the time before",
        FIRST + "int j = 0, k;\n#pragma unroll 1\ndo {\nk = 0;\n#pragma unroll 1\n"
        "while (k < n && x[n + k] > j) k++;\nx[j] = 1;\nj++;\n} while (j < k);",
        "2 * n",
    ),
    Loop(
        "each in its own round",
        "#pragma unroll 1\nfor (int k = 0; k < n; k++)\nx[k + threadIdx.x] = k;",
        "n + 64",
        ALONE,
        "race",
    ),
    Loop(
        "steps of its own before a barrier",
        'asm volatile("{ .reg .pred %%p; .reg .b32 %%i, %%t; mov.u32 %%t, %%tid.x;'
        " add.s32 %%t, %%t, 1; mov.s32 %%i, 0; AGAIN: setp.ge.s32 %%p, %%i, %0; @%%p bra DONE;"
        ' bar.sync 0; add.s32 %%i, %%i, %%t; bra AGAIN; DONE: }" :: "r"(n));',
        "64",
        ALONE,
        "barrier",
    ),
    Loop(
        "starts of its own before a barrier",
        'asm volatile("{ .reg .pred %%p; .reg .b32 %%i; mov.u32 %%i, %%tid.x;'
        " AGAIN: setp.ge.s32 %%p, %%i, %0; @%%p bra DONE;"
        ' bar.sync 0; add.s32 %%i, %%i, 64; bra AGAIN; DONE: }" :: "r"(n));',
        "64",
        ALONE,
        "barrier",
    ),
    Loop(
        "two tiles by turns",
        "__shared__ float t[128];\n#pragma unroll 1\nfor (int k = 0; k < n; k++) {\n"
        "float* mine = t + (k & 1) * 64;\nmine[threadIdx.x] = k;\n__syncthreads();\n"
        "x[threadIdx.x] = mine[63 - threadIdx.x];\n}",
        "64",
        ALONE,
    ),
    Loop(
        "one tile by turns",
        "__shared__ float t[128];\n#pragma unroll 1\nfor (int k = 0; k < n; k++) {\n"
        "float* mine = t + (k & 0) * 64;\nmine[threadIdx.x] = k;\n__syncthreads();\n"
        "x[threadIdx.x] = mine[63 - threadIdx.x];\n}",
        "64",
        ALONE,
        "race",
    ),
    Loop(
        "the row before",
        ROWS_BY_TURNS.format(other="k - 1"),
        "64 * n + 128",
        ALONE,
    ),
    Loop(
        "the row that is next",
        ROWS_BY_TURNS.format(other="k + 1"),
        "64 * n + 128",
        ALONE,
        "race",
    ),
    Loop(
        "a barrier that not all reach",
        "for (int i = threadIdx.x; i < n; i += 64) {\n    x[i] = 1;\n    __syncthreads();\n}",
        grid=ALONE,
        faults="barrier",
    ),
)


def said(loop: Loop) -> str:
    """The faults that may happen, in the order of the alphabet."""
    program = simulator.RawModule(code=loop.source).program
    linked = link(program, program.functions["loop"])
    doubts = examined(program, linked, loop.rule, Effort(EFFORT))
    return " ".join(sorted({one.question.fault for one in doubts}))


def excluded(loop: Loop, n: int, blocks: int) -> list[str]:
    """What happens in a launch and is said not to."""
    trial = Trial(loop.rule, (blocks, 1, 1), (64, 1, 1), {"n": n})
    kernel = simulator.RawModule(code=loop.source).get_function("loop")
    with simulator.options(checks=False), simulator.observe(blocks) as run:
        kernel(trial.grid, trial.block, tuple(trial.arguments().values()))
    program = simulator.RawModule(code=loop.source).program
    linked = link(program, program.functions["loop"])
    shape = Shape((64, 1, 1))
    effort = Effort(10 * EFFORT)
    graph = LoopGraph(linked.function)
    thread = explored(graph, variables_of(program, linked), loop.rule, shape, effort)
    rng, found, touched = np.random.default_rng(n), [], run.trace.touched
    for number in rng.choice(len(touched), min(MOST, len(touched)), replace=False):
        event = touched[number]
        at = int(rng.integers(len(event.threads)))
        place = event.line, int(event.address[at])
        if not _may(thread, trial, (event.block, int(event.threads[at])), place, effort):
            found.append(f"thread {event.threads[at]} of block {event.block} at {place}")
    return found


def _may(
    thread: SymbolicThread,
    trial: Trial,
    who: tuple[int, int],
    place: tuple[int, int],
    effort: Effort,
) -> bool:
    special, numbers = thread.setting.special, thread.setting.numbers
    known = [(special["%ctaid.x"], who[0]), (special["%tid.x"], who[1])]
    known += [(numbers["n"], trial.numbers["n"]), (numbers["gridDim.x"], trial.grid[0])]
    values = {min(one.atoms): number for one, number in known if one.atoms}
    given = [term(one) == number for one, number in known]
    line, address = place
    ways = [
        z3.And([*one.path, term(one.pointer.offset) == address])
        for one in thread.accesses
        if thread.code.instructions[one.at].line == line and one.pointer.array == "x"
    ]
    return Solver(thread.on.atoms).ask([*given, z3.Or(ways)], effort, values) is not None


def wrong_about(loop: Loop) -> list[str]:
    """What is not as it must be, in sentences: a right loop is proved and no access excluded."""
    if (faults := said(loop)) != loop.expected:
        return [f"{loop.name} has the faults {faults!r}"]
    blocks = 3 if loop.grid == "gridDim.x >= 1" else 1
    return excluded(loop, 200, blocks) if not loop.faults else []
