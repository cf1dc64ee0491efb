"""Kernels that execute what has no value of its own: parameters, calls, barriers, copies, clusters.

Each program is a source with a kernel `k`, a launch and the output that it must give.
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Program:
    source: str
    expected: list
    block: int = 32
    grid: int = 1
    arguments: tuple = ()
    dtype: str = "i8"


def _struct(**fields) -> np.void:
    return np.array([tuple(fields.values())], [(n, v.dtype) for n, v in fields.items()])[0]


PARAMETERS = Program(
    source=r"""
struct __align__(8) Pair { unsigned a, b; };
extern "C" __global__ void k(long long* y, long long big, int small, float real, double wide,
                             bool flag, unsigned char byte, short less, Pair pair) {
  long long v[13]; unsigned long long address; float f; double d; unsigned a, b; unsigned short h;
  asm("ld.param.u64 %0, [k_param_1];" : "=l"(v[0]));
  asm("ld.param.b64 %0, [k_param_1];" : "=l"(v[1]));
  asm("ld.param.u32 %0, [k_param_2];" : "=r"(a)); v[2] = int(a);
  asm("ld.param.s32 %0, [k_param_2];" : "=r"(a)); v[3] = int(a);
  asm("ld.param.f32 %0, [k_param_3];" : "=f"(f)); v[4] = f;
  asm("ld.param.b32 %0, [k_param_3];" : "=r"(a)); v[5] = __int_as_float(a);
  asm("ld.param.f64 %0, [k_param_4];" : "=d"(d)); v[6] = d;
  asm("ld.param.s8 %0, [k_param_5];" : "=r"(a)); v[7] = int(a);
  asm("ld.param.u8 %0, [k_param_6];" : "=r"(a)); v[8] = a;
  asm("ld.param.s16 %0, [k_param_7];" : "=r"(a)); v[9] = int(a);
  asm("ld.param.u16 %0, [k_param_7];" : "=h"(h)); v[10] = h;
  asm("ld.param.v2.u32 {%0, %1}, [k_param_8];" : "=r"(a), "=r"(b)); v[11] = a + 1000ll * b;
  asm("{ .reg .b64 t; mov.b64 t, k_param_8; cvta.param.u64 %0, t; }" : "=l"(address));
  v[12] = reinterpret_cast<const Pair*>(address)->b;
  for (int n = 0; n < 13; ++n) y[n] = v[n];
}""",
    expected=[1 << 40, 1 << 40, -7, -7, 2, 2, -3, 1, 200, -5, 65531, 9011, 9],
    block=1,
    arguments=(
        *(np.int64(1 << 40), np.int32(-7), np.float32(2), np.float64(-3), np.bool_(True)),
        *(np.uint8(200), np.int16(-5), _struct(a=np.uint32(11), b=np.uint32(9))),
    ),
)

ADDRESSES = Program(
    source=r"""
__device__ int there = 5;
extern "C" __global__ void k(long long* y) {
  __shared__ int tile[2];
  volatile int mine[2] = {1, 2};
  tile[0] = 3; tile[1] = 4;
  asm volatile(R"({
    .reg .u64 g, l, s; .reg .pred p, q;
    cvta.global.u64 g, there;  cvta.to.global.u64 g, g;  ld.global.s32 %0, [g];
    cvta.to.local.u64 l, %3;  ld.local.s32 %1, [l+4];  cvta.local.u64 l, l;
    isspacep.local p, l;  isspacep.local q, %5;
    selp.s64 %1, %1, -1, p;  selp.s64 %1, -1, %1, q;
    cvta.to.shared.u64 s, %4;  ld.shared.s32 %2, [s+4];  cvta.shared.u64 s, s;
    setp.ne.u64 p, s, %4;  selp.s64 %2, -1, %2, p; })"
               : "=l"(y[0]), "=l"(y[1]), "=l"(y[2])
               : "l"(mine), "l"(tile), "l"(y) : "memory");
}""",
    expected=[5, 2, 4],
    block=1,
)

CALLS = Program(
    source=r"""
