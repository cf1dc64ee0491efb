"""Every kernel of the course with a launch for each, and Nsight Compute's counters for them, from
NVIDIA's `ncu` on a machine with a GPU; and docs/counters.md, which has the simulated GPU's beside
them.

python -m grader.bench.ncu    launches every work on the GPU, for `ncu` to profile
"""

import csv
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .. import course
from ..cuda import CudaError, gpu_count
from ..cuda.work import Work
from ..errors import BadInput, counted, unless
from ..page_templates import page_template
from ..profiler.profile import of_exercise, run_on_gpu, simulate
from ..watch.counters import METRICS
from . import microbenchmarks

PER_OPCODE = "sass__inst_executed_per_opcode"
OPCODES = {
    "atomics": {"ATOM", "ATOMG", "ATOMS", "RED", "REDG", "REDS"},
    "shuffles": {"SHFL"},
    "barriers": {"BAR"},
}
# What the same counts are called where a version of ncu does not have the first name.
INSTEAD = {
    "shared_load_requests": "sass__inst_executed_shared_loads",
    "shared_store_requests": "sass__inst_executed_shared_stores",
}

Launched = tuple[str, dict[str, float | None]]  # kernel name, counter -> count; None: not available


def works() -> list[Work]:
    """What is compared: the course's kernels, then the microbenchmarks."""
    return [*of_course()[0], *microbenchmarks.works()]


def measure(csv_path: Path) -> None:
    """Profile every work with ncu and leave what it prints at `csv_path`. Raises BadInput where
    there is no GPU, no ncu, or ncu fails."""
    unless(gpu_count(), BadInput("There is no GPU here; ncu counts on real hardware only."))
    unless(
        shutil.which("ncu"),
        BadInput("There is no ncu here; it comes with the CUDA toolkit (Nsight Compute)."),
    )
    csv_path.parent.mkdir(parents=True, exist_ok=True)
    raw = csv_path.with_suffix(".raw.csv")
    done = subprocess.run(
        command(raw), capture_output=True, text=True, check=False, encoding="utf-8"
    )
    unless(
        not done.returncode,
        BadInput(f"ncu failed:\n{(done.stdout + done.stderr)[-2000:]}\nSee {raw}."),
    )
    from cupy.cuda import runtime

    name = runtime.getDeviceProperties(0)["name"].decode()
    version = subprocess.run(
        ["ncu", "--version"], capture_output=True, text=True, check=True, encoding="utf-8"
    ).stdout.strip()
    csv_path.write_text(
        f"# {name}; ncu {version.splitlines()[-1]}\n{raw.read_text(encoding='utf-8')}",
        encoding="utf-8",
    )
    raw.unlink()


def command(csv_path: Path) -> list[str]:
    names = [name for name in METRICS.values() if not name.startswith(PER_OPCODE)]
    return [
        *("ncu", "--clock-control", "none", "--csv", "--page", "raw", "--print-units", "base"),
        *("--print-metric-instances", "details", "--log-file", str(csv_path)),
        *("--metrics", ",".join(dict.fromkeys([*names, *INSTEAD.values(), PER_OPCODE]))),
        *(sys.executable, "-m", __name__),
    ]


def hardware(csv_path: Path) -> str:
    """Which GPU and which ncu made the CSV."""
    first = csv_path.read_text(encoding="utf-8").partition("\n")[0]
    return first.removeprefix("# ") if first.startswith("# ") else "an unknown GPU"


def read(csv_path: Path) -> list[Launched]:
    """The launches in a CSV of ncu's, in order. Raises BadInput if it holds none."""
    text = csv_path.read_text(encoding="utf-8")
    return unless(
        [
            (row["Kernel Name"].partition("(")[0], _counts(row))
            for row in csv.DictReader(line for line in text.splitlines() if line.startswith('"'))
            if row["ID"]  # the row under the heads gives units
        ],
        BadInput(f"{csv_path} holds no launch that ncu measured."),
    )


def _counts(row: dict[str, str]) -> dict[str, float | None]:
    counts = {name: _number(row.get(metric)) for name, metric in METRICS.items()}
    counts |= {
        counter: _number(row.get(metric))
        for counter, metric in INSTEAD.items()
        if counts[counter] is None
    }
    return counts | {
        name: _of_opcodes(row.get(PER_OPCODE), wanted) for name, wanted in OPCODES.items()
    }


def _number(text: str | None) -> float | None:
    """ncu prints "n/a" or nothing for what a GPU does not count, and may add instances in
    parentheses."""
    try:
        return float((text or "").partition(" (")[0].replace(",", ""))
    except ValueError:
        return None


def _of_opcodes(text: str | None, wanted: set[str]) -> float | None:
    """`text` reads like "123 (BAR: 8; LDS: 115)"."""
    entries = re.findall(r"([A-Z][\w.]*): ([\d,]+)", text or "")
    counts = (int(n.replace(",", "")) for name, n in entries if name.partition(".")[0] in wanted)
    return float(sum(counts)) if entries else None


# ---- the course's kernels ----


def of_course() -> tuple[list[Work], dict[str, str]]:
    """Every kernel with a launch that ends well, and the names of those left out, with the
    reason."""
    known = {
        name: (work, problem(work) if work else "its lesson does not say how it is launched")
        for name, work in launches().items()
    }
    return (
        [work for work, reason in known.values() if work and not reason],
        {name: reason for name, (_, reason) in known.items() if reason},
    )


