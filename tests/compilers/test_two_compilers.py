"""The same verdict whichever compiler there is: a part of what `python tests/two_compilers.py`
judges whole. docs/compilers.md tells the exceptions."""

import random

import pytest
import two_compilers

from grader import compilers

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not all(one.available() for one in compilers.COMPILERS.values()),
        reason="needs both compilers",
    ),
]
EVERYTHING = {
    one.name: one for one in two_compilers.everything() if one.path not in two_compilers.EXCEPTIONS
}
# Their line is that of a step, or of what costs most, which each compiler's table places anew.
EXPLAINED = {"wrong_answer", "over_budget"}
SAMPLE = random.Random(18).sample(sorted(EVERYTHING), 18)


@pytest.mark.parametrize("name", SAMPLE)
def test_a_kernel_gets_the_same_verdict_from_either_compiler(name):
    found = {}
    for compiler in compilers.COMPILERS:
        with compilers.used(compiler):
            found[compiler] = two_compilers.found(EVERYTHING[name])
    first, second = found.values()
    assert (first.status, first.points, first.cases) == (second.status, second.points, second.cases)
    if first.status not in EXPLAINED:
        assert first.line == second.line


def test_a_verdict_says_which_compiler_it_hangs_on():
    solution = next(one for one in EVERYTHING.values() if one.kind == "solution")
    for compiler in compilers.COMPILERS:
        with compilers.used(compiler):
            assert two_compilers.judged(solution).compiler == compiler


def test_every_exception_is_there():
    assert {one.path for one in two_compilers.everything()} >= two_compilers.EXCEPTIONS
