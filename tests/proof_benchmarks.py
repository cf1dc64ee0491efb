"""Reasoning about the race benchmarks of others, from their checkouts:

    python tests/proof_benchmarks.py --gpuverify DIR --indigo DIR [--every N] [--jobs N]

The suites are those of `race_benchmarks`. Asked is whether two threads can race or can fail to meet
at a barrier or a shuffle, for any sizes and contents, in the launch that a test names (Indigo: in
any grid of blocks of 64 threads). Arrays are taken to be long enough: bounds are not the question.

*Proved* codes have no such question left. *Refuted* ones have one, and go wrong in a run on the
simulated GPU, too. All others are not decided. *Empty* ones are proved, too, but have no store or
atomic left when the compiler is done, whatever their source does. Clean codes that are so by a
promise to the prover alone (`__requires`, `--warp-sync`), which no compiler sees, count by
themselves.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
import race_benchmarks
import z3
from in_parallel import add_jobs, in_order
from race_benchmarks import Code

from grader import cuda
from grader.compilers.parameters import parameters
from grader.course import Rule
from grader.course.rules import DTYPES, RuleError
from grader.cuda.simulator import plain
from grader.proofs.launches import SECOND, Effort
from grader.proofs.loops import Undecided
from grader.proofs.search import Doubt, examined
from grader.ptx.link import link

LONG = 2**24  # elements of every array
SECONDS = 3.0
ASKED = ("race", "barrier", "warp")
_TYPES = {np.dtype(kind): name for name, kind in DTYPES.items()}
_TYPES |= {np.dtype(np.int8): "unsigned char"}


def rule_of(code: Code, fixed: bool) -> Rule:
    """Any numbers, in a launch that is `fixed` or in any grid. RuleError where the kernel has a
    parameter of a kind that no rule knows."""
    kinds = dict(map(reversed, re.findall(r"typedef\s+([\w ]+?)\s+(\w+)\s*;", code.source)))
    source = re.sub(r"\b\w+\b", lambda word: kinds.get(word[0], word[0]), code.source)
    declared = parameters(source, code.kernel) or ()
    given = []
    for number, one in enumerate(declared):
        if one.dtype is None or np.dtype(one.dtype) not in _TYPES:
            raise RuleError(f"`{one.text}` is of a type that is not reasoned about")
        length = f"[{LONG}]" if one.pointer else ""
        given.append(f"{_TYPES[np.dtype(one.dtype)]} a{number}{length}")
    (grid, block), *_ = code.grids
    sizes = zip("xyz", (*grid, 1, 1), strict=False)
    where = tuple(f"gridDim.{axis} == {size}" for axis, size in sizes) if fixed else ()
    return Rule("", code.kernel, tuple(given), (block,), where, grid=3 if fixed else 1)


def doubts(code: Code, fixed: bool) -> Iterator[Doubt]:
    """What may race or diverge. Undecided, RuleError, CudaError."""
    rule = rule_of(code, fixed)
    program = race_benchmarks.module_of(code).program
    function = next(f for name, f in program.functions.items() if plain(name) == code.kernel)
    for doubt in examined(program, link(program, function), rule, Effort(int(SECONDS * SECOND))):
        if doubt.question.fault in ASKED:
            yield doubt


def outcome(code: Code, fixed: bool, arguments) -> tuple[str, str]:
    """ "proved", "refuted", "not decided" or "empty", and why not."""
    try:
        found = list(islice(doubts(code, fixed), 1))
    except (Undecided, RuleError, cuda.CudaError, ValueError, z3.Z3Exception) as error:
        return "not decided", str(error).partition("\n")[0]
    if not found:
        return "empty" if _stores_nothing(code) else "proved", ""
    if race_benchmarks.examine(code, arguments).flagged:
        return "refuted", ""
    return "not decided", f"a {found[0].question.fault} could not be excluded"


def _stores_nothing(code: Code) -> bool:
    program = race_benchmarks.module_of(code).program
    verbs = {
        transfer.verb
        for function in program.functions.values()
        for one in function.instructions
        for _, transfer in one.form.transfers
    }
    return verbs <= {"reads"}


def examined_code(name: str, code: Code) -> tuple[str, str]:
    """As `outcome`, of a code of the suite called `name`."""
    return outcome(code, name == "gpuverify", race_benchmarks.arguments_for(name, code))


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    asked.add_argument("--gpuverify", type=Path, metavar="DIR")
    asked.add_argument("--indigo", type=Path, metavar="DIR")
    asked.add_argument("--every", type=int, default=1, help="take every so many codes only")
    add_jobs(asked)
    given = asked.parse_args()
    for name in ("gpuverify", "indigo"):
        if folder := getattr(given, name):
            codes = list(race_benchmarks.SUITES[name](folder))[:: given.every]
            _table(name, codes, given.jobs)


def _table(name: str, codes: list[Code], jobs: int) -> None:
    counts: Counter[tuple[str, str]] = Counter()
    outcomes = in_order(partial(examined_code, name), codes, jobs)
    for code, (found, why) in zip(codes, outcomes, strict=True):
        kind = "racy" if code.racy else "clean by a promise" if code.promised else "clean"
        counts[kind, found] += 1
        print(f"{name} {code.name}: {kind}, {found} {why}".rstrip(), file=sys.stderr, flush=True)
    for kind in ("racy", "clean", "clean by a promise"):
        row = ", ".join(
            f"{counts[kind, one]} {one}" for one in ("proved", "refuted", "not decided", "empty")
        )
        print(f"{name}, {kind}: {row}")


if __name__ == "__main__":
    main()
