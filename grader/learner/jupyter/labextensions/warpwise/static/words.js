/* The words of CUDA C++ that the editor colours, completes and explains in a line. */

const KEYWORDS = {
  __global__: 'a kernel: launched from the host, executed by every thread of a grid; returns void',
  __device__: 'a function or variable of the GPU: called, or seen, by kernels alone',
  __host__: 'a function of the CPU; with __device__ beside it, of both',
  __shared__: 'one copy for each block, seen by all of its threads, uninitialized at the start',
  __constant__: 'read-only for kernels, and fast where all lanes of a warp read one address',
  __restrict__: 'a promise that no other pointer leads to what this one does',
  __forceinline__: 'always put this function in place of its call',
  __noinline__: 'never put this function in place of its call',
  __launch_bounds__: '(threads[, blocks]): at most so many threads a block, so that registers are shared out',
  __align__: '(bytes): the type begins at a multiple of so many bytes',
  __cluster_dims__: '(x, y, z): how many blocks form a cluster'
};

const VARIABLES = {
  threadIdx: 'which thread of its block this is: .x, .y, .z from 0',
  blockIdx: 'which block of the grid this is: .x, .y, .z from 0',
  blockDim: 'how many threads a block has: .x, .y, .z',
  gridDim: 'how many blocks the grid has: .x, .y, .z',
  warpSize: 'how many lanes a warp has: 32'
};

const TYPES = {
  dim3: 'three whole numbers x, y, z; those left out are 1',
  float2: 'two floats .x .y, loaded as 8 bytes',
  float4: 'four floats .x .y .z .w, loaded as 16 bytes',
  int2: 'two ints .x .y, loaded as 8 bytes',
  int4: 'four ints .x .y .z .w, loaded as 16 bytes',
  uint4: 'four unsigned ints .x .y .z .w, loaded as 16 bytes',
  double2: 'two doubles .x .y, loaded as 16 bytes',
  __half: 'a 16-bit float (cuda_fp16.h)',
  __half2: 'two 16-bit floats, computed together (cuda_fp16.h)',
  __nv_bfloat16: 'a 16-bit float with the range of a 32-bit one (cuda_bf16.h)'
};

const FUNCTIONS = {
  __syncthreads: '(): all threads of the block wait here for each other, and see what was written before',
  __syncthreads_count: '(p): a barrier that tells every thread for how many of them p holds',
  __syncthreads_and: '(p): a barrier that tells every thread whether p holds for all',
  __syncthreads_or: '(p): a barrier that tells every thread whether p holds for any',
  __syncwarp: '(mask = all): the lanes named in mask wait for each other, and see what was written before',
  __threadfence: '(): what this thread wrote before is seen by the whole GPU before what it writes after',
  __threadfence_block: '(): the same order, as the threads of its block see it',
  __threadfence_system: '(): the same order, as other GPUs and the host see it',
  __shfl_sync: '(mask, value, lane): the value that `lane` holds',
  __shfl_up_sync: '(mask, value, delta): the value of the lane `delta` below; the lowest keep their own',
  __shfl_down_sync: '(mask, value, delta): the value of the lane `delta` above; the highest keep their own',
  __shfl_xor_sync: '(mask, value, bits): the value of the lane whose number differs in these bits',
  __ballot_sync: '(mask, p): a bit for each lane, set where p holds',
  __all_sync: '(mask, p): whether p holds in all lanes of mask',
  __any_sync: '(mask, p): whether p holds in any lane of mask',
  __activemask: '(): a bit for each lane that happens to execute this now',
  __match_any_sync: '(mask, value): the lanes that hold the same value',
  __match_all_sync: '(mask, value, &p): mask where all lanes hold the same value, else 0',
  __reduce_add_sync: '(mask, value): the sum over the lanes of mask; whole numbers alone',
  __reduce_max_sync: '(mask, value): the largest over the lanes of mask; whole numbers alone',
  __reduce_min_sync: '(mask, value): the smallest over the lanes of mask; whole numbers alone',
  atomicAdd: '(address, value): adds, undivided by others, and returns what was there',
  atomicSub: '(address, value): subtracts, undivided by others, and returns what was there',
  atomicMax: '(address, value): keeps the larger, and returns what was there',
  atomicMin: '(address, value): keeps the smaller, and returns what was there',
  atomicExch: '(address, value): writes, and returns what was there',
  atomicCAS: '(address, expected, value): writes if it finds what is expected, and returns what was there',
  atomicInc: '(address, most): counts up, and from `most` back to 0; returns what was there',
  atomicDec: '(address, most): counts down, and from 0 back to `most`; returns what was there',
  atomicAnd: '(address, bits): and, undivided by others; returns what was there',
  atomicOr: '(address, bits): or, undivided by others; returns what was there',
  atomicXor: '(address, bits): exclusive or, undivided by others; returns what was there',
  __popc: '(x): how many bits of x are set',
  __clz: '(x): how many zero bits x begins with',
  __ffs: '(x): which is the lowest bit set, from 1; 0 if none',
  __brev: '(x): the bits of x in reverse order',
  __umulhi: '(a, b): the upper 32 bits of the product',
  __mulhi: '(a, b): the upper 32 bits of the product, with sign',
  __fdividef: '(a, b): a / b, fast and less exact',
  __frcp_rn: '(x): 1 / x, correctly rounded',
  __fmaf_rn: '(a, b, c): a * b + c, rounded once',
  __expf: '(x): e to the x, fast and less exact',
  __logf: '(x): natural logarithm, fast and less exact',
  __float_as_int: '(x): the bits of a float as an int',
  __int_as_float: '(x): the bits of an int as a float',
  __float2half: '(x): a float rounded to 16 bits',
  __half2float: '(x): a 16-bit float as a float',
  __ldg: '(address): a load through the read-only cache',
  __ldcs: '(address): a load of what is read once (streaming)',
  __stcs: '(address, value): a store of what is not read again soon (streaming)',
  __pipeline_memcpy_async: '(shared, global, bytes): begins a copy into shared memory (cuda_pipeline.h)',
  __pipeline_commit: '(): ends a batch of copies (cuda_pipeline.h)',
  __pipeline_wait_prior: '(n): waits until at most n batches are on their way (cuda_pipeline.h)',
  __nanosleep: '(ns): this thread rests for about so long',
  clock64: '(): a counter of the clock cycles of this multiprocessor',
  make_float2: '(x, y): a float2',
  make_float4: '(x, y, z, w): a float4',
  make_int4: '(x, y, z, w): an int4',
  fmaxf: '(a, b): the larger; where one is NaN, the other',
  fminf: '(a, b): the smaller; where one is NaN, the other',
  fabsf: '(x): without its sign',
  fmaf: '(a, b, c): a * b + c, rounded once',
  expf: '(x): e to the x',
  exp2f: '(x): 2 to the x; on a GPU cheaper than expf',
  logf: '(x): natural logarithm',
  log2f: '(x): logarithm to base 2',
  sqrtf: '(x): square root',
  rsqrtf: '(x): 1 / square root of x',
  tanhf: '(x): hyperbolic tangent',
  INFINITY: 'a float beyond all others: what a maximum begins with, negated',
  FLT_MAX: 'the largest finite float'
};

const kindOf = (words, kind) => Object.entries(words).map(([name, help]) => [name, { kind, help }]);

/** Name -> {kind: keyword | variable | class | function, help}. */
export const WORDS = new Map([
  ...kindOf(KEYWORDS, 'keyword'),
  ...kindOf(VARIABLES, 'variable'),
  ...kindOf(TYPES, 'class'),
  ...kindOf(FUNCTIONS, 'function')
]);