def launches(root: Path = course.KERNELS) -> dict[str, Work | None]:
    """By "lesson/file" how it is launched, as far as its lesson says: solutions as their exercise's
    largest visible case does, kernels that a lesson times as its benchmark does at a tiny size, and
    the others as its shown.py says."""
    found: dict[str, Work | None] = {}
    for lesson in course.lessons(root):
        timed = {
            source: Work(
                *_file(lesson, source),
                variant.launches(benchmark.tiny_size()),
                benchmark.arrays(np, benchmark.tiny_size()),
            )
            for benchmark in reversed(lesson.benchmarks)  # the first that times a file counts
            for variant in benchmark.variants.values()
            if isinstance(source := variant.source, str)
        }
        launched = (
            timed
            | {
                one.source: Work(*_file(lesson, one.source), one.launches, one.arrays, one.blank)
                for one in lesson.shown
            }
            | {
                exercise.source: max(
                    [
                        of_exercise(exercise, case, lesson.solution(exercise))
                        for case in exercise.cases
                        if case.visible
                    ],
                    key=lambda work: sum(array.size for array in work.inputs.values()),
                )
                for exercise in lesson.exercises
                if exercise.cases
            }
        )
        found |= {
            f"{lesson.name}/{path.stem}": launched.get(path.name)
            for path in sorted(lesson.path.glob("*.cu"))
        }
    return found


def problem(work: Work) -> str:
    """Why there is nothing to count; "" if there is."""
    try:
        simulate(work)
    except CudaError as error:
        return f"the simulated GPU stops it. {error}"
    return ""


def _file(lesson: course.Lesson, source: str) -> tuple[str, str]:
    """The name and the text of one of the lesson's files."""
    path = lesson.path / source
    return f"{lesson.name}/{path.stem}", path.read_text(encoding="utf-8")


# ---- docs/counters.md: the simulated GPU's counters beside Nsight Compute's ----

# In tables: a counter, its short name. All must be equal or within TOLERANCE.
COMPARED = {
    "global_load_requests": "load requests",
    "global_load_sectors": "load sectors",
    "global_store_requests": "store requests",
    "global_store_sectors": "store sectors",
    "shared_load_wavefronts": "shared load wavefronts",
    "shared_load_bank_conflicts": "load bank conflicts",
    "shared_store_wavefronts": "shared store wavefronts",
    "shared_store_bank_conflicts": "store bank conflicts",
    "atomics": "atomics",
    "barriers": "barriers",
    "shuffles": "shuffles",
}
TOLERANCE = 0.02

# By kernel, why its counts differ.
WHY = {
    name: " ".join(one["why"].split())
    for one in tomllib.loads(
        (Path(__file__).parent / "pages/counters.toml").read_text(encoding="utf-8")
    )["because"]
    for name in one["kernels"]
}


@dataclass(frozen=True)
class Cell:
    """One counter of one work."""

    counter: str
    simulated: int
    hardware: float | None  # None where ncu has no such counter

    @property
    def counts(self) -> bool:
        return bool(self.simulated or self.hardware)

    @property
    def state(self) -> str:
        """ "equal", "close" (within TOLERANCE, for counters that need not be equal), "differs" or
        "n/a"."""
        if self.hardware is None:
            return "n/a"
        if self.simulated == self.hardware:
            return "equal"
        near = abs(self.simulated - self.hardware) <= TOLERANCE * self.hardware
        return "close" if near and not self.counter.startswith("global") else "differs"


@dataclass(frozen=True)
class WorkCounters:
    """One work and its counters."""

    work: Work
    cells: dict[str, Cell]  # by counter


def compare(works: list[Work], launched: list[Launched]) -> list[WorkCounters]:
    """`launched` are the launches of `works` in the same order. Raises BadInput if they are not."""
    expected = [launch.kernel for work in works for launch in work.launches]
    unless(
        expected == [name for name, _ in launched],
        BadInput(
            f"ncu measured {counted(len(launched), 'launch', 'launches')}, of other kernels or in "
            f"another order than the {len(expected)} that are wanted: measure again."
        ),
    )
    rows, remaining = [], iter(launched)
    for work in works:
        counted_by_ncu = [next(remaining)[1] for _ in work.launches]
        totals = simulate(work).counters.total
        by_ncu = {counter: [counts[counter] for counts in counted_by_ncu] for counter in totals}
        rows.append(
            WorkCounters(
                work,
                {
                    counter: Cell(
                        counter,
                        count,
                        None if None in by_ncu[counter] else sum(filter(None, by_ncu[counter])),
                    )
                    for counter, count in totals.items()
                },
            )
        )
    return rows


def why(row: WorkCounters) -> str:
    """Why counts of this work differ, as far as it is known."""
    return WHY.get(row.work.name) or WHY.get(
        row.work.name.rpartition("/")[2].lstrip("0123456789_"), "not explained"
    )


def differences(rows: list[WorkCounters]) -> Iterator[tuple[WorkCounters, Cell]]:
    """The cells of COMPARED counters that differ."""
    return (
        (row, row.cells[counter])
        for row in rows
        for counter in COMPARED
        if row.cells[counter].state == "differs"
    )


# ---- docs/counters.md: the simulated GPU's counters beside Nsight Compute's ----


def page(rows: list[WorkCounters], left_out: dict[str, str], hardware: str) -> str:
    """Markdown: a summary, the counters of every kernel, what differs and why, instructions."""
    patterns = [row for row in rows if "_bytes," in row.work.name]
    return (
        page_template("bench/pages/counters.md", why=why).render(
            rows=rows,
            kernels=[row for row in rows if row not in patterns],
            patterns=patterns,
            different=list(differences(rows)),
            left_out=left_out,
            compared=COMPARED,
            metrics=METRICS,
            tolerance=f"{TOLERANCE:.0%}",
            hardware=hardware,
        )
        + "\n"
    )


if __name__ == "__main__":
    for work in works():
        run_on_gpu(work)
