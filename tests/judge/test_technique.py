"""A requirement is about what the answer is made of: what is done beside that counts nothing."""

import pytest
import small_lesson

from grader.judge import judge

ID = "01_add/add"
EXERCISES = """
import numpy as np
from grader.course import (
    DIVISION, LOAD_16, SHUFFLE, STORE_16, Ban, Case, Exercise, Expected, Kind, Launch, Problem,
    Requirement,
)

SHARED_ATOMIC = Kind("atomic on shared memory", {r"(atom|red)\\..*shared.*": 1})


def sums(rng):
    x = rng.integers(1, 10, (4, 32)).astype(np.float32)
    total = Expected(x.sum(axis=1, dtype=np.float64), np.float32)
    launch = Launch("add", 4, 32, ("x", "total", np.int32(128)))
    return Problem({"x": x}, {"total": total}, (launch,))


def halves(rng):
    x = rng.integers(1, 10, 128).astype(np.float32)
    y = Expected(x / 2.0, np.float32)
    return Problem({"x": x}, {"y": y}, (Launch("add", 1, 32, ("x", "y", np.int32(128))),))


exercise = Exercise(
    name="add",
    title="Add",
    source="1_add.cu",
    cases=(Case("in the way that is asked for", DRAWN, 1, STATED),),
)
"""
HEAD = 'extern "C" __global__ void add(const float* x, float* out, int n) {\n'
ROW = """
    const int lane = threadIdx.x, row = blockIdx.x;
    float sum = x[32 * row + lane];
"""
SERIAL = "float own = 0; for (int k = 0; k < 32; k++) own += x[32 * row + k];\n"
FOLD = "for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);\n"
WRITE = "if (lane == 0) out[row] = sum;\n"
SHUFFLED = 'requires=(Requirement(SHUFFLE, "32 lanes meet in 5 steps", levels=5),)'
PACKS = 'requires=(Requirement(LOAD_16, "packs"), Requirement(STORE_16, "packs"))'
UNDIVIDED = 'bans=(Ban(DIVISION, "a shift will do"),)'
NO_ATOMIC = 'bans=(Ban(SHARED_ATOMIC, "threads take turns there"),)'


@pytest.fixture
def judged(tmp_path):
    root = small_lesson.write(tmp_path)
    (root / "01_add" / "benchmarks.py").unlink()

    def judged(body, stated, drawn="sums"):
        text = EXERCISES.replace("DRAWN", drawn).replace("STATED", stated)
        (root / "01_add" / "exercises.py").write_text(text)
        return judge(ID, f"{HEAD}{body}}}\n", root=root)

    return judged


MET = {
    "folded down": ROW + FOLD + WRITE,
    "a butterfly": ROW + FOLD.replace("down", "xor") + WRITE,
    "from a lane by number": ROW
    + FOLD.replace("down_sync(~0u, sum, d)", "sync(~0u, sum, lane ^ d)")
    + WRITE,
    "one instruction for the warp": ROW
    + "int whole = __reduce_add_sync(~0u, (int)sum); sum = whole;\n"
    + WRITE,
    "in steps of its own": ROW
    + "".join(f"sum += __shfl_xor_sync(~0u, sum, {d});\n" for d in (1, 2, 4, 8, 16))
    + WRITE,
    "by a function of its own": ROW + FOLD + "if (lane > 0) return;\n out[row] = sum;\n",
}
DUMMIES = {
    "thrown away": ROW + SERIAL + FOLD + "sum = sum == 0.5f ? sum : own;\n" + WRITE,
    "multiplied by nothing": ROW + SERIAL + FOLD + "sum = own + 0.0f * sum;\n" + WRITE,
    "taken off again": ROW + SERIAL + FOLD + "sum = own + sum - sum;\n" + WRITE,
    "taken off with care": ROW
    + SERIAL
    + FOLD
    + "volatile float kept = sum; sum = own + kept; sum = sum - kept;\n"
    + WRITE,
    "never executed": ROW + SERIAL + "if (n < 0) {" + FOLD + "own += sum; } sum = own;\n" + WRITE,
    "predicated off": ROW + SERIAL + FOLD + "if (sum < 0) own += sum;\n sum = own;\n" + WRITE,
    "of something else": ROW
    + SERIAL
    + "float other = x[(32 * row + 32 + lane) % n];\n"
    + FOLD.replace("sum", "other")
    + "volatile float kept = other; sum = own + kept; sum = sum - kept;\n"
    + WRITE,
    "to itself": ROW
    + "for (int d = 0; d < 5; d++) sum = __shfl_sync(~0u, sum, lane);\n"
    + SERIAL
    + "sum = own;\n"
    + WRITE,
}


