"""A newcomer's slip that does not compile: our advice stands beside the compiler's sentence."""

import re

import pytest

from grader import compilers, course
from grader.cuda import CompileError
from grader.judge import judge

KERNEL = """\
extern "C" __global__ void scale(const float* x, float* y, float a, int n) {
    __shared__ float tile[256];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        tile[threadIdx.x] = x[i];
        y[i] = a * tile[threadIdx.x];
    }
}
"""
GUARD = "    if (i < n) {"
SLIPS = [  # what stands there, what was written, what the advice says
    ("+ threadIdx.x", "+ threadIdx", "`threadIdx` has three parts: write `threadIdx.x`"),
    ("* blockDim.x", "* blockDim", "`blockDim` has three parts"),
    ("= x[i];", "= x[i]", "Line 5 has no `;` at its end"),
    (GUARD, "    __syncthreads()\n" + GUARD, "Line 4 has no `;` at its end"),
    (GUARD, "    __syncthreads()  // all of it\n\n" + GUARD, "Line 4 has no `;` at its end"),
    ("= x[i];", "= X[i];", "Do you mean `x`?"),
    ("const int i", "i", "C++ needs a type where a name is first used: `int i = ...`"),
    ("const int i", "let i", "C++ needs a type"),
    ("y[i] = a", "x[i] = a", "`x` is declared `const` on line 1"),
    ("= x[i];", "= x;", "`x` is a pointer to a whole array. One of its elements is `x[i]`"),
    ("y[i] = a", "y = a", "`y` is a pointer to a whole array. One of its elements is `y[i]`"),
    ("= x[i];", "= x(i);", "An element of an array is `x[i]`"),
    ("= x[i];", "= x.i;", "`x` is a pointer (line 1). One of its elements is `x[i]`"),
    ("float* y", "float y", "`y` is declared on line 1 as a single value"),
    ("tile[256];", "tile;", "`tile` is declared on line 2 as a single value"),
    ("a * tile", "numpy.sqrt(a) * tile", "Python's modules are not available"),
    ("a * tile", "a ** 2 * tile", "C++ has no `**`"),
    ("a * tile", "a ^ 2 * tile", "A power is `powf(a, b)`"),
    ("a * tile", "a % 2 * tile", "The remainder of two floats is `fmodf(a, b)`"),
    (GUARD, "    if i < n {", "the condition of `if` is in parentheses"),
    (GUARD, "    if (i < n):", "In C++ a block of statements is in braces"),
    (GUARD, "    for i in range(n) {", "`for (int i = 0; i < n; i++) {`"),
    (GUARD, "    # wait\n" + GUARD, "A comment begins with `//`"),
    (GUARD, '    print("i");\n' + GUARD, "printf"),
    (GUARD, "    std::cout << i;\n" + GUARD, "Print with `printf`"),
    (GUARD, "    a = __shfl_down(a, 1);\n" + GUARD, "Since CUDA 9 its name ends in `_sync`"),
    (GUARD, "    a = __shfl_down_sync(a, 1);\n" + GUARD, "is the mask of the lanes"),
    (
        GUARD,
        "    atomicAdd(y[0], a);\n" + GUARD,
        "The first argument of `atomicAdd` is an address: `&y[0]`",
    ),
    (GUARD, "    int i;\n" + GUARD, "A type before a name declares a new variable"),
    ("tile[256]", "tile[n]", "The compiler must know the length of an array"),
    ("tile[256];", "tile[256] = {0};", "Shared memory cannot have initial values"),
    ("__shared__", "shared", "`__shared__` is written with two underscores"),
    ("__global__", "global", "`__global__` is written with two underscores"),
    ("__global__ void", "__global__ float", "returns nothing"),
    ("x[i];", "reinterpret_cast<float4*>(x)[i].x;", "`const float4*`"),
    ("= x[i];", "= None;", "`nullptr`"),
    ("= x[i];", "= inf;", "`INFINITY`"),
    ("        y[i]", "        float e = 1; }\n    {\n        y[i] = e; y[i]", "declared on line 6"),
    (GUARD, "    for (int k = 0; k < n; k++);\n    a += k;\n" + GUARD, "line 4 ends at its `;`"),
    ("        y[i]", "        y[i] = e; float e = 1; y[i]", ""),  # on one line: nothing is said
]
ALONE = [  # what only one of them refuses, or helps with itself
    ("nvrtc", "threadIdx.x;", "threadidx.x;", "Do you mean `threadIdx`?"),
    ("nvrtc", "float a,", "floot a,", "Do you mean `float`?"),
    ("nvrtc", "= x[i];", "= True;", "In C++ it is `true`"),
    ("nvrtc", 'extern "C"', 'float f() { return 1; }\nextern "C"', "`__device__` in front of"),
    ("nvrtc", 'extern "C"', 'float f = 0;\nextern "C"', "outside of every kernel"),
    ("nvrtc", GUARD, "    return i;\n" + GUARD, "returns nothing"),
]
installed = pytest.mark.parametrize(
    "compiler", [name for name, one in compilers.COMPILERS.items() if one.available()]
)


