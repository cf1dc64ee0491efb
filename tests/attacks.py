"""Submissions that try to get what they did not earn, each with the points an honest reader gives.

The exercise `add` has 4 points, 1 of them for a hidden case; `scale` is always answered right.
"""

from pathlib import Path

import nbformat
from small_class import cell_of
from small_lesson import SOLUTION, instead

from grader import course

ADD = "    if (i < n) total[i] = x[i] + y[i];"
KERNEL = 'extern "C" __global__ void add(const float* x, const float* y, float* total, int n) {\n'
INDEX = "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"


def kernel(body: str, before: str = "") -> str:
    return f"{before}\n{KERNEL}{INDEX}{body}\n}}\n"


def steal(directive: str) -> str:
    """A file that, were it read, would hold the whole answer; nothing else is handed in."""
    return directive.replace("FILE", str(STOLEN)) + "\n"


MARK = Path("/tmp/warpwise-executed")  # where there is this file, something was executed
STOLEN = course.KERNELS / "02_tree_reduction" / "2_interleaved.cu"  # there is such a file
UP = "../" * 30 + str(STOLEN).lstrip("/")

INCLUDES = {
    "plain": '#include "FILE"',
    "by_macro": '#define WHERE "FILE"\n#include WHERE',
    "by_splice": '#inc\\\nlude "FILE"',
    "by_digraph": '%:include "FILE"',
    "by_comments": '/* */ # /* */ include /* */ "FILE"',
    "by_next": '#include_next "FILE"',
    "by_angle": f"#include <{UP}>",
    "by_embed": '__device__ const char text[] = {\n#embed "FILE"\n};',
    "by_import": '#import "FILE"',
    "of_the_environment": '#include "/proc/self/environ"',
    "of_passwords": '#include "/etc/passwd"',
    "of_a_secret": '#include "../../secret"',
}
PEEK = """\
#define JOIN(a, b) a##b
#if JOIN(__has_, include)("/etc/passwd")
#define ANSWER x[i] + y[i]
#else
#define ANSWER 0
#endif
"""
ENDLESS_CONSTEXPR = """\
__device__ constexpr int spin(int n) {
    while (true) n ^= 1;
    return n;
}
"""
DEEP_TEMPLATE = """\
template <int N, int M>
struct Tower {
    static const int height = Tower<N - 1, M>::height + Tower<N - 1, M + N>::height;
};
__device__ int tall = Tower<1000000, 0>::height;
"""
RECURSION = "__device__ float deeper(float x) { return x + deeper(x + 1) + deeper(x - 1); }\n"
MUCH_SHARED = """\
    __shared__ float s[1 << 20];
    s[i] = x[i % n];
    __syncthreads();
    if (i < n) total[i] = s[n - 1 - i] + y[i];"""
COUNTED = "__device__ int calls;\n"
LONG_NAME = "a" * 20_000
SPIN = """\
__device__ __noinline__ float spin(float a) {
    while (a != -1e30f) a = a * 0.5f + 1.0f;
    return a;
}
"""
BARRIER = """\
    __shared__ float s[64];
    int k = 0;
    while (k >= 0) {
        s[threadIdx.x] = x[i % n];
        __syncthreads();
        if (s[0] == -1e30f) k = -1;
        __syncthreads();
    }
    total[i % n] = s[0];"""
UNROLLED = """\
    float a[20000];
#pragma unroll
    for (int k = 0; k < 20000; k++) a[k] = x[(k * k + i) % n];
    float s = 0;
#pragma unroll
    for (int k = 0; k < 20000; k++) s += a[19999 - k] * a[k];
    total[i] = s;"""
HAZARDS = """\
    __shared__ float s[64];
    s[threadIdx.x] = 0;
    for (int k = 0; k < 200; k++) s[(threadIdx.x * 7 + k) % 64] = s[(k * 3 + threadIdx.x) % 64];
    if (i < n) total[i] = s[0];"""
LOCAL = """\
    float big[1 << 26];
    for (int k = 0; k < n; k++) big[(k * i) % 100000] = k;
    total[i % n] = big[n];"""

