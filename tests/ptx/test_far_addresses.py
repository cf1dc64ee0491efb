"""Pointers that lead nowhere: every kind of access names the learner's line, whatever the address.

Addresses are 64 bits wide: they wrap, look negative, and fall into the windows of shared and local
memory. None of that may stop the simulated GPU itself, nor is an address told as one, or as an
element of an array that lies far away."""

import re

import numpy as np
import pytest

from grader.cuda import simulator
from grader.cuda.errors import Misaligned, OutOfBounds, UninitializedRead
from grader.machine.memory.spaces import LOCAL_WINDOW, SHARED_WINDOW, WINDOW_SIZE

EDGES = [0, 1 << 16, 1 << 40, SHARED_WINDOW, LOCAL_WINDOW, LOCAL_WINDOW + WINDOW_SIZE]
EDGES += [1 << 63, (1 << 64)]
ADDRESSES = [
    (edge + step) % (1 << 64) for edge in EDGES for step in (-(1 << 20), -16, -1, 0, 16, 1 << 20)
]
ACCESSES = {
    "load": "*out = *(const float*)where;",
    "byte": "*out = *(const char*)where;",
    "store": "*(float*)where = 1.0f;",
    "vector": "*(float4*)where = make_float4(1, 2, 3, 4);",
    "volatile": "*(volatile double*)where = 1.0;",
    "read-only": "*out = __ldg((const float*)where);",
    "global": 'asm volatile("st.global.u8 [%0], 1;" :: "l"(where));',
    "atomic": "atomicAdd((int*)where, 1);",
    "compare and swap": "atomicCAS((unsigned long long*)where, 1ull, 2ull);",
    "asynchronous": "__pipeline_memcpy_async(tile, (const void*)where, 16); __pipeline_commit();"
    "__pipeline_wait_prior(0);",
    "string": 'printf("%s", (const char*)where);',
    "format": "printf((const char*)where);",
    "free": "free((void*)where);",
    "function": "((void (*)())where)();",
}
LINE = 5
# The shared tile, what the compiler keeps in local memory, and null, which can be freed.
IN_USE = {0, SHARED_WINDOW, LOCAL_WINDOW}


def kernel(access):
    source = f"""#include <cuda_pipeline.h>
extern "C" __global__ void astray(unsigned long long where, float* out) {{
    __shared__ float tile[4];
    if (where == 12345) tile[threadIdx.x] = *out;
    {access}
}}"""
    return simulator.RawModule(code=source).get_function("astray")


@pytest.mark.parametrize("access", ACCESSES.values(), ids=ACCESSES)
def test_an_access_to_nowhere_is_out_of_bounds_on_its_line(access):
    astray = kernel(access)
    for address in ADDRESSES:
        try:
            astray((1,), (1,), (np.uint64(address), np.zeros(1, np.float32)))
        except (OutOfBounds, Misaligned, UninitializedRead) as error:
            assert error.line == LINE, hex(address)
            assert not re.search(r"0x|\[-?\d{7,}\]", str(error)), str(error)
        else:
            assert address in IN_USE, hex(address)


@pytest.mark.parametrize(
    "line",
    [
        "if (x[n + i] > 0) out[i] = y[i];",
        "float v = x[n + i]; if (i < n) out[i] = y[i] + v;",
        "auto at = [&](int k) { return x[n + k]; }; out[i] = y[i] + at(i);",
        "out[(int)y[i] * 0 + i] = x[n + i] + y[i];",
        "*(out + i) = x[n + i];",
    ],
)
def test_what_is_read_beyond_an_array_is_not_told_of_another_on_its_line(line):
    source = f"""extern "C" __global__ void beyond(
    const float* x, const float* y, float* out, int n) {{
    int i = threadIdx.x;
    {line}
}}"""
    arrays = [np.ones(32, np.float32) for _ in range(3)]
    with pytest.raises(OutOfBounds, match=r"reads `x\[32\]`"):
        simulator.RawModule(code=source).get_function("beyond")(1, 32, (*arrays, np.int32(32)))
