"""Who judges: so many at a time on this machine, or the workers of a Dask cluster."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    CancelledError,
    Executor,
    Future,
    ThreadPoolExecutor,
    wait,
)
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .. import course
from ..errors import CourseError, MachineError, of_the_machine
from ..judge import Verdict, judge
from ..judge.sandbox import landlock
from . import ClassroomError
from .cache_key import cache_key
from .store import Question, Store

PATIENCE = 15  # seconds until a scheduler must have answered, or a worker be there
LOOK = 1.0  # seconds between two looks whether anybody still works
RETRIES = 2  # what a lost worker had in hand goes to so many others before it counts as lost

_ADDRESS = re.compile(r"(tcp|tls|ws|wss|ucx)://(\[[\w:%.]+\]|[\w.-]+):(\d{1,5})/?")


@dataclass(frozen=True)
class Judges:
    """Where `answer` is executed, and how many are there to do it; None: always somebody.
    `confined`: only where nothing that others wrote can read files."""

    pool: Executor
    workers: Callable[[], int] | None = None
    confined: bool = True

    def ask(self, store: Store, questions: Iterable[Question]) -> Iterator[Question]:
        """Have the verdict on each question found and kept in `store`; the question as soon as
        that is done. MachineError when nobody is left who could."""
        expected = {one: store.cache_key(one.exercise.partition("/")[0]) for one in questions}
        doing = {
            self.pool.submit(answer, question, store.kernels, known, self.confined): question
            for question, known in expected.items()
        }
        for done in self._finished(set(doing)):
            store.keep(doing[done], _verdict(done))
            yield doing[done]

    def _finished(self, left: set[Future[Verdict]]) -> Iterator[Future[Verdict]]:
        alone_since = None
        while left:
            done, left = wait(left, LOOK if self.workers else None, FIRST_COMPLETED)
            yield from done
            if done or self.workers is None or self.workers():
                alone_since = None
                continue
            alone_since = alone_since or time.monotonic()
            if time.monotonic() - alone_since > PATIENCE:
                for one in left:
                    one.cancel()
                raise MachineError(
                    "The cluster has no workers any more, and had none for "
                    f"{PATIENCE} s: start some (`dask worker`), then give the same command again. "
                    "What is judged stays judged."
                )


def _verdict(done: Future[Verdict]) -> Verdict:
    """The result; what befell a worker is said as the machine's."""
    try:
        return done.result()
    except CourseError:
        raise
    except CancelledError as error:
        raise MachineError(
            "The connection to the cluster is lost: see to its scheduler, then give the same "
            "command again. What is judged stays judged."
        ) from error
    except Exception as error:
        if type(error).__name__ == "KilledWorker":  # Dask's, which need not be installed
            raise MachineError(
                f"{RETRIES + 1} workers of the cluster died over the same answer: see their logs, "
                "or judge here, without --scheduler."
            ) from error
        if known := of_the_machine(error):
            raise known from error
        raise


@contextmanager
def judges(
    jobs: int | None = None, scheduler: str | None = None, confined: bool = True
) -> Iterator[Judges]:
    """Those who judge: `jobs` verdicts at a time (by default one a CPU), each in a
    process of its own anyway; or the Dask cluster behind `scheduler`, e.g. tcp://host:8786. What
    has not begun when an exception passes through is called off. Unconfined where they are to be
    `confined`, as is right for what others wrote, and this machine cannot do that."""
    if scheduler:
        with _cluster(scheduler) as found:
            yield replace(found, confined=confined)
        return
    if confined:
        landlock.require()
    pool = ThreadPoolExecutor(jobs or os.cpu_count())
    try:
        yield Judges(pool, confined=confined)
    finally:
        pool.shutdown(cancel_futures=True)


def answer(question: Question, kernels: Path, expected: str, confined: bool) -> Verdict:
    """Judge a question by the lessons under `kernels` or, where there is no such folder, those
    of the machine this runs on. ClassroomError if they, or the grader, are not the `expected`
    cache key; Unconfined as `judges` says."""
    if confined:
        landlock.require()
    root = kernels if kernels.is_dir() else course.KERNELS
    lesson = question.exercise.partition("/")[0]
    if cache_key(root, lesson) != expected:
        raise ClassroomError(
            f"A worker has another version of {lesson} or of the grader than this machine: bring "
            "both to the same version, start the workers again, then give the same command."
        )
    return judge(question.exercise, question.source, seed=question.seed, root=root, steps=True)


@contextmanager
def _cluster(scheduler: str) -> Iterator[Judges]:
    if not (found := _ADDRESS.fullmatch(scheduler)) or int(found[3]) > 65535:
        raise ClassroomError(
            f"{scheduler!a} is no address of a Dask scheduler: write --scheduler tcp://HOST:PORT."
        )
    try:
        from distributed import Client
    except ImportError as error:
        raise ClassroomError(
            "--scheduler needs Dask, which is not installed: pip install 'warpwise[cluster]'."
        ) from error
    try:
        client = Client(scheduler, timeout=PATIENCE, set_as_default=False)
    except Exception as error:  # of sockets, of TLS, of whatever else answers there
        said = (str(error) or type(error).__name__).splitlines()[0]
        raise MachineError(f"No Dask scheduler answers at {scheduler}: {said}.") from error
    try:
        yield Judges(client.get_executor(retries=RETRIES), lambda: _workers(client))
    finally:
        with suppress(Exception):  # it may be gone by now
            client.close(timeout=LOOK)


def _workers(client: Any) -> int:
    """How many there are at this moment; none when the scheduler does not say."""
    try:
        return len(client.sync(client.scheduler.ncores, callback_timeout=PATIENCE))
    except Exception:
        return 0
