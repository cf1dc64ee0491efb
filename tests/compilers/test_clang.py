"""clang, the second compiler: what it makes is what the source says, in NVRTC's form."""

import re
import zlib

import numpy as np
import pytest

from grader import compilers, course
from grader.compilers.clang.ptx import laid_out, like_nvrtc
from grader.compilers.compiler import Job
from grader.cuda import CompileError, OutOfBounds, UninitializedRead, simulator

clang = compilers.COMPILERS["clang"]
pytestmark = pytest.mark.skipif(not clang.available(), reason="the wheel ziglang is not installed")


OPEN = 'extern "C" __global__ void k(float* y) {\n'


@pytest.fixture
def by_clang(monkeypatch):
    monkeypatch.setenv(compilers.CHOICE, "clang")


# --- objects in shared memory -----------------------------------------------------------------

COUNTED = "struct P { float m; __device__ P() : m(1) {} __device__ ~P() { m = 2; } };\n"
# What NVRTC takes, though nobody constructs it: what stands before the kernel, and within.
UNCONSTRUCTED = {
    "one": (COUNTED, "__shared__ P s; if (t == 0) s.m = 7; __syncthreads(); y[t] = s.m;"),
    "an array and one": (
        COUNTED,
        "__shared__ P s[32],\n t0; s[t].m = t; if (t == 3) t0.m = 9;\n"
        "__syncthreads(); y[t] = s[31 - t].m + t0.m + sizeof(s);",
    ),
    "members with a value": (
        "struct P { float m = -1, d = 0; };\n",
        "static __shared__ P s[32]; s[t].d = t; __syncthreads(); y[t] = s[t ^ 1].d;",
    ),
    "aligned": (
        COUNTED,
        "__shared__ char c[3]; c[t % 3] = 1; alignas(128) __shared__ P s; P __shared__ u;\n"
        "__syncthreads(); y[t] = (unsigned long long)&s % 128 + c[t % 3] + sizeof(u);",
    ),
    "a template's": (
        "template <class T> struct P { T m; __device__ P() { m = 1; } };\n"
        "template <class T> __device__ float f(int t) {\n"
        "  __shared__ P<T> s[32]; s[t].m = t * 0.7f; __syncthreads(); return s[31 - t].m; }\n",
        "y[t] = f<float>(t) + f<int>(t);",
    ),
    "a complex number": (
        "#include <cuda/std/complex>\n",
        "__shared__ cuda::std::complex<float> s[32]; s[t] = {1.f * t, 2};\n"
        "__syncthreads(); y[t] = s[31 - t].real() * s[t].imag();",
    ),
    "a member's": (
        "#include <cuda/barrier>\n"
        "struct S { float x[32]; cuda::barrier<cuda::thread_scope_block> full; };\n",
        "__shared__ S s; if (t == 0) init(&s.full, blockDim.x); __syncthreads();\n"
        "s.x[t] = t; s.full.arrive_and_wait(); y[t] = s.x[31 - t];",
    ),
}


def kernel(head, body):
    return f'{head}extern "C" __global__ void k(float* y) {{\n  int t = threadIdx.x;\n{body}\n}}'


@pytest.mark.parametrize("case", UNCONSTRUCTED)
def test_an_object_in_shared_memory_is_left_as_the_launch_finds_it(case, by_clang):
    y = np.zeros(32, np.float32)
    simulator.RawModule(code=kernel(*UNCONSTRUCTED[case])).get_function("k")((1,), (32,), (y,))
    if not compilers.COMPILERS["nvrtc"].available():
        pytest.skip("NO NVRTC HERE to compare with")
    same = np.zeros(32, np.float32)
    with compilers.used("nvrtc"):
        module = simulator.RawModule(code=kernel(*UNCONSTRUCTED[case]))
    module.get_function("k")((1,), (32,), (same,))
    assert y.any() and np.array_equal(y, same)


@pytest.mark.parametrize("compiler", compilers.COMPILERS)
def test_what_nobody_constructed_is_named_where_it_is_read(compiler):
    if not compilers.COMPILERS[compiler].available():
        pytest.skip(f"{compiler} is not installed")
    code = kernel(COUNTED, "__shared__ P pairs[32];\n  y[t] = pairs[t].m;")
    with compilers.used(compiler), pytest.raises(UninitializedRead, match="pairs") as told:
        simulator.RawModule(code=code).get_function("k")((1,), (32,), (np.zeros(32, np.float32),))
    assert told.value.line == 5


