"""Who judges: so many at a time on this machine, or the workers of a Dask cluster."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from .. import course
from ..judge import Verdict, judge
from . import ClassroomError
from .store import Question, edition

PATIENCE = 15  # seconds until a scheduler must have answered
RETRIES = 2  # what a lost worker had in hand goes to so many others before it counts as lost


@contextmanager
def judges(jobs: int | None = None, scheduler: str | None = None) -> Iterator[Executor]:
    """An executor for `answer`: `jobs` verdicts at a time (by default one a CPU), each in a
    process of its own anyway; or the Dask cluster behind `scheduler`, e.g. tcp://host:8786. What
    has not begun when an exception passes through is called off."""
    pool = _cluster(scheduler) if scheduler else ThreadPoolExecutor(jobs or os.cpu_count())
    try:
        yield pool
    except BaseException:
        pool.shutdown(wait=not scheduler, cancel_futures=True)
        raise
    pool.shutdown()


def answer(question: Question, kernels: Path, expected: str) -> Verdict:
    """Judge a question by the lessons under `kernels` or, where there is no such folder, those
    of the machine this runs on. ClassroomError if they, or the grader, are not the `expected`
    edition."""
    root = kernels if kernels.is_dir() else course.KERNELS
    lesson = question.exercise.partition("/")[0]
    if edition(root, lesson) != expected:
        raise ClassroomError(
            f"A worker has another edition of {lesson} or of the grader than this machine: bring "
            "both to the same version, start the workers again, then give the same command."
        )
    return judge(question.exercise, question.source, seed=question.seed, root=root)


def _cluster(scheduler: str) -> Executor:
    try:
        from distributed import Client
    except ImportError as error:
        raise ClassroomError(
            "--scheduler needs Dask, which is not installed: pip install 'warpwise[cluster]'."
        ) from error
    try:
        client = Client(scheduler, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ClassroomError(f"No Dask scheduler answers at {scheduler}: {error}.") from error
    return client.get_executor(retries=RETRIES)