@pytest.mark.parametrize("body", MET.values(), ids=MET)
def test_whatever_brings_the_lanes_together_by_shuffles_is_what_is_asked_for(judged, body):
    assert judged(body, SHUFFLED).status == "passed"


@pytest.mark.parametrize("body", DUMMIES.values(), ids=DUMMIES)
def test_a_shuffle_beside_the_work_counts_nothing(judged, body):
    verdict = judged(body, SHUFFLED)
    assert verdict.status == "over_budget"
    assert "uses no shuffle" in verdict.message
    assert "32 lanes meet in 5 steps." in verdict.message


def test_who_goes_through_shared_memory_is_told_where(judged):
    body = f"""{ROW}
    __shared__ float tile[32];
    tile[lane] = sum;
    __syncwarp();
    sum = 0;
    for (int k = 0; k < 32; k++) {{
        sum += tile[k];
    }}
    {WRITE}"""
    verdict = judged(body, SHUFFLED)
    assert verdict.line == 11
    told = "out[0] uses no shuffle, and needs 5: x[0, 1] reaches it through"
    assert f"{told} shared memory on line 11" in verdict.message


PACK = "const float4 pack = reinterpret_cast<const float4*>(x)[threadIdx.x];\n"
HALVED = "make_float4(pack.x / 2, pack.y / 2, pack.z / 2, pack.w / 2)"
PUT = f"reinterpret_cast<float4*>(out)[threadIdx.x] = {HALVED};\n"
ONE_BY_ONE = "for (int i = threadIdx.x; i < n; i += 32) out[i] = x[i] / 2;\n"
ASYNC = """
    __shared__ float4 tile[32];
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(tile + threadIdx.x));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(x + 4 * threadIdx.x));
    asm volatile("cp.async.wait_all;" ::: "memory");
    const float4 pack = tile[threadIdx.x];
"""


@pytest.mark.parametrize("load", [PACK, ASYNC], ids=["a load", "an asynchronous copy"])
def test_sixteen_bytes_may_be_loaded_in_any_way(judged, load):
    verdict = judged(load + PUT, PACKS, "halves")
    assert verdict.status == "passed", verdict.message


def test_a_pack_that_is_loaded_and_thrown_away_counts_nothing(judged):
    dummy = f"{PACK} if (pack.x < 0) out[0] = pack.x + pack.y + pack.z + pack.w;\n"
    verdict = judged(dummy + ONE_BY_ONE, PACKS, "halves")
    assert verdict.status == "over_budget"
    assert "x[0] reaches out[0] through no 16-byte load" in verdict.message
    assert "The same holds for 127 other elements. Packs." in verdict.message


def test_the_store_is_asked_for_too(judged):
    stores = "float4 half = HALVED; for (int i = 0; i < 4; i++)\n"
    stores = stores.replace("HALVED", HALVED)
    stores += "out[4 * threadIdx.x + i] = i == 0 ? half.x : i == 1 ? half.y : i == 2 ? half.z "
    verdict = judged(PACK + stores + ": half.w;\n", PACKS, "halves")
    assert "no 16-byte store to global memory wrote out[0]: " in verdict.message


def test_a_division_on_the_way_of_an_index_is_seen_and_one_beside_it_is_not(judged):
    whole = "for (int i = threadIdx.x; i < n; i += 32) "
    of_index = f"{whole}out[i / (n / 128)] = 0.5f * x[i];\n"
    verdict = judged(of_index, UNDIVIDED, "halves")
    assert verdict.status == "over_budget" and verdict.line == 2
    assert "is computed with a division on line" in verdict.message
    beside = f"if (n / (1 + threadIdx.x) > 9999) return;\n{whole}out[i] = 0.5f * x[i];\n"
    assert judged(beside, UNDIVIDED, "halves").status == "passed"


def test_an_author_may_ban_a_kind_of_instruction_of_their_own(judged):
    body = f"{ROW} __shared__ float all; if (lane == 0) all = 0; __syncwarp();\n"
    body += f"atomicAdd(&all, sum);\n__syncwarp(); sum = all;\n{WRITE}"
    verdict = judged(body, NO_ATOMIC)
    assert "out[0] is computed with an atomic on shared memory on line" in verdict.message
    assert judged(ROW + FOLD + WRITE, NO_ATOMIC).status == "passed"


def test_what_cannot_be_followed_is_not_taken_for_what_is_asked(judged):
    much = f"__device__ float spare[1 << 23];\n{HEAD}"
    assert "spare" in much
    body = ROW + FOLD + WRITE
    with pytest.MonkeyPatch.context() as patched:
        patched.setitem(globals(), "HEAD", much)
        verdict = judged(body + "if (n < 0) out[0] = spare[n];\n", SHUFFLED)
    assert (
        verdict.status == "over_budget" and "could not trace how it is computed" in verdict.message
    )
