"""The race benchmarks of others on the simulated GPU, from their checkouts:

    python tests/race_benchmarks.py --indigo DIR --scor DIR --gpuverify DIR [--jobs N] > PAGE

Indigo (Liu, Azami, Walters, Burtscher: "The Indigo Program-Verification Microbenchmark Suite",
2022): DIR holds the 590 CUDA codes that its generators make, as those of HiRace's artifact in
indigo/indigo_sources. ScoR (Kamath, George, Basu: "ScoRD", ISCA 2020): its repository. GPUVerify
(Betts, Chong, Donaldson, Qadeer, Thomson, OOPSLA 2012): its repository; the tests in
testsuite/CUDA that pass, or fail for a race or a barrier. Nothing of theirs is copied here.
"""

from __future__ import annotations

import argparse
import datetime
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from in_parallel import add_jobs, in_order

from grader import cuda
from grader.compilers.parameters import parameters
from grader.cuda import simulator

HAZARDS = {"data_race", "barrier_divergence", "shuffle_divergence"}
STEPS = 200_000
SCHEDULES = ("lockstep", "forwards", "backwards")  # those of the judge


@dataclass(frozen=True)
class Code:
    """One benchmark: `racy` is what its authors say of it, `promised` that this is so only under
    conditions that the compiler does not see; `inputs` are made afresh by a seed."""

    name: str
    racy: bool
    source: str
    kernel: str
    grids: tuple[tuple[tuple, tuple], ...]  # (grid, block) to try
    options: tuple[str, ...] = ()
    promised: bool = False


@dataclass(frozen=True)
class Outcome:
    code: Code
    flagged: bool
    trouble: str  # what else went wrong, "" as a rule

    @property
    def right(self) -> bool:
        return self.flagged == self.code.racy and not (self.trouble and not self.code.racy)


def examine(code: Code, arguments) -> Outcome:
    """Run a code under several schedules and launches until a hazard is found."""
    trouble = ""
    try:
        for grid, block in code.grids:
            for order in SCHEDULES:
                module = module_of(code)  # afresh: its variables start anew
                kernel = module.get_function(code.kernel)
                with simulator.options(step_limit=STEPS, order=order):
                    found, error = _launch(kernel, grid, block, arguments(grid, block))
                if found:
                    return Outcome(code, True, "")
                trouble = trouble or error
    except cuda.CudaError as error:
        trouble = f"{error.status}: {error}"
    return Outcome(code, False, trouble)


def module_of(code: Code) -> simulator.RawModule:
    named = re.search(rf'extern\s+"C"[^;]*\b{code.kernel}\s*\(', code.source)
    names = () if named else (code.kernel,)
    return simulator.RawModule(code=code.source, options=code.options, name_expressions=names)


def _launch(kernel, grid, block, arguments) -> tuple[bool, str]:
    """Whether a hazard was found, and what else went wrong."""
    error = ""
    with simulator.observe() as run:
        try:
            kernel(grid, block, arguments)
        except cuda.CudaError as caught:
            error = f"{caught.status}: {caught}"
    found = any(one.status in HAZARDS and not one.warning for one in run.hazards)
    return found, "" if found else error


def device_part(source: str, extra: str = "") -> str:
    """The source without its host functions and the headers of its own."""
    kept = []
    for chunk in _definitions(re.sub(r'#\s*include\s*(".*"|<cuda\.h>|<std\w+\.h>)', "", source)):
        head = re.sub(r"//.*|/\*.*?\*/", "", chunk.partition("{")[0], flags=re.DOTALL)
        function = "{" in chunk and re.search(r"\w+\s*\([^()]*\)\s*$", head)
        if function and not re.search(r"__(global|device|host)__|\bstruct\b", head):
            chunk = "\n".join(re.findall(r"^\s*#.*", head, re.MULTILINE)) + "\n"
        kept.append(chunk)
    return extra + "".join(kept)


def _definitions(source: str) -> Iterator[str]:
    """Its parts, each up to the end of a definition or a declaration."""
    depth = start = 0
    for at, character in enumerate(source):
        depth += (character == "{") - (character == "}")
        if depth == 0 and character in "};":
            yield source[start : at + 1]
            start = at + 1
    yield source[start:]


def indigo(folder: Path) -> Iterator[Code]:
    """A code is racy if its name tells of a bug that is not one of bounds only."""
    for path in sorted(folder.rglob("*.cu")):
        bugs = {part for part in path.stem.split("_") if part.endswith("Bug")}
        source = device_part(path.read_text(errors="replace"))
        launches = (((2,), (64,)), ((40,), (64,)))
        yield Code(path.stem, bool(bugs - {"boundsBug"}), source, "test_kernel", launches)


