"""`python tests/messages.py [WORD]`: each mistake beside what is said of it, to be read by people.

Every kernel of kernels/*/wrong, tests/broken and tests/wrong_advice, or those whose path contains
WORD: the first line, in which its author says what is wrong, and below it what a learner reads.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from kernel_files import KernelFile, broken, run

from grader import course, cuda
from grader.cuda import simulator
from grader.judge import judge


def main() -> None:
    word = sys.argv[1] if len(sys.argv) > 1 else ""
    for path, mistake, message in (*_wrong(word), *_broken(word)):
        print(f"## {path}\n{mistake}\n{message}\n", flush=True)


def _wrong(word: str) -> Iterator[tuple[str, str, str]]:
    for lesson in course.lessons():
        for wrong in lesson.wrong_kernels:
            name = f"kernels/{lesson.name}/{wrong.exercise}/{wrong.name}"
            if word in name:
                verdict = judge(f"{lesson.name}/{wrong.exercise}", wrong.source)
                said = dict.fromkeys(
                    f"{case.status}: {case.message}" for case in verdict.cases if case.message
                )
                yield name, wrong.mistake, "\n".join(said)


def _broken(word: str) -> Iterator[tuple[str, str, str]]:
    for kernel in broken():
        if word in str(kernel.path):
            path = kernel.path.relative_to(course.KERNELS.parent)
            yield str(path), kernel.source.splitlines()[0], said_of(kernel)


def said_of(kernel: KernelFile) -> str:
    """What the simulated GPU says of a kernel."""
    try:
        with simulator.options(step_limit=100_000):
            run(kernel, simulator.RawModule, simulator.empty)
    except cuda.CudaError as error:
        return f"{error.status}: {error}"
    return "clean"


if __name__ == "__main__":
    main()
