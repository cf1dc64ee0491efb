"""What is in order and what races: scopes, fences, readers, schedules, threads that wait."""

import numpy as np
import pytest

from grader import cuda
from grader.cuda import simulator
from grader.judge.sandbox import main as sandbox


def launch(body, *sizes, grid=1, block=64, parameters="int* x, int* y", **options):
    """Run a kernel on zeros of these sizes; the arrays afterwards, and the machine's steps."""
    code = (
        f'extern "C" __global__ void k({parameters}) {{\n  const int t = threadIdx.x;\n{body}\n}}'
    )
    arrays = tuple(np.zeros(size, np.int32) for size in sizes or (4096, 4096))
    with simulator.options(**options), simulator.observe() as run:
        simulator.RawModule(code=code).get_function("k")(grid, block, arrays)
    return arrays, run.steps


def races(body, *sizes, **how):
    with pytest.raises(cuda.DataRace) as caught:
        launch(body, *sizes, **how)
    return caught.value


TILE = "__shared__ int s[256]; s[t] = t; __syncthreads();"


def test_a_thread_that_reads_again_after_a_barrier_has_read_since():
    """The second read is what the write of another warp races with."""
    body = f"{TILE} int a = s[t]; __syncthreads(); a += s[t]; if (t >= 32) s[t - 32] = a; x[t] = a;"
    races(body)
    launch(body.replace("if (t >= 32)", "__syncthreads(); if (t >= 32)"))


@pytest.mark.parametrize("writer", [0, 32, 96, 224])
def test_whichever_warp_writes_the_readers_of_other_warps_are_not_forgotten(writer):
    """All read one place in one instruction; the writer's warp alone meets before it writes."""
    body = f"{TILE} int a = s[0]; if (t / 32 == {writer // 32}) {{ __syncwarp();"
    races(f"{body} if (t == {writer}) s[0] = 7; }} x[t] = a;", block=256)


def test_a_reader_of_another_block_is_not_forgotten_for_later_ones():
    body = "int a = x[0]; __syncthreads(); if (blockIdx.x == 1 && t == 0) x[0] = a + 1; y[t] += 0;"
    races(body.replace("y[t] += 0;", "y[64 * blockIdx.x + t] = a;"), grid=3)


THREE_READERS = """
  if (blockIdx.x < 3) {
    y[blockIdx.x] = x[0];
    if (blockIdx.x != 1 || TOLD) { __threadfence(); atomicAdd(x + 1, 1); }
  } else {
    while (atomicAdd(x + 1, 0) < (TOLD ? 3 : 2)) {}
    __threadfence();
    x[0] = 1;
  }"""


def test_a_write_must_come_after_every_reader_not_after_two_of_them():
    launch(THREE_READERS.replace("TOLD", "true"), grid=4, block=1)
    races(THREE_READERS.replace("TOLD", "false"), grid=4, block=1)


def test_an_atomic_of_the_blocks_scope_is_none_for_other_blocks():
    races("atomicAdd_block(x, 1);", grid=4)
    launch("atomicAdd_block(x + blockIdx.x, 1);", grid=4)
    launch("atomicAdd_block(x, 1);", grid=1)


def test_an_atomic_of_the_blocks_scope_races_with_one_of_another_block_for_all():
    races("if (blockIdx.x) atomicAdd(x, 1); else atomicAdd_block(x, 1);", grid=2)
    launch("if (t % 2) atomicAdd(x, 1); else atomicAdd_block(x, 1);", grid=1)


MESSAGE = """
  if (blockIdx.x == 0) {{ x[0] = 1; {writers}; {flag}(x + 1, 1); }}
  else {{ while (atomicAdd(x + 1, 0) == 0) {{}} {readers}; y[0] = x[0]; }}"""


@pytest.mark.parametrize(
    "writers, flag, readers, ordered",
    [
        ("__threadfence()", "atomicExch", "__threadfence()", True),
        ("__threadfence()", "atomicExch", "__syncthreads()", True),
        ("__threadfence()", "atomicExch", "", False),
        ("__threadfence()", "atomicExch", "__threadfence_block()", False),
        ("__threadfence_block()", "atomicExch", "__threadfence()", False),
        ("", "atomicExch", "__threadfence()", False),
    ],
)
def test_a_message_between_blocks_needs_a_fence_on_both_sides(writers, flag, readers, ordered):
    body = MESSAGE.format(writers=writers, flag=flag, readers=readers)
    if ordered:
        launch(body, grid=2, block=1)
    else:
        races(body, grid=2, block=1)