#define KEPT extern "C" __device__ __attribute__((used)) __noinline__
KEPT long long twice(long long x) { return 2 * x; }
KEPT int thrice(int x) { return 3 * x; }
KEPT float half_of(float x) { return x / 2; }
KEPT double square(double x) { return x * x; }
typedef long long (*Function)(long long);
__device__ Function table[1] = {twice};
#define CALL(how, type, letter, name, in, result) asm volatile( \
  "{ .param ." type " p; .param ." type " q; st.param." type " [p], %1; " \
  how " (q), " name ", (p); " \
  "ld.param." type " %0, [q]; }" : "=" letter(result) : letter(in))
extern "C" __global__ void k(long long* y, int which) {
  long long a; int b; float f; double d;
  CALL("call.uni", "b64", "l", "twice", 21ll, a);
  CALL("call", "b32", "r", "thrice", 5, b);
  CALL("call.uni", "f32", "f", "half_of", 5.0f, f);
  CALL("call.uni", "f64", "d", "square", 3.0, d);
  y[0] = a; y[1] = b; y[2] = f * 10; y[3] = d; y[4] = table[which](4);
  int turns;
  asm volatile(R"({ .reg .pred p; mov.u32 %0, 0;
    again: add.u32 %0, %0, 1; setp.lt.u32 p, %0, 6; @p bra again; bra.uni done;
    mov.u32 %0, 99;
    done: ret; })" : "=r"(turns));
  y[5] = turns;
}""",
    expected=[42, 15, 25, 9, 8, 0],
    block=1,
    arguments=(np.int32(0),),
)

SYNCHRONISING = Program(
    source=r"""
extern "C" __global__ void k(long long* y) {
  __shared__ int tile[64];
  unsigned active;
  tile[threadIdx.x] = threadIdx.x;
  asm volatile("bar.sync 0;" ::: "memory");
  int other = tile[63 - threadIdx.x];
  asm volatile("barrier.sync 1, 64;" ::: "memory");
  tile[threadIdx.x] = other;
  asm volatile("membar.gl; membar.sys; fence.gpu.sc; fence.cta.sc; fence.sys.sc;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta; nanosleep.u32 20;" ::: "memory");
  asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
  other = tile[threadIdx.x ^ 1];
  if (threadIdx.x % 4 == 1) {
    asm volatile("activemask.b32 %0;" : "=r"(active));
    y[threadIdx.x / 4] = active + (long long)other;
  }
}""",
    expected=[0x22222222 + 63 - 4 * n for n in range(16)],
    block=64,
)

MBARRIERS = Program(
    source=r"""
extern "C" __global__ void k(long long* y) {
  __shared__ unsigned long long bars[4];
  unsigned b = __cvta_generic_to_shared(bars);
  unsigned long long state;
  unsigned done[6];
#define ASK(n, text) asm volatile("{ .reg .pred p; " text " selp.u32 %0, 1, 0, p; }" \
                                  : "=r"(done[n]) : "r"(b), "l"(state) : "memory")
  asm volatile("mbarrier.init.shared.b64 [%0], 2;" :: "r"(b) : "memory");
  asm volatile("mbarrier.init.shared::cta.b64 [%0+8], 3;" :: "r"(b) : "memory");
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(b) : "memory");
  ASK(0, "mbarrier.test_wait.shared.b64 p, [%1], %2;");
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(b) : "memory");
  ASK(1, "mbarrier.try_wait.shared.b64 p, [%1], %2;");
  ASK(2, "mbarrier.test_wait.parity.shared.b64 p, [%1], 0;");
  asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0+8];" :: "r"(b) : "memory");
  asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 %0, [%1+8];"
               : "=l"(state) : "r"(b) : "memory");
  ASK(3, "mbarrier.test_wait.parity.shared.b64 p, [%1+8], 0;");
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0+8], 0;" :: "r"(b) : "memory");
  ASK(4, "mbarrier.try_wait.parity.shared::cta.b64 p, [%1+8], 0;");
  for (int n = 0; n < 3; ++n)
    asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0+8], 0;"
                 :: "r"(b) : "memory");
  ASK(5, "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [%1+8], 1;");
  asm volatile("mbarrier.inval.shared.b64 [%0];" :: "r"(b) : "memory");
  for (int n = 0; n < 6; ++n) y[n] = done[n];
}""",
    expected=[0, 1, 1, 0, 1, 1],
    block=1,
)

COPIES = Program(
    source=r"""
