"""Loops that the analysis must understand, and what threads do in them beside what it says they do.

Every access that a launch makes on the simulated GPU is asked of the analysis: may this thread, in
this block, touch these bytes on this line? What happens may not be excluded.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import z3

from grader.course import Rule
from grader.cuda import simulator
from grader.cuda.analysis.atoms import term
from grader.cuda.analysis.effort import Effort
from grader.cuda.analysis.loops import Graph
from grader.cuda.analysis.prove import examined, explored, variables_of
from grader.cuda.analysis.scenes import Scene
from grader.cuda.analysis.setting import Shape
from grader.cuda.analysis.thread import Thread
from grader.cuda.analysis.trial import Trial
from grader.cuda.simulator.program.linker import link

EFFORT = 10_000_000
MOST = 12  # accesses of a launch that are asked about, one thread of each


@dataclass(frozen=True)
class Loop:
    """A kernel over `float* x, int n`; `right`: no launch goes wrong."""

    name: str
    body: str
    length: str = "n"
    grid: str = "gridDim.x >= 1"
    right: bool = True

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
LOOPS = (
    Loop("grid-stride", f"for (int i = {OWN}; i < n; i += {EVERY}) x[i] = 1;"),
    Loop("one too far", f"for (int i = {OWN}; i <= n; i += {EVERY}) x[i] = 1;", right=False),
    Loop("too short a step", f"for (int i = {OWN}; i < n; i += blockDim.x) x[i] = i;", right=False),
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
        right=False,
    ),
    Loop("tiles", TILES.format(first=BARRIER, second=BARRIER), grid=ALONE),
    Loop("tiles, one barrier", TILES.format(first=BARRIER, second=""), grid=ALONE, right=False),
    Loop("tiles, the other", TILES.format(first="", second=BARRIER), grid=ALONE, right=False),
    Loop("rows of 100", ROWS.format(columns=100), "100 * n"),
    Loop("rows of 100, and one more", ROWS.format(columns=101), "100 * n", right=False),
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
        right=False,
    ),
    Loop(
        "pointers",
        "for (float* p = x + threadIdx.x; p < x + n; p += 64) *p = 1;",
        grid=ALONE,
    ),
    Loop("warps", WARPS.format(again="__syncwarp();"), "64 * gridDim.x"),
    Loop("warps, no second", WARPS.format(again=""), "64 * gridDim.x", right=False),
    Loop(
        "uneven",
        f"int i = {OWN}, step = 1;\n"
        "while (i < n) {\n    x[i] = 1;\n    i += step;\n    step = 3 - step;\n}",
        grid="gridDim.x * 64 == n",
        right=False,
    ),
    Loop(
        "a barrier that not all reach",
        "for (int i = threadIdx.x; i < n; i += 64) {\n    x[i] = 1;\n    __syncthreads();\n}",
        grid=ALONE,
        right=False,
    ),
)


def said(loop: Loop) -> str:
    """ "proved", or that it is not."""
    program = simulator.RawModule(code=loop.source).program
    linked = link(program, program.functions["loop"])
    doubts = next(examined(program, linked, loop.rule, Effort(EFFORT)), None)
    return "not proved" if doubts else "proved"


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
    graph = Graph(linked.function)
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
    thread: Thread, trial: Trial, who: tuple[int, int], place: tuple[int, int], effort: Effort
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
    return Scene(thread.on.atoms).ask([*given, z3.Or(ways)], effort, values) is not None


def wrong_about(loop: Loop) -> list[str]:
    """What is not as it must be, in sentences: a right loop is proved and no access excluded."""
    if (said(loop) == "proved") != loop.right:
        return [f"{loop.name} is {said(loop)}"]
    blocks = 3 if loop.grid == "gridDim.x >= 1" else 1
    return excluded(loop, 200, blocks) if loop.right else []