def graph_arguments(source: str):
    """A random graph of 40 vertices, with room behind it: bounds are not the question here."""

    def arguments(grid, block):
        random, vertices = np.random.default_rng(1), 40
        degrees = random.integers(0, 70, vertices)
        room = grid[0] * block[0]
        index = np.concatenate([[0], np.cumsum(degrees), np.full(room, degrees.sum())])
        neighbours = random.integers(0, vertices, degrees.sum() + room)
        kind = re.search(r"typedef\s+([\w ]+?)\s+data_t", source)[1]
        data = {"int": np.int32, "float": np.float32, "double": np.float64, "char": np.int8}
        data |= {"short": np.int16, "unsigned long long": np.uint64}
        kind = data[kind]
        first, second = (np.zeros(len(neighbours) + room, kind) for _ in range(2))
        first[1:vertices] = random.integers(0, vertices, vertices - 1)
        second[1:vertices] = random.integers(0, 100, vertices - 1)
        if "parent" in source or "compress" in source:
            first[:vertices] = np.minimum(first[:vertices], np.arange(vertices))
        index, neighbours = index.astype(np.int32), neighbours.astype(np.int32)
        return index, neighbours, first, second, np.int32(vertices)

    return arguments


def scor(folder: Path) -> Iterator[Code]:
    """The microbenchmarks, with `volatile` left out of what they store: it makes every access
    strong, and in the memory model of today's CUDA no two strong accesses race. Loads keep it, for
    ScoR asks for no fence of the reader."""
    for path in sorted((folder / "microbenchmarks" / "src").glob("*.cu")):
        text = path.read_text()
        source = device_part(text).replace("volatile", "")
        source = source.replace("data[0] += ", "data[0] = data[0] + ")
        source = re.sub(r"= *data\[0\]", "= *(volatile unsigned int*)data", source)
        blocks, threads = (int(re.search(rf"{n}\s+(\d+)", text)[1]) for n in ("NBLOCKS", "TPERBLK"))
        launch = (((blocks,), (threads,)),)
        yield Code(path.stem, path.stem.startswith("race"), source, "kmain", launch)


def gpuverify(folder: Path) -> Iterator[Code]:
    """The tests whose outcome is about races or barriers, with the launch in their third line."""
    for path in sorted((folder / "testsuite" / "CUDA").rglob("kernel.cu")):
        text = path.read_text(errors="replace")
        outcome = text.partition("\n")[0].strip()
        said = re.findall(r"error: possible (.*)|(barrier may be reached)", text)
        about_races = any("race" in first or second for first, second in said)
        launch = re.search(r"--.*", text)
        kernel = re.search(r"__global__\s+(?:\w+\s+)*?(\w+)\s*\(", text)
        passes = outcome == "//pass"
        if not launch or not kernel or "annotation" in str(path) or not (passes or about_races):
            continue
        sides = tuple(_size(launch[0], name) for name in ("gridDim", "blockDim"))
        if None in sides or np.prod(sides[1]) > 1024:
            continue
        defines = tuple(re.findall(r"-D\S+", launch[0]))
        name = str(path.parent.relative_to(folder / "testsuite" / "CUDA"))
        source = device_part(text, _ANNOTATIONS)
        promised = "__requires(" in text or "--warp-sync" in launch[0]
        yield Code(name, not passes, source, kernel[1], (sides,), defines, promised)


# What GPUVerify's header gives: promises to the prover, which say nothing when a kernel runs.
_ANNOTATIONS = "".join(
    f"#define {name}(...)\n"
    for name in (
        *(
            "__requires",
            "__ensures",
            "__invariant",
            "__global_invariant",
            "__function_wide_invariant",
        ),
        *("__assert", "__assume", "__modifies", "__barrier_invariant", "__axiom", "assert"),
    )
)


def _size(launch: str, side: str) -> tuple[int, ...] | None:
    found = re.search(rf"--{side}=\[?([\d,]+)", launch)
    return tuple(int(number) for number in found[1].split(",")) if found else None


def plain_arguments(source: str, kernel: str):
    """Arrays with room for every thread, filled with small numbers; sizes as large as a block."""
    declared = parameters(source, kernel) or ()

    def arguments(grid, block):
        room = max(4096, 4 * int(np.prod(grid)) * int(np.prod(block)))
        made = []
        for parameter in declared:
            kind = parameter.dtype or np.dtype(np.int32)
            if parameter.pointer:
                made.append(np.zeros(room, kind))
            else:
                made.append(np.asarray(min(block[0], 127)).astype(kind)[()])
        return tuple(made)

    return arguments