# Submissions that take time or memory: what is handed in, its status, and the line that is named.
BOMBS = {
    "loop_with_a_barrier": (kernel(BARRIER), "timeout", 6),
    "loop_in_a_helper": (kernel("    total[i % n] = spin(x[i % n]);", SPIN), "timeout", 2),
    "loop_on_a_lock": (
        kernel("    while (atomicCAS(&lock, 1, 2) != 1) {}", "__device__ int lock;"),
        "timeout",
        4,
    ),
    "loop_of_atomics": (
        kernel("    while (true) atomicAdd(&lock, 1);", "__device__ int lock;"),
        "timeout",
        4,
    ),
    "endless_printf": (kernel('    while (true) printf("%d", i);'), "timeout", 4),
    "endless_malloc": (kernel("    while (true) { if (malloc(16) == x) break; }"), "timeout", 4),
    "a_large_malloc": (
        kernel("    float* p = (float*)malloc(1 << 20);\n    p[0] = 1;\n" + ADD),
        "out_of_bounds",
        5,
    ),
    "a_billion_registers": (
        kernel('    asm volatile("{ .reg .b32 r<1000000000>; }");\n' + ADD),
        "unsupported",
        None,
    ),
    "large_local_arrays": (kernel(LOCAL), "launch_error", None),
    "large_shared_arrays": (
        kernel('    asm volatile("{ .shared .b8 q[4000000000]; }");\n' + ADD),
        "launch_error",
        None,
    ),
    "much_to_unroll": (kernel(UNROLLED), "timeout", None),
    "many_hazards": (kernel(HAZARDS), "data_race", 6),
    "one_long_line": (
        kernel(f"    if (i < n) total[i] = {LONG_NAME} + {LONG_NAME} + {LONG_NAME};"),
        "compile_error",
        4,
    ),
    "many_errors": (kernel("    total[i] = nothing;\n" * 4000), "compile_error", 4),
}

# learner: what is handed in for `add`, and the points it must get
KERNELS = {
    **{f"include_{name}": (steal(text), 0) for name, text in INCLUDES.items()},
    "peeks_for_a_file": (kernel("    if (i < n) total[i] = ANSWER;", PEEK), 0),
    "endless_loop": (kernel("    while (true) {}"), 0),
    "endless_constexpr": (
        kernel(
            "    constexpr int spun = spin(1);\n" + ADD.replace("y[i]", "spun"), ENDLESS_CONSTEXPR
        ),
        0,
    ),
    "deep_template": (kernel(ADD, DEEP_TEMPLATE), 0),
    "endless_recursion": (kernel("    if (i < n) total[i] = deeper(x[i]);", RECURSION), 0),
    "ten_gigabytes": (kernel(ADD + "\n    big[i] = 1;", "__device__ char big[10ll << 30];"), 0),
    "much_shared": (kernel(MUCH_SHARED), 0),
    "long_source": (SOLUTION + "// padding\n" * 20_000, 0),
    "slow_to_colour": (SOLUTION + 'R"(' * 30_000, 0),
    "trap": (kernel('    asm("trap;");'), 0),
    "assertion": (kernel("    assert(n < 0);\n" + ADD, "#include <assert.h>"), 0),
    "bad_assembly": (kernel('    asm("nonsense.f32 %f0;");\n' + ADD), 0),
    "assembly_include": (kernel('    asm(".include \\"/etc/passwd\\"");\n' + ADD), 0),
    "stray_pointer": (kernel("    total -= 1 << 30;\n    total[i] = 1;"), 0),
    "zeros": (kernel("    if (i < n) total[i] = 0;"), 0),
    "first_warp_alone": (kernel("    if (i < 32) total[i] = x[i] + y[i];"), 0),
    "nothing_written": (kernel("    float sum = i < n ? x[i] + y[i] : 0; (void)sum;"), 0),
    "input_changed": (
        kernel("    if (i < n) { ((float*)x)[i] += y[i]; total[i] = x[i]; }"),
        0,
    ),
    "length_known": (kernel("    if (i < 128) total[i] = x[i] + y[i];"), 3),
    "length_told_apart": (kernel("    if (i < n) total[i] = n == 128 ? x[i] + y[i] : x[i];"), 3),
    "calls_told_apart": (
        kernel(
            "    if (i == 0) calls += 1;\n    if (i < n) total[i] = calls > 1 ? 0 : x[i] + y[i];",
            COUNTED,
        ),
        0,
    ),
    "printf_flood": (kernel('    for (int k = 0; k < 1000; k++) printf("%d", k);\n' + ADD), 4),
    "forged_answer": (
        kernel('    printf("{\\"status\\": \\"ran\\"}");\n' + ADD.replace("+", "-")),
        0,
    ),
    **{name: (source, 0) for name, (source, _, _) in BOMBS.items()},
    "honest": (SOLUTION, 4),
    "honest_but_unguarded": (instead("    total[i] = x[i] + y[i];"), 3),
}

