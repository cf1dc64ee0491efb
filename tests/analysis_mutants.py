"""Which changes of the analysis its tests would not notice:

    python tests/analysis_mutants.py [NAME] [--part K/M]

Each operation that meanings of instructions are written with, each way to compute with integers and
each lemma about loops (or the one called NAME) is changed in one place after the other, and what
the suite asks of the analysis is asked again. Changes that it does not notice are printed, unless
equivalent_analysis_mutants.toml says why they say the same.
"""

from __future__ import annotations

import argparse
import random
import signal
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from inspect import isfunction, unwrap
from pathlib import Path
from typing import Any

import arithmetic_checks
import instruction_meanings
import random_programs
import traced_loops
import value_meanings
from analysed_loops import LOOPS, wrong_about
from instruction_meanings import INSTRUCTIONS
from python_mutants import difference, mutants

from grader.proofs import meanings, thread
from grader.proofs.meanings import OnIntegers
from grader.proofs.values import Arithmetic

FILE = Path(__file__).with_name("equivalent_analysis_mutants.toml")
SECONDS = 60  # of the processor's, after which a change is noticed, since nothing comes to an end
PROGRAMS = 60  # that the suite draws
OPERANDS = 3  # of each instruction

HELPERS = (
    *("computed", "_converted", "_on_bits", "_number", "_masked", "_runs", "_field"),
    *("_bounded", "_apart"),
)
COMPUTING = (
    *(
        "read_as",
        "address",
        "_owe",
        "integer",
        "_start",
        "fresh",
        "wrapped",
        "product",
        "named_sum",
    ),
    *("floor_quotient", "quotient", "low_bits", "chosen", "merged", "_merged_conditions"),
    *("condition", "_merged_integers", "_derived"),
)
ABOUT_LOOPS = (
    *("_learned", "_step", "_at_start", "_integer", "_even", "_epoch", "leaving", "_grouped"),
    *("_say_what_was_before", "_one_step_back", "_not_passed", "_steps_of"),
    *("_head", "_copied", "_twin", "_try"),
)


@dataclass(frozen=True)
class Place:
    """A function that is changed, where it is found, and what notices it."""

    room: Any
    name: str
    noticed: Callable[[], bool]

    @property
    def function(self) -> Callable:
        return unwrap(vars(self.room)[self.name])


@dataclass(frozen=True)
class Survivor:
    """A change that nothing notices: what a function has in place of what."""

    name: str
    before: str
    after: str


@cache
def programs() -> dict[int, tuple]:
    drawn = {seed: random_programs.drawn(seed) for seed in range(PROGRAMS)}
    left = random_programs.executed(drawn)
    return {seed: (one, random_programs.rows(one, seed), left[seed]) for seed, one in drawn.items()}


def in_instructions(name: str) -> Callable[[], bool]:
    """Whether those that a function is for (a helper: all) are not understood as they must be."""
    found = [one for one in INSTRUCTIONS if name in one.operations()] or INSTRUCTIONS

    def noticed() -> bool:
        if value_meanings.wrong():
            return True
        for check in arithmetic_checks.CHECKS:
            check()
        return any(instruction_meanings.wrong(one, OPERANDS) for one in found) or any(
            random_programs.wrong(*one) for one in programs().values()
        )

    return noticed


def in_loops() -> bool:
    if value_meanings.wrong() or any(map(traced_loops.wrong_about, traced_loops.TRACED)):
        return True
    return any(map(wrong_about, LOOPS))


def places() -> list[Place]:
    found = [Place(meanings, name, in_instructions(name)) for name in HELPERS]
    operations = [name for name, one in vars(OnIntegers).items() if isfunction(one)]
    found += [Place(OnIntegers, name, in_instructions(name)) for name in operations]
    found.append(Place(meanings, "_compared", in_loops))  # which also keeps what loops go by
    found += [Place(Arithmetic, name, in_instructions(name)) for name in COMPUTING]
    found += [Place(thread.AnyRound, name, in_loops) for name in ABOUT_LOOPS]
    return [*found, Place(thread, "not_passed", in_instructions("not_passed"))]


def survives(place: Place, mutant: Callable) -> bool:
    function = place.function
    code = function.__code__
    function.__code__ = mutant.__code__  # for whoever holds the function, too
    try:
        with _at_most(SECONDS):
            return not place.noticed()
    except Exception:
        return False
    finally:
        function.__code__ = code


@contextmanager
def _at_most(seconds: int) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)  # of the processor's time
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def survivor(place: Place, text: str) -> Survivor:
    return Survivor(place.name, *difference(place.function, text))


@cache
def explained() -> dict[Survivor, str]:
    """The changes that say the same, and why."""
    kept = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return {
        Survivor(name, one["before"], after): one["because"]
        for name, ones in kept.items()
        for one in ones
        for after in one["after"]
    }


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    asked.add_argument("name", nargs="?", default="")
    asked.add_argument("--part", default="1/1", metavar="K/M", help="the Kth of M parts of them")
    given = asked.parse_args()
    part, parts = map(int, given.part.split("/"))
    tried = [
        (place, text, mutant)
        for place in places()
        if given.name in ("", place.name)
        for text, mutant in mutants(place.function)
    ][part - 1 :: parts]
    random.Random(part).shuffle(tried)  # so that one that is stopped has seen some of each
    left = 0
    for number, (place, text, mutant) in enumerate(tried):
        print(f"({number})", end="\r", flush=True)
        if survives(place, mutant):
            one = survivor(place, text)
            why = explained().get(one)
            left += why is None
            print(f"{one.name}\n  - {one.before}\n  + {one.after}\n    {why or '?'}", flush=True)
    print(f"{len(tried)} changes, {left} neither noticed nor explained")


if __name__ == "__main__":
    main()