def choose(compiler, monkeypatch):
    if not compilers.COMPILERS[compiler].available():
        pytest.skip(f"NO {compiler.upper()} HERE")
    monkeypatch.setenv(compilers.CHOICE, compiler)


def refused(compiler, before, after, monkeypatch) -> CompileError:
    choose(compiler, monkeypatch)
    assert before in KERNEL
    with pytest.raises(CompileError) as refusal:
        compilers.compile_ptx(KERNEL.replace(before, after, 1))
    return refusal.value


@installed
@pytest.mark.parametrize(("before", "after", "advice"), SLIPS, ids=[slip[1] for slip in SLIPS])
def test_a_newcomer_s_slip_is_answered_in_a_newcomer_s_words(
    compiler, before, after, advice, monkeypatch
):
    error = refused(compiler, before, after, monkeypatch)
    notes = error.diagnostics[0].notes
    assert advice in (notes[0].message if notes else "")
    assert bool(advice) == any(note.line is None for note in notes)


@pytest.mark.parametrize(("compiler", "before", "after", "advice"), ALONE)
def test_one_compiler_alone_needs_help_with_it(compiler, before, after, advice, monkeypatch):
    error = refused(compiler, before, after, monkeypatch)
    assert advice in error.diagnostics[0].notes[0].message


@pytest.mark.parametrize("words", ["hello", "def scale(x):\n    return x"])
def test_what_is_no_declaration_is_not_called_a_variable_too(words, monkeypatch):
    error = refused("nvrtc", "extern", words + "\nextern", monkeypatch)
    assert "namespace scope" not in str(error)


@installed
def test_where_the_compiler_proposes_a_name_no_other_is_proposed(compiler, monkeypatch):
    error = refused(compiler, "threadIdx.x;", "threadidx.x;", monkeypatch)
    assert str(error).count("mean") == 1


@installed
@pytest.mark.parametrize("wrong", ["= x[i]];", "= x[i;", "= z[i];"])
def test_what_cannot_be_told_for_sure_is_left_to_the_compiler(compiler, wrong, monkeypatch):
    error = refused(compiler, "= x[i];", wrong, monkeypatch)
    assert all(note.line for note in error.diagnostics[0].notes)


DOUBTED = [  # what stands there, what was written, the line of the doubt and what is said to it
    ("x[i];", "x[i, 0];", 5, r"`\[i, 0\]` means `\[0\]`"),
    ("y[i] = a", "y[i] == a", 6, "that nothing uses"),
    (
        GUARD,
        "    float s; s += x[i]; y[i] = s;\n" + GUARD,
        4,
        "before its value is set|is uninitialized",
    ),
    (GUARD, "    for (unsigned k = 9; k >= 0; k--) y[k] = 1;\n" + GUARD, 4, "never below 0"),
    (
        GUARD,
        "    if (2 ^ n) y[n ^ 2] = 1;  // 10 ^ n\n" + GUARD,
        4,
        "n` is an exclusive or in C",
    ),
    (
        GUARD,
        "    __shfl_down_sync(~0u,\n a, 1);\n    float s = a +\n    __shfl_down_sync(~0u, a, 1);\n"
        "    __shfl_down_sync(~0u, s, 1);\n" + GUARD,
        8,
        "The result of `__shfl_down_sync` is not used",
    ),
]


@installed
@pytest.mark.parametrize(("before", "after", "line", "said"), DOUBTED)
def test_what_compiles_and_is_doubtful_is_kept_with_the_program(
    compiler, before, after, line, said, monkeypatch, tmp_path, cache_home
):
    cache_home(tmp_path)
    monkeypatch.setenv(compilers.CHOICE, compiler)
    source = KERNEL.replace(before, after, 1)
    (doubt,) = compilers.compile_ptx(source).warnings
    assert doubt.line == line
    assert re.search(said, " ".join([doubt.message, *(note.message for note in doubt.notes)]))
    compilers._kept.cache_clear()
    assert compilers.compile_ptx(source).warnings == (doubt,)  # from the cache


def test_a_barrier_that_is_not_called_is_doubted_or_refused(monkeypatch):
    choose("nvrtc", monkeypatch)
    (doubt,) = compilers.compile_ptx(KERNEL.replace(GUARD, "__syncthreads;" + GUARD)).warnings
    assert "To call it write `__syncthreads();`" in doubt.notes[0].message


def test_a_wrong_answer_is_told_what_the_compiler_doubts():
    lesson = course.lesson("00_first_kernel")
    source = lesson.solution(lesson.exercise("saxpy"))
    verdict = judge("00_first_kernel/saxpy", source.replace("out[i] = a", "out[i] == a"))
    assert verdict.status == "wrong_answer"
    assert "`=`, `+=` and the like change `out[i]`" in verdict.message


def test_no_solution_of_the_course_is_doubtful():
    doubts = {
        exercise.id: compilers.compile_ptx(lesson.solution(exercise)).warnings
        for lesson in course.lessons()
        for exercise in lesson.exercises
        if exercise.cases  # no question
    }
    assert {name: said for name, said in doubts.items() if said} == {}