PYTHON = {
    "patches_a_helper": "import grader.notebook as n\nn.check = lambda name: 4.0",
    "rewrites_input": "get_ipython().input_transformers_cleanup.append(lambda lines: ['4.0'])",
    "reads_the_solution": "code = open('../../../source/./01_add/01_add.ipynb').read()\nexec(code)",
    "opens_the_gradebook": (
        "import sqlite3\nsqlite3.connect('../../../gradebook.db').execute('drop table grade')"
    ),
    "forks": "import os\nwhile True: os.fork()",
    "leaves": "import os\nos._exit(0)",
    "crashes": "import ctypes\nctypes.string_at(0)",
    "cannot_be_interrupted": "import signal\nsignal.signal(2, signal.SIG_IGN)\nwhile True: pass",
}
FORGED = ("nan", "-1", "True", "np.float64(4.0)", "'4'", "(4, 4)", "1e9", "inf", "4.0")


def with_python(code: str):
    """A notebook whose first cell runs `code`, and leaves a mark where it has run."""

    def damage(notebook):
        mark = f"open({str(MARK)!r}, 'w').close()\n"
        notebook.cells.insert(0, nbformat.v4.new_code_cell(mark + code))

    return damage


def with_output(text: str):
    """A notebook whose check cells claim `text` for their value, and a thousand points."""

    def damage(notebook):
        check = cell_of(notebook, "check-add")
        check.source = text
        check.metadata.nbgrader["points"] = 1000
        data = {"text/plain": text}
        check.outputs = [nbformat.v4.new_output("execute_result", data=data)]

    return damage


def swap_names(notebook):
    """The right answer to one exercise under the name of the other."""
    one, other = cell_of(notebook, "add"), cell_of(notebook, "scale")
    one.metadata.nbgrader.grade_id, other.metadata.nbgrader.grade_id = "scale", "add"


def ten_thousand_cells(notebook):
    extra = nbformat.v4.new_markdown_cell("nothing")
    notebook.cells += [nbformat.from_dict({**extra, "id": f"extra-{n}"}) for n in range(10_000)]


def many_megabytes(notebook):
    notebook.cells.append(nbformat.v4.new_markdown_cell("x" * 20_000_000))


def slow_to_show(*sources):
    """Cells that take whatever colours code, or reads Markdown, minutes or hours each."""

    def damage(notebook):
        made = (nbformat.v4.new_code_cell, nbformat.v4.new_markdown_cell)
        notebook.cells += [new(source) for source in sources for new in made]

    return damage


# learner: what is done to a notebook without an answer to `add`, and its points for `add`
NOTEBOOKS = {
    **{name: (with_python(code), 0) for name, code in PYTHON.items()},
    **{f"forged_{n}": (with_output(text), 0) for n, text in enumerate(FORGED)},
    "swapped_names": (swap_names, 0),
    "ten_thousand_cells": (ten_thousand_cells, 0),
    "many_megabytes": (many_megabytes, 0),
    "slow_to_show": (slow_to_show("a*" * 500_000, "| a |\n|-|\n" * 50_000, "[" * 500_000), 0),
}