def test_what_is_read_past_the_cache_needs_no_fence_of_the_reader():
    body = MESSAGE.format(writers="__threadfence()", flag="atomicExch", readers="")
    launch(body.replace("y[0] = x[0]", "y[0] = *(volatile int*)x"), grid=2, block=1)


def test_a_volatile_read_races_with_a_later_plain_write():
    body = "if (blockIdx.x == {first}) y[t] = ((volatile int*)x)[t]; else x[t] = 1;"
    for first in (0, 1):
        races(body.format(first=first), grid=2)
    launch(body.format(first=0).replace("x[t] = 1", "((volatile int*)x)[t] = 1"), grid=2)


def test_a_plain_read_of_what_others_swap_is_a_race_unless_a_swap_follows_from_it():
    races("if (blockIdx.x) atomicCAS(x, 0, 1); else y[0] = x[0];", grid=2, block=1)
    launch(
        "int old = *x, seen; do { seen = old; old = atomicCAS(x, seen, seen + t); } "
        "while (old != seen);",
        grid=4,
    )


@pytest.mark.parametrize("first", [0, 1])
def test_a_race_that_one_order_of_blocks_hides_shows_in_the_other(first):
    """Whoever finds the flag set by chance was lucky, not ordered."""
    body = f"""
      if (blockIdx.x == {first}) {{ x[0] = 1; __threadfence(); atomicExch(x + 1, 1); }}
      else if (atomicAdd(x + 1, 0) >= 0) {{ __threadfence(); y[0] = x[0]; }}"""
    found = []
    for order in ("lockstep", "forwards", "backwards"):
        try:
            launch(body, grid=2, block=1, order=order)
        except cuda.DataRace:
            found.append(order)
    assert found


@pytest.mark.parametrize("order", ["lockstep", "forwards", "backwards", "shuffled"])
def test_a_barrier_that_counts_counts_the_block_however_many_groups_come(order):
    body = "y[t] = __syncthreads_count(t < 50) + 1000 * __syncthreads_or(t == 40);"
    body += "x[t] = __syncthreads_and(t < 63);"
    (x, y), _ = launch(body, order=order)
    assert (y[:64] == 1050).all() and not x.any()


@pytest.mark.parametrize("wait", ["while (f[N] == 0) {}", "spin(f + N);", "nest(f + N);"])
@pytest.mark.parametrize("backwards", [False, True])
def test_everyone_who_spins_gets_a_turn(wait, backwards):
    """A chain of warps, each waiting for the one before: in loops of their own, in one function,
    in a function within a function."""
    spin = "__device__ __noinline__ void spin(volatile int* f) { while (*f == 0) {} }\n"
    nest = "__device__ __noinline__ void nest(volatile int* f) { spin(f); __threadfence(); }\n"
    part = "if (w == {n}) {{ {wait} f[{n} + 1] = 1; }}"
    numbers = range(7, -1, -1) if backwards else range(8)
    parts = [part.format(n=n, wait=wait.replace("N", str(n))) for n in numbers]
    code = f"""{spin}{nest}extern "C" __global__ void k(volatile int* f) {{
      const int w = threadIdx.x / 32;
      if (threadIdx.x % 32) return;
      if (w == 0) f[0] = 1;
      {" else ".join(parts)} }}"""
    flags = np.zeros(16, np.int32)
    with simulator.options(step_limit=20_000):
        simulator.RawModule(code=code).get_function("k")(1, 256, (flags,))
    assert flags[:9].all()


LOCK = """
  for (bool done = false; !done;)
    if (atomicCAS(x, 0, 1) == 0) {
      __threadfence(); x[1] += 1; __threadfence();
      atomicExch(x, 0); done = true;
    }"""


def test_a_lock_costs_each_thread_the_same_however_many_want_it():
    """Counted in what the detector remembers of the lock, not in seconds."""
    (x, _), few = launch(LOCK, block=64)
    assert x[1] == 64
    (x, _), many = launch(LOCK, block=512)
    assert x[1] == 512
    assert many < 9 * few


HALF_ARRIVES = """
  __shared__ int s[32];
  if (t < 32) {
    s[t] = t;
    if (t < 16) { x[t] = 1; asm volatile("bar.arrive 1, 64;" ::: "memory"); x[t] = s[t]; }
    else asm volatile("bar.arrive 1, 64;" ::: "memory");
  } else { asm volatile("bar.sync 1, 64;" ::: "memory"); y[t] = s[t - 32]; }"""