extern "C" __global__ void k(long long* y, const int* x) {
  __shared__ __align__(16) int tile[4][4];
  __shared__ unsigned long long bar;
  unsigned to = __cvta_generic_to_shared(tile), b = __cvta_generic_to_shared(&bar);
  asm volatile(R"({ .reg .pred p;
    mbarrier.init.shared.b64 [%0], 1;
    cp.async.cg.shared.global.L2::128B [%1], [%2], 16;
    cp.async.cg.shared.global [%1+16], [%2+16], 16;
    cp.async.commit_group;
    cp.async.ca.shared.global.L2::128B [%1+32], [%2+32], 4, 0;
    cp.async.ca.shared.global [%1+36], [%2+32], 4;
    cp.async.commit_group;
    cp.async.wait_group 1;
    cp.async.wait_all;
    cp.async.ca.shared.global [%1+40], [%2+40], 8;
    cp.async.mbarrier.arrive.shared.b64 [%0];
    mbarrier.arrive.shared.b64 _, [%0];
    again: mbarrier.test_wait.parity.shared.b64 p, [%0], 0; @!p bra again; })"
               :: "r"(b), "r"(to), "l"(__cvta_generic_to_global(x)) : "memory");
  for (int n = 0; n < 12; ++n) y[n] = tile[n / 4][n % 4];
}""",
    expected=[10, 11, 12, 13, 14, 15, 16, 17, 0, 18, 20, 21],
    block=1,
    arguments=(np.arange(10, 22, dtype=np.int32),),
)

CLUSTERS = Program(
    source=r"""
extern "C" __global__ void __cluster_dims__(2, 1, 1) k(long long* y) {
  __shared__ int mine;
  unsigned rank, theirs;
  int value;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  mine = 10 + rank;
  asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
  asm("mapa.shared::cluster.u32 %0, %1, %2;"
      : "=r"(theirs) : "r"((unsigned)__cvta_generic_to_shared(&mine)), "r"(rank ^ 1));
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(theirs) : "memory");
  asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
  y[blockIdx.x] = value;
}""",
    expected=[11, 10],
    block=1,
    grid=2,
)

REGISTERS = Program(
    source=r"""
extern "C" __global__ void k(long long* y) {
  unsigned v[14]; unsigned long long wide[2];
#define GET(n, name) asm volatile("mov.u32 %0, %%" name ";" : "=r"(v[n]))
  GET(0, "tid.x"); GET(1, "ctaid.y"); GET(2, "ntid.x"); GET(3, "nctaid.x"); GET(4, "laneid");
  GET(5, "lanemask_lt"); GET(6, "clusterid.x"); GET(7, "cluster_ctarank"); GET(8, "envreg1");
  GET(9, "envreg2"); GET(10, "clock"); GET(11, "tid.z");
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(wide[0]));
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(wide[1]));
  if (threadIdx.x == 5 && blockIdx.x == 1) {
    for (int n = 0; n < 10; ++n) y[n] = v[n];
    y[10] = wide[0] >= v[10]; y[11] = wide[1] > 0; y[12] = v[11];
  }
}""",
    expected=[5, 0, 32, 2, 5, 31, 1, 0, 0, 0, 1, 1, 0],
    grid=2,
)

PROGRAMS = {
    "parameters": PARAMETERS,
    "addresses": ADDRESSES,
    "calls": CALLS,
    "synchronising": SYNCHRONISING,
    "mbarriers": MBARRIERS,
    "copies": COPIES,
    "clusters": CLUSTERS,
    "special registers": REGISTERS,
}
