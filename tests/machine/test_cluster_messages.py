"""Messages between the blocks of a cluster: `st.async`, remote arrivals, and what they order."""

import numpy as np
import pytest
from every_device import run

from grader import cuda
from grader.cuda import simulator

PARTS = r"""
typedef unsigned long long Barrier;
__device__ unsigned at(const void* p) { return __cvta_generic_to_shared(p); }
__device__ unsigned there(const void* p, int block) {
  unsigned mapped;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(at(p)), "r"(block));
  return mapped;
}
__device__ void init(Barrier* b, int n) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" :: "r"(at(b)), "r"(n) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ void expect(Barrier* b, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;"
               :: "r"(at(b)), "r"(bytes) : "memory");
}
__device__ void send(float* p, float v, Barrier* b, int block) {
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.f32 [%0], %1, [%2];"
               :: "r"(there(p, block)), "f"(v), "r"(there(b, block)) : "memory");
}
__device__ void arrive(Barrier* b, int block) {
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];"
               :: "r"(there(b, block)) : "memory");
}
__device__ void await(Barrier* b, unsigned parity) {
  for (unsigned done = 0; !done;)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 "
                 "p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done) : "r"(at(b)), "r"(parity) : "memory");
}
__device__ void meet() {
  asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
}
"""

# Each of BLOCKS blocks sends the floats of its 64 threads to the next block, ROUNDS times.
RING = (
    PARTS
    + r"""
extern "C" __global__ void __cluster_dims__(BLOCKS) ring(const float* x, float* y, int expected) {
  __shared__ float box[DESKS][64];
  __shared__ Barrier full[DESKS], empty;
  const int t = threadIdx.x, me = blockIdx.x % BLOCKS, next = (me + 1) % BLOCKS;
  if (t == 0) {
    for (int d = 0; d < DESKS; d++) init(&full[d], 1);
    init(&empty, 64);
  }
  BEGIN
  float mine = x[blockIdx.x * 64 + t];
  for (int round = 0; round < ROUNDS; round++) {
    const int d = round % DESKS, parity = round / DESKS % 2;
    if (t == 0) expect(&full[d], expected);
    send(&box[d][t], mine, &full[d], next);
    WAIT
    mine = box[d][63 - t] + 1;
    END
  }
  y[blockIdx.x * 64 + t] = mine;
}
"""
)
EACH = "await(&full[d], parity);"
CLEARED = "arrive(&empty, (me + BLOCKS - 1) % BLOCKS); await(&empty, round % 2);"