SET_BY_SOME = """extern "C" __global__ void k(float* y, int n) {
  int t = threadIdx.x;
  TYPE v;
  for (int i = t; i < n; i += 32) v = i;
  y[t] = v;
}"""


@pytest.mark.parametrize("kind", ["short", "int", "unsigned", "long long", "float", "double"])
def test_a_scalar_that_some_threads_set_is_told_of_where_others_need_it(kind, by_clang):
    y, code = np.zeros(32, np.float32), SET_BY_SOME.replace("TYPE", kind)
    with pytest.raises(UninitializedRead) as told:
        simulator.RawModule(code=code).get_function("k")((1,), (32,), (y, np.int32(5)))
    assert told.value.line == 5 and told.value.thread[0] >= 5


def test_what_nobody_uses_takes_no_shared_memory():
    code = kernel(COUNTED, "__shared__ float unused[64]; y[t] = 1;")
    assert ".shared" not in clang.compile(Job(code)).text


@pytest.mark.parametrize("value", [" = P()", "{}", "(3.f)", "[2] = {}"])
@pytest.mark.parametrize("compiler", compilers.COMPILERS)
def test_a_variable_in_shared_memory_is_given_no_value(compiler, value):
    if not compilers.COMPILERS[compiler].available():
        pytest.skip(f"{compiler} is not installed")
    head = "struct P { float m; __device__ P(float a = 1) : m(a) {} };\n"
    with pytest.raises(CompileError) as refused:
        compilers.COMPILERS[compiler].compile(Job(kernel(head, f"__shared__ P s{value};")))
    assert refused.value.diagnostics[0].line == 4


@pytest.mark.parametrize("compiler", compilers.COMPILERS)
def test_what_no_function_declares_in_shared_memory_has_no_constructor(compiler):
    if not compilers.COMPILERS[compiler].available():
        pytest.skip(f"{compiler} is not installed")
    with pytest.raises(CompileError) as refused:
        compilers.COMPILERS[compiler].compile(
            Job(kernel(COUNTED + "__shared__ P s;\n", "y[t] = s.m;"))
        )
    assert refused.value.diagnostics[0].line == 2


# --- the order of blocks ----------------------------------------------------------------------

KERNELS = [path for lesson in course.lessons() for path in sorted(lesson.path.glob("*.cu"))]
LABEL = re.compile(r"(\$L__BB\w+):")
BRANCH = re.compile(r"(?:@(!?)(%\w+)\s+)?bra(?:\.uni)?\s+(\$L__BB\w+);")


def walk(body, seed, most=400):
    """The instructions that a lane comes to, with their `.loc` rows, if each predicate is decided
    by its name, how often it was asked, and the seed."""
    rows, labels, place, places = [], {}, "", []
    for line in body.splitlines():
        text = line.strip()
        if found := LABEL.match(text):
            labels[found[1]] = len(rows)
        elif text.startswith(".loc"):
            place = text
        elif text and not text.startswith(("//", ".", "$L__")):
            rows.append(text)
            places.append(place)
    at, asked, seen = 0, {}, []
    while at < len(rows) and len(seen) < most:
        text = rows[at]
        if branch := BRANCH.match(text):
            taken = True
            if branch[2]:
                asked[branch[2]] = asked.get(branch[2], 0) + 1
                drawn = zlib.crc32(f"{seed} {branch[2]} {asked[branch[2]]}".encode()) & 1
                taken = bool(drawn) != bool(branch[1])
            at = labels[branch[3]] if taken else at + 1
            continue
        seen.append((text, places[at]))
        if re.match(r"(ret|exit)\b", text):
            break
        at += 1
    return seen


