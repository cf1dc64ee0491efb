"""The same verdict whichever compiler there is: docs/compilers.md tells the exceptions."""

import random

import pytest

from grader import course
from grader.cuda import compilers
from grader.judge import judge

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not all(one.available() for one in compilers.COMPILERS.values()),
        reason="needs both compilers",
    ),
]
# Where the two differ, and why, is told in docs/compilers.md.
EXCEPTIONS = {
    "06_pack_vectorization/largest_without_a_start",
    "06_pack_vectorization/union_over_bytes",
}
ALL = {
    f"{lesson.name}/{wrong.name}": (f"{lesson.name}/{wrong.exercise}", wrong.source)
    for lesson in course.lessons()
    for wrong in lesson.wrong_kernels
}
SAMPLE = random.Random(18).sample(sorted(ALL.keys() - EXCEPTIONS), 16)


@pytest.mark.parametrize("name", SAMPLE)
def test_a_mistake_gets_the_same_verdict_from_either_compiler(name, monkeypatch):
    verdicts = {}
    for compiler in compilers.COMPILERS:
        monkeypatch.setenv(compilers.CHOICE, compiler)
        verdicts[compiler] = judge(*ALL[name])
        assert verdicts[compiler].compiler == compiler
    first, second = verdicts.values()
    assert (first.status, first.points, first.line) == (second.status, second.points, second.line)
    assert [case.status for case in first.cases] == [case.status for case in second.cases]