def test_a_warp_that_comes_to_an_aligned_barrier_in_parts_is_named_as_that():
    with pytest.raises(cuda.BarrierDivergence, match="only 16 threads of its warp"):
        launch(HALF_ARRIVES)
    together = HALF_ARRIVES.replace("if (t < 16) { x[t] = 1;", "{").replace(
        "else asm", "if (0) asm"
    )
    (_, y), _ = launch(together)
    assert (y[32:64] == np.arange(32)).all()


def test_a_warp_that_waits_for_one_of_its_lanes_still_comes_together():
    body = """
      __shared__ int s[32];
      volatile int* flag = x;
      if (t < 32) {
        s[t] = t;
        if (t == 0) while (*flag == 0) {}
        asm volatile("bar.arrive 1, 64;" ::: "memory");
      } else {
        if (t == 40) *flag = 1;
        asm volatile("bar.sync 1, 64;" ::: "memory");
        y[t] = s[t - 32];
      }"""
    (_, y), _ = launch(body)
    assert (y[32:64] == np.arange(32)).all()


def test_a_shared_address_wraps_at_32_bits():
    body = """
      __shared__ int s[64];
      s[t] = t; __syncthreads();
      unsigned before = (unsigned)__cvta_generic_to_shared(s) + 4 * t - 4096u;
      asm volatile("ld.shared.u32 %0, [%1+4096];" : "=r"(y[t]) : "r"(before));"""
    (_, y), _ = launch(body)
    assert (y[:64] == np.arange(64)).all()


WIDE = """
  int a, b, c, d, e, f, g, h;
  asm volatile("ld.global.v8.b32 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8];" : "=r"(a), "=r"(b), "=r"(c),
      "=r"(d), "=r"(e), "=r"(f), "=r"(g), "=r"(h) : "l"(x + 8 * t));
  asm volatile("st.global.v8.b32 [%8], {%0,%1,%2,%3,%4,%5,%6,%7};" ::"r"(a + t), "r"(b), "r"(c),
      "r"(d), "r"(e), "r"(f), "r"(g), "r"(h), "l"(y + PLACE) : "memory");"""


def test_vectors_of_32_bytes_are_stored_whole_and_checked_whole():
    (_, y), _ = launch(WIDE.replace("PLACE", "8 * t"))
    assert (y[: 8 * 64 : 8] == np.arange(64)).all()
    races(WIDE.replace("PLACE", "8 * (t % 32)"))
    with pytest.raises(cuda.Misaligned):
        launch(WIDE.replace("PLACE", "8 * t + 4"))
    with pytest.raises(cuda.OutOfBounds):
        launch(WIDE.replace("PLACE", "8 * t"), 512, 504)


def test_vote_may_name_its_mode_before_sync():
    body = """
      asm volatile("{ .reg .pred p; setp.lt.u32 p, %1, 5; vote.ballot.sync.b32 %0, p, -1; }"
                   : "=r"(y[t]) : "r"(t));"""
    (_, y), _ = launch(body, block=32)
    assert (y[:32] == 31).all()


def test_an_instruction_that_no_lane_takes_part_in_is_not_counted_as_used():
    code = """extern "C" __global__ void k(int* y, int n) {
      int v = threadIdx.x;
      asm volatile("{ .reg .pred p; setp.gt.s32 p, %1, 1000;"
                   "  @p shfl.sync.idx.b32 %0, %0, 3, 31, -1; }" : "+r"(v) : "r"(n));
      y[threadIdx.x] = v; }"""
    used = {}
    for n in (5, 2000):
        with simulator.observe() as run:
            y = np.zeros(64, np.int32)
            simulator.RawModule(code=code).get_function("k")(1, 64, (y, np.int32(n)))
        used[n] = run.counters.opcodes["shfl.sync.idx.b32"], run.counters.total["inst_executed"]
    assert used[5][0] == 0 and used[2000][0] == 2
    assert used[5][1] == used[2000][1]  # Nsight Compute counts what a guard keeps back as well


@pytest.mark.parametrize(
    "assembly",
    ["add.f32 %f1;", "bra nowhere;", "}", "@%zz mov.u32 %r1, 3;", "mov.u32 %r1, [nobody];"],
)
def test_assembly_that_does_not_hold_together_is_refused_by_its_line(assembly):
    with pytest.raises(cuda.UnsupportedInstruction):
        launch(f'asm("{assembly}"); x[t] = 1;')


@pytest.mark.parametrize("said", ["// no asm() here", 'asm volatile("" ::: "memory");'])
def test_a_fault_of_ours_is_not_blamed_on_assembly_that_has_nothing_to_do_with_it(
    said, monkeypatch
):
    """The statement in question is another one than the `asm`, which may be a comment at that."""

    def broken(*_):
        raise AttributeError("a bug")

    monkeypatch.setattr("grader.machine.machine.bind", broken)
    with pytest.raises(AttributeError, match="a bug"):
        launch(f"x[t] = 1;\n\n{said}")