def bodies(ptx):
    """What stands between a function's braces; those of inline assembly stand in the middle."""
    return re.findall(r"^\{\n(.*?(?:ret|exit);\n[^{}]*?)^\}$", ptx, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("path", KERNELS[::4], ids=lambda path: path.stem)
def test_blocks_in_another_order_do_the_same_on_every_way_through(path, monkeypatch):
    module = __import__("grader.compilers.clang", fromlist=["laid_out"])
    seen = []
    monkeypatch.setattr(module, "laid_out", lambda ptx: seen.append(ptx) or ptx)
    clang.compile(Job(path.read_text()))
    for before, after in zip(bodies(seen[0]), bodies(laid_out(seen[0])), strict=True):
        for seed in range(40):
            assert walk(before, seed) == walk(after, seed)


TWO_BRANCHES = """{
	mov.u32 	%r1, 0;
$L__BB0_2:
	add.s32 	%r1, %r1, 1;
	@%p2 bra 	$L__BB0_2;
// %bb.3:
	@%p8 bra 	$L__BB0_6;
$L__BB0_4:
	add.s32 	%r1, %r1, 2;
	bra.uni 	$L__BB0_2;
$L__BB0_6:
	ret;
}
"""


def test_a_brace_of_inline_assembly_ends_no_function():
    asm = "\t// begin inline asm\n\t{\n.reg .pred P;\n}\n\t// end inline asm\n"
    ptx = TWO_BRANCHES.replace("// %bb.3:\n", asm + "// %bb.3:\n")
    (body,) = bodies(ptx)
    assert body.endswith("ret;\n")
    assert "\t{\n.reg .pred P;\n}\n" in laid_out(ptx)


TREE = """extern "C" __global__ void tree(float* y) {
    __shared__ float tile[256];
    int t = threadIdx.x;
    tile[t] = y[t];
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) tile[t] += tile[t + half];
        __syncthreads();
    }
    if (t == 0) y[0] = tile[0];
}
"""


@pytest.mark.parametrize("compiler", compilers.COMPILERS)
def test_the_lanes_of_a_warp_meet_again_before_a_barrier(compiler):
    if not compilers.COMPILERS[compiler].available():
        pytest.skip(f"{compiler} is not installed")
    y = np.ones(256, np.float32)
    with compilers.used(compiler), simulator.observe() as run:
        simulator.RawModule(code=TREE).get_function("tree")((1,), (256,), (y,))
    assert y[0] == 256
    assert run.counters.total["barriers"] == 8 * (
        1 + 8
    )  # each warp once for the tile, and once a step


def test_two_branches_one_after_the_other_both_stay():
    (before,), (after,) = bodies(TWO_BRANCHES), bodies(laid_out(TWO_BRANCHES))
    for seed in range(60):
        assert walk(before, seed) == walk(after, seed)


def test_a_loop_stands_in_one_piece_before_what_follows_it():
    scattered = """{
	@%p1 bra 	$L__BB0_9;
	bra.uni 	$L__BB0_7;
$L__BB0_4:
	ret;
$L__BB0_9:
	bar.sync 	0;
	@%p5 bra 	$L__BB0_4;
$L__BB0_7:
	@%p4 bra 	$L__BB0_9;
	st.shared.b32 	[%rd4], %r11;
	bra.uni 	$L__BB0_9;
}
"""
    text = laid_out(scattered)
    assert text.index("bar.sync") < text.index("ret;")
    assert text.count("bar.sync") == 1


def test_a_row_behind_a_branch_is_about_what_follows_it():
    loop = """{
$L__BB0_1:
	.loc	1 4 5
	add.s32 	%r1, %r1, 1;
	@%p1 bra 	$L__BB0_1;
	.loc	1 5 1
	ret;
}
"""
    rows = laid_out(loop).splitlines()
    branch = next(at for at, row in enumerate(rows) if "@%p1 bra" in row)
    assert [row.split()[2] for row in rows[:branch] if ".loc" in row][-1] == "4"
    assert [row.split()[2] for row in rows[branch:] if ".loc" in row][-1] == "5"


def test_loops_deeper_in_loops_than_anybody_writes_are_no_error():
    deep = range(1100)  # more than Python calls within calls
    body = "".join(f"$L__BB0_{n}:\n\tadd.f32 %f1, %f1, %f2;\n" for n in deep)
    body += "".join(f"\t@%p{n} bra $L__BB0_{n};\n" for n in reversed(deep))
    text = laid_out("{\n" + body + "\tret;\n}\n")
    assert text.count("add.f32") == len(deep) and text.count("@") == len(deep)


# --- lines ------------------------------------------------------------------------------------


def test_code_that_was_inlined_names_the_calls_it_was_inlined_through():
    ptx = '\t.loc\t1 6 12\t// a.cu:6:12 @[ a.cu:9:9 @[ a.cu:16:12 ] ]\n\tret;\n\t.file\t1 "a.cu"\n'
    rows = [re.findall(r"\d+", row) for row in like_nvrtc(ptx).splitlines() if ".loc" in row]
    assert [[*row[:3], *row[-3:]] for row in rows] == [
        ["1", "9", "9", "1", "16", "12"],
        ["1", "6", "12", "1", "9", "9"],
    ]


def test_what_was_moved_to_the_start_is_told_of_the_line_that_it_stands_before(by_clang):
    code = OPEN + "  for (int n = 1; n < 9; n++) {\n    y[0] += y[n];\n  }\n}"
    with pytest.raises(UninitializedRead) as told:
        kernel = simulator.RawModule(code=code).get_function("k")
        kernel((1,), (1,), (simulator.empty(9, np.float32),))
    assert told.value.line == 3


def test_an_error_in_a_helper_names_the_line_of_the_call(by_clang):
    code = """__device__ float at(const float* x, int i) {
  return x[i];
}
extern "C" __global__ void k(const float* x, float* y) {
  y[threadIdx.x] = at(x, threadIdx.x + 1);
}"""
    kernel = simulator.RawModule(code=code).get_function("k")
    with pytest.raises(Exception, match="line 2") as caught:
        kernel((1,), (4,), (np.zeros(4, np.float32), np.zeros(4, np.float32)))
    assert "line 5" in str(caught.value)


# --- what NVRTC has built in ------------------------------------------------------------------

FLOATS = np.linspace(-3, 3, 64, dtype=np.float32)
FUNCTIONS = {
    "expf(x)": np.exp,
    "sinf(x)": np.sin,
    "tanhf(x)": np.tanh,
    "log1pf(fabsf(x))": lambda x: np.log1p(np.abs(x)),
    "sqrtf(fabsf(x))": lambda x: np.sqrt(np.abs(x)),
    "x / 3.0f": lambda x: x / 3,
    "powf(fabsf(x), 1.5f)": lambda x: np.abs(x) ** 1.5,
    "cbrtf(x)": np.cbrt,
    "float(floor(x))": np.floor,
    "max(x, 0.5f)": lambda x: np.maximum(x, 0.5),
    "float(max(int(x), 1u))": lambda x: np.maximum(x.astype(np.int32).astype(np.uint32), 1),
    "__int_as_float(__float_as_int(x))": lambda x: x,
    "fmaf(x, x, -1.0f)": lambda x: x * x - 1,
    "rsqrtf(x * x + 1)": lambda x: 1 / np.sqrt(x * x + 1),
    "erff(x)": None,
}


@pytest.mark.parametrize("expression", FUNCTIONS)
def test_mathematics_is_as_accurate_as_documented(expression, by_clang):
    y = np.zeros_like(FLOATS)
    code = (
        'extern "C" __global__ void k(const float* a, float* y) {\n'
        f"  float x = a[threadIdx.x]; y[threadIdx.x] = {expression};\n}}"
    )
    kernel = simulator.RawModule(code=code).get_function("k")
    kernel((1,), (64,), (FLOATS, y))
    if FUNCTIONS[expression] is None:
        from math import erf

        expected = np.array([erf(one) for one in FLOATS.astype(np.float64)])
    else:
        expected = FUNCTIONS[expression](FLOATS.astype(np.float64))
    assert np.abs(y - expected).max() <= 4 * np.spacing(np.float32(np.abs(expected).max()))


def test_a_copy_of_sixteen_aligned_bytes_is_one_access(by_clang):
    code = """struct alignas(16) Pack { float element[4]; };
extern "C" __global__ void k(const Pack* x, Pack* y) { y[threadIdx.x] = x[threadIdx.x]; }"""
    text = compilers.compile_ptx(code).text
    assert "ld.global.v4" in text and "st.global.v4" in text


HEAP = {  # what goes wrong, and what is said of it
    "int* p = new int[3]; for (int n = 0; n < 4; n++) p[n] = n; y[0] = *p; delete[] p;": "malloc",
    "int* p = (int*)malloc(4); p[1] = 1; y[0] = 1; free(p);": "malloc",
    "int* p = (int*)malloc(4); free(p); p[0] = 1; y[0] = 1;": "free",
    "int* p = new int; *p = 1; delete p; y[0] = *p;": "free",
    "int* p = new int; delete p; delete p;": "freed before",
    "int* p = (int*)malloc(8); free(p + 1);": "not from `malloc`",
}


@pytest.mark.parametrize("body", HEAP)
@pytest.mark.parametrize("compiler", compilers.COMPILERS)
def test_what_goes_wrong_in_the_heap_is_told_before_it_is_freed_and_after(compiler, body):
    if not compilers.COMPILERS[compiler].available():
        pytest.skip(f"{compiler} is not installed")
    code = f'extern "C" __global__ void k(int* y) {{\n{body}\n}}'
    with compilers.used(compiler), pytest.raises(OutOfBounds, match=HEAP[body]) as told:
        simulator.RawModule(code=code).get_function("k")((1,), (1,), (np.zeros(1, np.int32),))
    assert told.value.line == 2


@pytest.mark.parametrize("compiler", compilers.COMPILERS)
def test_what_belongs_to_the_host_has_its_types_and_constants(compiler):
    if not compilers.COMPILERS[compiler].available():
        pytest.skip(f"{compiler} is not installed")
    code = """struct Both { cudaEvent_t done; cudaDeviceProp about; cudaMemcpyKind kind; };
__device__ cudaError_t failed(Both* both) { return both ? cudaSuccess : cudaErrorUnknown; }
extern "C" __global__ void k(int* y) { y[0] = cudaMemcpyDeviceToHost + cudaErrorNotSupported; }"""
    y = np.zeros(1, np.int32)
    with compilers.used(compiler):
        simulator.RawModule(code=code).get_function("k")((1,), (1,), (y,))
    assert y[0] == 2 + 801


def test_options_of_nvrtc_reach_clang(by_clang):
    code = 'extern "C" __global__ void k(float* y) { y[0] = y[1] / y[2] + N; }'
    exact = compilers.compile_ptx(code, ("-DN=12345", "-arch=compute_80"))
    assert "div.rn.f32" in exact.text and ".target sm_80" in exact.text
    assert "div.approx" in compilers.compile_ptx(code, ("-DN=1", "--use_fast_math")).text


def test_a_name_expression_that_is_wrong_is_told_as_that(by_clang):
    with pytest.raises(CompileError, match="the name expressions"):
        compilers.compile_ptx("__global__ void k(int* y) {}", name_expressions=("nothing<int>",))


def test_a_function_without_device_is_told_where_it_is_defined(by_clang):
    code = 'float twice(float x) { return 2 * x; }\nextern "C" __global__ void k(float* y) {\n'
    with pytest.raises(CompileError, match="write __device__ before it") as caught:
        compilers.compile_ptx(code + "  y[0] = twice(y[0]);\n}")
    assert caught.value.line == 1


def test_a_file_that_is_no_header_of_cudas_is_named(by_clang, tmp_path):
    (tmp_path / "mine.h").write_text("#define MINE 3\n")  # leaves no trace in PTX
    code = f'#include "{tmp_path}/mine.h"\nextern "C" __global__ void k(int* y) {{ y[0] = MINE; }}'
    assert compilers.compile_ptx(code).files == (f"{tmp_path}/mine.h",)


def test_a_loop_without_an_end_is_not_left_out(by_clang):
    code = OPEN + "  float a = y[1];\n  while (a != -1e30f) a = a * 0.5f + 1.0f;\n  y[0] = a;\n}"
    assert re.search(r"@!?%p\d+ bra", compilers.compile_ptx(code).text)


def test_a_pragma_in_front_of_no_loop_is_nothing(by_clang):
    code = OPEN + "#pragma unroll 7\n  int a = 1;\n  %:pragma unroll\n\n  y[0] = a;\n  y[1] = b;\n}"
    with pytest.raises(CompileError) as caught:
        compilers.compile_ptx(code)
    assert [one.line for one in caught.value.diagnostics] == [7]
    assert ".entry k" in compilers.compile_ptx(code.replace("y[1] = b", "y[1] = a")).text


def test_a_compiler_that_there_is_not_is_refused_by_its_name(monkeypatch):
    monkeypatch.setenv(compilers.CHOICE, "gcc")
    with pytest.raises(CompileError, match="must be nvrtc or clang"):
        compilers.chosen()


@pytest.mark.parametrize("length", [10, 900, 1000, 60_000])
def test_an_unknown_name_of_any_length_is_told_soon(by_clang, length):
    with pytest.raises(CompileError, match=r"line 2: use of undeclared identifier 'qq"):
        compilers.compile_ptx(f"{OPEN} y[0] = {'q' * length};\n}}\n")


# --- clusters, asynchronous copies and atomics of several floats ----------------------------------

CLUSTERED = r"""
template <int N>
__global__ void __launch_bounds__(64) __cluster_dims__(N, 1, 1) blocks(unsigned* y) {
  asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(y[blockIdx.x]));
}
"""


@pytest.mark.parametrize("count", [1, 2, 16])
def test_a_kernel_has_the_cluster_that_it_states(by_clang, count):
    name = f"blocks<{count}>"
    kernel = simulator.RawModule(code=CLUSTERED, name_expressions=[name]).get_function(name)
    y = np.zeros(32, np.uint32)
    kernel((32,), (1,), (y,))
    assert y.tolist() == [count] * 32


AT_ONCE = r"""
#include <cuda_pipeline.h>
extern "C" __global__ void k(const float4* x, float4* y, float2* pair) {
  __shared__ float4 tile[32];
  __pipeline_memcpy_async(&tile[threadIdx.x], &x[threadIdx.x], 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  atomicAdd(y, tile[threadIdx.x]);
  atomicAdd_block(pair, make_float2(1, 2));
}
"""


def test_packs_are_copied_without_waiting_and_added_at_once(by_clang):
    x, y, pair = np.ones(128, "f4"), np.zeros(4, "f4"), np.zeros(2, "f4")
    kernel = simulator.RawModule(code=AT_ONCE, options=("-arch=sm_90",)).get_function("k")
    kernel((1,), (32,), (x, y, pair))
    assert y.tolist() == [32] * 4 and pair.tolist() == [32, 64]


ATOMICS = {  # what each leaves of 12 and 10, by NumPy
    "Add": lambda x, v: x + v,
    "Sub": lambda x, v: x - v,
    "Min": min,
    "Max": max,
    "And": lambda x, v: x & v,
    "Or": lambda x, v: x | v,
    "Xor": lambda x, v: x ^ v,
    "Exch": lambda x, v: v,
    "Inc": lambda x, v: 0 if x >= v else x + 1,
    "Dec": lambda x, v: v if x == 0 or x > v else x - 1,
}
WHOLE = ("int", "unsigned", "unsigned long long")
TAKEN = {  # the types that each atomic has
    **dict.fromkeys(("Min", "Max", "And", "Or", "Xor"), (*WHOLE, "long long")),
    **dict.fromkeys(("Inc", "Dec"), ("unsigned",)),
    "Add": (*WHOLE, "float", "double"),
    "Sub": ("int", "unsigned"),
    "Exch": (*WHOLE, "float"),
    "CAS": WHOLE,
}
DTYPES = {
    **{"int": "i4", "unsigned": "u4", "long long": "i8", "unsigned long long": "u8"},
    **{"float": "f4", "double": "f8", "unsigned short": "u2"},
}
SCOPES = {"": "gpu", "_block": "cta", "_system": "sys"}


def atomically(called, kind):
    """What a call leaves of 12 in global and in shared memory, and what it found there."""
    dtype = DTYPES[kind]
    code = f"""extern "C" __global__ void k({kind}* x, {kind}* found) {{
  __shared__ {kind} tile[1]; tile[0] = x[0]; {kind} v = 10, *p = x;
  found[0] = {called}; p = tile; found[1] = {called}; x[1] = tile[0]; }}"""
    x, found = np.array([12, 0], dtype), np.zeros(2, dtype)
    simulator.RawModule(code=code).get_function("k")(1, 1, (x, found))
    return x.tolist(), found.tolist(), compilers.compile_ptx(code).text


@pytest.mark.parametrize("name", TAKEN)
@pytest.mark.parametrize("suffix", SCOPES)
@pytest.mark.parametrize("compiler", compilers.COMPILERS)
def test_an_atomic_of_any_type_has_its_scope_and_leaves_what_it_should(compiler, suffix, name):
    if not compilers.COMPILERS[compiler].available():
        pytest.skip(f"{compiler} is not installed")
    given = "p, ({0})12, v" if name == "CAS" else "p, v"
    for kind in TAKEN[name] + (("unsigned short",) if (name, suffix) == ("CAS", "") else ()):
        with compilers.used(compiler):
            left, found, ptx = atomically(f"atomic{name}{suffix}({given.format(kind)})", kind)
        expected = 10 if name == "CAS" else ATOMICS[name](12, 10)
        assert (left, found) == ([expected] * 2, [12] * 2), kind
        opcodes = re.findall(r"\batom\.[\w.]+", ptx)
        assert len(opcodes) == 2
        for opcode in opcodes:  # the device's is meant where none stands
            assert (set(opcode.split(".")) & {"gpu", "cta", "sys"} or {"gpu"}) == {SCOPES[suffix]}
