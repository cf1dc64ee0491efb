"""Long tables made by several processes: `--jobs N` of suites, proofs and benchmarks."""

from __future__ import annotations

import argparse
import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

Thing = TypeVar("Thing")

_work: tuple[Callable[[Any], Any], Sequence[Any]]  # what forked processes find here


def in_order(function: Callable[[Thing], Any], things: Sequence[Thing], jobs: int) -> Iterator[Any]:
    """What a function makes of each of some things, in their order, by so many processes. Things
    need not be picklable, results do."""
    global _work
    if jobs == 1:
        yield from map(function, things)
        return
    _work = function, things
    with multiprocessing.get_context("fork").Pool(jobs, maxtasksperchild=20) as pool:
        yield from pool.imap(_nth, range(len(things)))


def _nth(number: int) -> Any:
    function, things = _work
    return function(things[number])


def add_jobs(asked: argparse.ArgumentParser) -> None:
    asked.add_argument("--jobs", type=int, default=1, metavar="N", help="by so many processes")