def test_a_vector_of_eight_counts_its_sectors_and_is_checked_to_its_end():
    code = """extern "C" __global__ void k(int* x, int first) {
      int a, b, c, d, e, f, g, h;
      asm volatile("ld.global.v8.b32 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8];" : "=r"(a), "=r"(b), "=r"(c),
                   "=r"(d), "=r"(e), "=r"(f), "=r"(g), "=r"(h) : "l"(x + 8 * threadIdx.x + first));
      if (a + b + c + d + e + f + g + h == -1) x[0] = 1; }"""
    kernel = simulator.RawModule(code=code).get_function("k")
    with simulator.observe() as run:
        kernel(1, 32, (np.zeros(256, np.int32), np.int32(0)))
    assert run.counters.total["global_load_sectors"] == 32
    with pytest.raises(cuda.OutOfBounds, match="reads 32 bytes"):
        kernel(1, 32, (np.zeros(256, np.int32), np.int32(8)))
    with pytest.raises(cuda.Misaligned, match="multiple of 32"):
        kernel(1, 32, (np.zeros(512, np.int32), np.int32(4)))


def test_commas_inside_template_arguments_part_no_parameters():
    code = """template <class A, int n> struct Some { A values[n]; };
    extern "C" __global__ void k(Some<float, 2> some, int* y) { y[0] = some.values[1]; }"""
    y = np.zeros(1, np.int32)
    some = np.array([(3.0, 5.0)], [("a", "f4"), ("b", "f4")])[0]
    simulator.RawModule(code=code).get_function("k")(1, 1, (some, y))
    assert y[0] == 5


TWIN = "namespace b { __global__ void k(short* z) {} }"


@pytest.mark.parametrize("other, named", [("", "`y[1]`"), (TWIN, "`argument 1[1]`")])
def test_a_kernel_in_a_namespace_has_its_parameters_names(other, named):
    code = f"""namespace a {{ template <int n> __global__ void k(int* y) {{ y[n] = 0; }} }}
    {other}"""
    module = simulator.RawModule(code=code, name_expressions=["a::k<1>"])
    with pytest.raises(cuda.OutOfBounds) as caught:
        module.get_function("a::k<1>")(1, 1, (np.zeros(1, np.int32),))
    assert named in str(caught.value)


@pytest.mark.parametrize("kind", ["__nv_bfloat16", "__nv_bfloat162", "__half2"])
def test_a_sum_at_one_address_in_a_narrow_format_stays_where_it_can_grow_no_more(kind):
    one = f"{kind}(1.0f, 1.0f)" if kind.endswith("2") else f"{kind}(1.0f)"
    code = f"""#include <cuda_bf16.h>
#include <cuda_fp16.h>
extern "C" __global__ void k({kind}* x) {{ atomicAdd(x, {one}); }}"""
    x = np.zeros(2, np.uint16)
    simulator.RawModule(code=code).get_function("k")(8, 1024, (x,))
    full = 0x4380 if "bfloat" in kind else 0x6800  # 256, from where 1 is half a step; 2048
    assert x[0] == full and x[1] == (full if kind.endswith("2") else 0)


@pytest.mark.parametrize("readers", [(0, 40, 20), (40, 0, 20), (33, 34, 70), (70, 5, 33)])
@pytest.mark.parametrize("writer", [0, 20, 40, 64])
def test_a_write_races_with_any_of_several_readers(readers, writer):
    reads = "".join(f"if (t == {one}) y[t] = s[0];\n__syncwarp();\n" for one in readers)
    body = f"__shared__ int s[1]; if (t == 0) s[0] = 1; __syncthreads();\n{reads}"
    races(f"{body} if (t == {writer}) s[0] = 2;", block=128)
    launch(f"{body} __syncthreads(); if (t == {writer}) s[0] = 2;", block=128)


def test_a_fault_of_ours_says_what_to_send_us(tmp_path, monkeypatch):
    (tmp_path / "warpwise").mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    def broken():
        raise KeyError("a bug")

    reply = sandbox._attempt(broken, 1 << 30, 60)
    assert reply.status == "unsupported"
    assert "(KeyError: 'a bug'; test_order.py, line" in reply.message
    (kept,) = (tmp_path / "warpwise").glob("*.traceback.txt")
    assert reply.message.endswith(f"please send your instructor the kernel and {kept}.")
    assert "in broken" in kept.read_text()