SUITES = {"indigo": indigo, "scor": scor, "gpuverify": gpuverify}


def arguments_for(name: str, code: Code):
    """What makes the arguments for a code of the suite called `name`."""
    graph = graph_arguments(code.source) if name == "indigo" else None
    return graph or plain_arguments(code.source, code.kernel)


def run(name: str, folder: Path, jobs: int) -> list[Outcome]:
    """What each code of a suite comes to; those that come to the wrong thing are printed."""
    codes = list(SUITES[name](folder))
    outcomes = list(in_order(lambda one: examine(one, arguments_for(name, one)), codes, jobs))
    for one in outcomes:
        if not one.right:
            said = "flagged" if one.flagged else f"silent {one.trouble.partition(chr(10))[0]}"
            print(f"{name} {one.code.name}: {said.strip()}", file=sys.stderr)
    return outcomes


def version(folder: Path) -> str:
    """The commit of a checkout, "" where it is none."""
    asked = ["git", "-C", str(folder), "log", "-1", "--format=`%h` of %cs"]
    return subprocess.run(asked, capture_output=True, text=True).stdout.strip()


def row(name: str, outcomes: list[Outcome]) -> str:
    """A line of the table: of the racy codes, how many are flagged; of the others likewise."""
    count = Counter((one.code.racy, one.flagged) for one in outcomes)
    racy, clean = (sum(count[kind, found] for found in (True, False)) for kind in (True, False))
    stopped = sum(bool(one.trouble) for one in outcomes if not one.code.racy)
    return (
        f"| {name} | {count[True, True]} of {racy} | {count[False, True]} of {clean} | {stopped} |"
    )


_PAGE = """# Race benchmarks of others

Made by `python tests/race_benchmarks.py` on {date}, from checkouts of the suites named.
Every code runs on small inputs, in the three orders in which the judge searches for races. A data
race counts, and a barrier that not all threads reach.

| suite | racy, flagged | clean, flagged | clean, could not be run |
| --- | ---: | ---: | ---: |
{rows}

For the same 590 codes of Indigo, these results are published (Jacobson, Burtscher, Gopalakrishnan:
HiRace, SC 2024): HiRace finds all of the 346 racy ones, iGUARD 298, compute-sanitizer's racecheck
56 to 128.

- **Indigo**: a code is racy if its name contains a bug other than one of bounds. The arrays are so
  long that the other bugs stay within them. So the 64 codes with only a bug of bounds count as
  clean, with the 180 that have none. The graph is random and has 40 vertices.
- **ScoR**: its data is `volatile`, and in today's CUDA two volatile accesses do not race. The
  stores run without `volatile`. The loads keep it, because the suite requires no fence from the
  reader. The simulated GPU requires that fence before a plain store that depends on another
  thread's work. ScoR does not, and so one clean code is flagged:
  `norace_interwarp-block_fence_hrf-indirect`.
- **GPUVerify**: the tests that pass, or fail for a race or a barrier. GPUVerify proves kernels for
  all inputs. We run one input: zeros in the arrays, as many as there are threads, and sizes as
  large as a block. Some results are impossible with this method:
  - Two racy tests are missed, `loop_unwind` and `pointertests/cast`. They store to shared memory
    that nobody reads, and the compiler removes the stores. The program that runs has no race.
  - Some clean tests are flagged. `reduced_strength_with_requires` is clean only because
    `__requires` restricts its arguments. `shuffle`, `scan_warp`, `intragroup_scan` and `2d` in
    `warpsync` are clean only if the lanes of a warp never diverge (`--warp-sync`). No GPU has
    promised that since Volta.
  - Some tests could not be run. Most do not compile without the prover's own headers, or they use
    variables of the host, or textures. Some call functions that nobody defines, or take structures
    or pointers to functions, which plain numbers cannot replace. A few go out of bounds at the
    chosen sizes, or read a value that nobody wrote because lanes are not in step.
"""


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    for name in SUITES:
        asked.add_argument(f"--{name}", type=Path, metavar="DIR")
    add_jobs(asked)
    given = asked.parse_args()
    folders = {name: at for name in SUITES if (at := getattr(given, name))}
    rows = [
        row(f"{name} {version(at)}".strip(), run(name, at, given.jobs))
        for name, at in folders.items()
    ]
    print(_PAGE.format(date=datetime.date.today(), rows="\n".join(rows)), end="")


if __name__ == "__main__":
    main()