def ring(
    blocks=4, rounds=1, desks=2, begin="meet();", wait=EACH, end="", expected=256, source=RING
):
    """The hazards of two such rings, and whether all floats came where they should."""
    texts = {"BEGIN": begin, "WAIT": wait, "END": end}
    texts |= {"BLOCKS": str(blocks), "ROUNDS": str(rounds), "DESKS": str(desks)}
    for name, text in texts.items():
        source = source.replace(name, text)
    threads = 64 * 2 * blocks
    x, y = np.arange(threads, dtype=np.float32), np.zeros(threads, np.float32)
    hazards = run(source, "ring", threads // 64, 64, x, y, np.int32(expected))
    right = x.reshape(-1, blocks, 64)
    for _ in range(rounds):
        right = np.roll(right, 1, axis=1)[:, :, ::-1] + 1
    return hazards, np.array_equal(y, right.ravel())


@pytest.mark.parametrize("blocks", [2, 4, 16])
def test_a_message_is_there_when_its_barrier_says_so(blocks):
    assert ring(blocks) == ([], True)


def test_two_places_in_turn_need_nothing_else_between_two_messages():
    assert ring(2, rounds=5, desks=2) == ([], True)


def test_with_one_place_for_all_messages_the_next_may_come_before_the_last_is_read():
    with pytest.raises((cuda.DataRace, cuda.UninitializedRead)):
        ring(4, rounds=3, desks=1)


def test_one_place_is_enough_if_its_owner_says_when_it_is_free():
    assert ring(4, rounds=5, desks=1, end=CLEARED) == ([], True)


def test_it_must_be_the_sender_who_is_told_that_the_place_is_free():
    told = CLEARED.replace("(me + BLOCKS - 1) % BLOCKS", "next")
    with pytest.raises((cuda.DataRace, cuda.UninitializedRead)):
        ring(4, rounds=3, desks=1, end=told)


def test_a_relaxed_arrival_says_nothing_of_what_was_read_before():
    relaxed = RING.replace("arrive.release.cluster", "arrive.relaxed.cluster")
    with pytest.raises((cuda.DataRace, cuda.UninitializedRead)):
        ring(4, rounds=3, desks=1, end=CLEARED, source=relaxed)


def test_who_reads_without_waiting_reads_what_is_not_there():
    with pytest.raises((cuda.DataRace, cuda.UninitializedRead)):
        ring(wait="")


def test_who_lets_another_warp_wait_races_with_the_message():
    with pytest.raises((cuda.DataRace, cuda.UninitializedRead)):
        ring(wait="if (t < 32) await(&full[d], parity);")


def test_a_warp_that_waited_may_tell_the_others_by_a_barrier_of_the_block():
    assert ring(wait="if (t < 32) await(&full[d], parity); __syncthreads();") == ([], True)


@pytest.mark.parametrize("begin", ["", "__syncthreads();"])
def test_nobody_may_send_before_the_other_block_has_set_its_barrier_up(begin):
    try:
        hazards, _ = ring(begin=begin)
    except cuda.CudaError:
        return
    assert hazards


def test_a_barrier_told_to_expect_too_little_opens_before_all_is_there():
    with pytest.raises((cuda.DataRace, cuda.UninitializedRead)):
        ring(expected=128)


def test_a_barrier_told_to_expect_too_much_is_waited_for_in_vain():
    with simulator.options(step_limit=3_000), pytest.raises(cuda.StepLimit):
        ring(expected=512)


TWO = r"""
extern "C" __global__ void __cluster_dims__(2) two(float* y) {
  __shared__ __align__(16) float box[64];
  __shared__ Barrier full;
  const int t = threadIdx.x, me = blockIdx.x;
  if (t == 0) init(&full, COUNT);
  meet();
  BODY
}
"""


def two(body, count=1, n=64):
    code = PARTS + TWO.replace("BODY", body).replace("COUNT", str(count))
    y = np.zeros(n, np.float32)
    return run(code, "two", 2, 32, y), y


STORE = 'asm volatile("st.shared::cluster.f32 [%0], %1;" :: "r"(there(&box[t], 1)), "f"(7.0f + t));'


def test_a_plain_store_to_a_neighbour_is_ordered_by_an_arrival_there():
    hazards, y = two(
        f"if (me == 0) {{ {STORE} arrive(&full, 1); }} else {{ await(&full, 0); "
        "y[t] = box[31 - t]; }",
        count=32,
    )
    assert hazards == [] and np.array_equal(y[:32], 38 - np.arange(32))


def test_an_arrival_before_the_store_orders_nothing():
    with pytest.raises((cuda.DataRace, cuda.UninitializedRead)):
        two(
            f"if (me == 0) {{ arrive(&full, 1); {STORE} }} else {{ await(&full, 0); "
            "y[t] = box[31 - t]; }",
            count=32,
        )


def test_a_block_that_waits_for_nothing_may_be_gone_when_the_message_comes():
    try:
        hazards, _ = two("if (me == 0) send(&box[t], 1.0f, &full, 1); else y[t] = 1;")
    except cuda.CudaError as error:
        hazards = [error]
    assert "may have ended already" in str(hazards[0])


@pytest.mark.parametrize(
    ("kind", "size", "value"),
    [
        ("b32", 4, '"f"(1.5f)'),
        ("v2.f32", 8, '"f"(1.5f), "f"(2.5f)'),
        ("v4.u32", 16, '"r"(1), "r"(2), "r"(3), "r"(4)'),
        ("b64", 8, '"l"(0x3f8000003f800000ull)'),
        ("f64", 8, '"d"(1.1)'),
    ],
)
def test_messages_are_of_4_to_16_bytes(kind, size, value):
    many = value.count('"') // 2
    places = ", ".join(f"%{n}" for n in range(2, 2 + many))
    places = f"{{{places}}}" if many > 1 else places
    body = f"""
  if (t == 0) expect(&full, {size});
  if (me == 0 && t == 0)
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.{kind} [%0], "
                 "{places}, [%1];" :: "r"(there(box, 1)), "r"(there(&full, 1)), {value});
  if (me == 1) {{
    await(&full, 0);
    if (t < {size // 4}) y[t] = box[t];
  }}"""
    hazards, y = two(body)
    assert hazards == [] and y[: size // 4].view(np.uint32).all()


def test_a_message_to_a_crooked_place_is_named():
    with pytest.raises(cuda.Misaligned):
        two(
            'if (me == 0) asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes'
            '.v2.f32 [%0], {%2, %2}, [%1];" :: "r"(there(&box[1], 1)), "r"(there(&full, 1)), '
            '"f"(1.0f)); else await(&full, 0);'
        )


def test_a_bulk_copy_goes_to_a_neighbour_s_shared_memory():
    hazards, y = two("""
  box[t] = box[t + 32] = me == 0 ? t : -1;
  asm volatile("fence.proxy.async;" ::: "memory");
  if (t == 0) expect(&full, 128);
  meet();
  if (me == 0 && t == 0)
    asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
                 "[%0], [%1], 128, [%2];" :: "r"(there(&box[32], 1)), "r"(at(box)),
                 "r"(there(&full, 1)) : "memory");
  if (me == 1) { await(&full, 0); y[t] = box[63 - t]; }""")
    assert hazards == [] and np.array_equal(y[:32], 31 - np.arange(32))


def test_what_a_block_has_heard_it_passes_on():
    """Block 0 writes to block 2's memory and tells 1, which tells 2."""
    code = (
        PARTS
        + r"""
extern "C" __global__ void __cluster_dims__(3) chain(float* y) {
  __shared__ float box[32];
  __shared__ Barrier full;
  const int t = threadIdx.x, me = blockIdx.x;
  if (t == 0) init(&full, 32);
  meet();
  if (me == 0)
    asm volatile("st.shared::cluster.f32 [%0], %1;" :: "r"(there(&box[t], 2)), "f"(1.0f + t));
  if (me > 0) await(&full, 0);
  if (me < 2) arrive(&full, me + 1);
  if (me == 2) y[t] = box[31 - t];
}"""
    )
    y = np.zeros(32, np.float32)
    assert run(code, "chain", 3, 32, y) == [] and np.array_equal(y, 32 - np.arange(32))


@pytest.mark.parametrize(
    ("blocks", "arch", "why"),
    [
        (32, "sm_90", "at most 16"),
        (16, "sm_120", "at most 8"),
        (2, "sm_80", "no thread-block clusters"),
    ],
)
def test_a_cluster_larger_than_the_device_has_is_refused(blocks, arch, why):
    code = f'extern "C" __global__ void __cluster_dims__({blocks}) k(int* y) {{ y[0] = 1; }}'
    kernel = simulator.RawModule(code=code).get_function("k")
    with simulator.options(architecture=arch), pytest.raises(cuda.LaunchError, match=why):
        kernel((32,), (32,), (np.zeros(1, np.int32),))
