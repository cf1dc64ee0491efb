"""The same answer gets the same verdict: judged first or again, here or there, whatever is cached.

Every .cu file of the lessons (solutions, mistakes, alternatives, what is shown) is compiled in
two folders with a shared cache, in both orders, and must give one program or one set of errors
(two of those with CUB, which take seconds each). A sample is judged so by the whole judge.
WARPWISE_VERDICTS=all takes every file and judges every answer.
"""

import os
import random

import pytest
import suites

from grader import compilers, course, disk_cache
from grader.cuda import CompileError
from grader.judge import judge

ALL = "WARPWISE_VERDICTS" in os.environ
SAMPLE = 3
BEFORE = "if (i < n) out[i] = a * x[i] + y[i];"
AFTER = "if (i < n) out[i] = a * x[i] + y[i] + (floor(i / 2) < -9 ? log2(blockDim.x) : 0);"


def answers() -> list[tuple[str, str]]:
    """(exercise id, source) of all there is to hand in."""
    found = []
    for lesson in course.lessons():
        found += [(exercise.id, lesson.solution(exercise)) for exercise in lesson.exercises]
        for wrong in lesson.wrong_kernels:
            found.append((f"{lesson.name}/{wrong.exercise}", wrong.source))
    for suite in ("alternatives", "mistakes"):
        found += [(one.exercise, one.source) for one in suites.answers(suite)]
    return found


ANSWERS = answers()
FILES = sorted(course.KERNELS.glob("**/*.cu"))
SLOW = [path for path in FILES if "#include <cub/" in path.read_text()]  # seconds each
if not ALL:
    FILES = [path for path in FILES if path not in SLOW[2:]]


def compiled(source: str):
    """The program, or what is said against it, as another process would get it."""
    compilers._kept.cache_clear()
    try:
        return compilers.compile_ptx(source)
    except CompileError as error:
        return error.diagnostics


@pytest.fixture
def elsewhere(tmp_path, monkeypatch, cache_home):
    """Work in a folder of that name, with one cache for all of them."""
    cache_home(tmp_path / "cache")

    def enter(name: str) -> None:
        (tmp_path / name).mkdir(exist_ok=True)
        monkeypatch.chdir(tmp_path / name)

    return enter


def chunks(items: list, count: int) -> list[list]:
    return [items[start::count] for start in range(count)]


@pytest.mark.costly
@pytest.mark.parametrize("files", chunks(FILES, 8), ids=range(8))
def test_every_kernel_is_one_program_wherever_it_was_compiled_first(files, elsewhere):
    sources = [path.read_text() for path in files]
    elsewhere("here")
    first = [compiled(source) for source in sources]
    elsewhere("there")
    assert [compiled(source) for source in reversed(sources)] == first[::-1]
    for damaged in disk_cache.of_user().folder.iterdir():
        damaged.write_bytes(damaged.read_bytes()[: damaged.stat().st_size // 2])
    assert [compiled(source) for source in sources[:4]] == first[:4]


PARTS = chunks(ANSWERS, 64) if ALL else [random.Random(7).sample(ANSWERS, SAMPLE)]


@pytest.mark.parametrize("part", PARTS, ids=range(len(PARTS)))
def test_every_answer_is_judged_alike_the_second_time(part, elsewhere):
    """What is judged first with an empty cache is judged last with a full one."""
    elsewhere("here")
    first = [judge(exercise, source) for exercise, source in part]
    elsewhere("there")
    again = [judge(exercise, source) for exercise, source in reversed(part)]
    assert [one.to_dict() for one in again[::-1]] == [one.to_dict() for one in first]


def test_functions_of_the_prelude_pass_every_time(elsewhere):
    lesson = course.lesson("00_first_kernel")
    source = lesson.solution(lesson.exercise("saxpy"))
    assert BEFORE in source
    source = source.replace(BEFORE, AFTER)
    assert '"prelude.h"' in compilers.compile_ptx(source).text
    elsewhere("here")
    verdicts = [judge("00_first_kernel/saxpy", source)]
    elsewhere("there")
    verdicts += [judge("00_first_kernel/saxpy", source), judge("00_first_kernel/saxpy", source)]
    assert [verdict.status for verdict in verdicts] == ["passed"] * 3
