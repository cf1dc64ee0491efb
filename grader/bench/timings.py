"""What kernels took on a GPU, as data, and the file that keeps it: kernels/NN/measured.json."""

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import date
from pathlib import Path
from statistics import quantiles

from ..course import Benchmark, Lesson
from ..course.solution_counts import laid_out
from ..errors import BadInput, counted, unless

FILE = "measured.json"
Size = tuple[int, ...]


@dataclass(frozen=True)
class Device:
    """The GPU that was measured. `date` is ISO; `copy_gb_per_s` what a large copy reads and writes
    a second, in 1e9 bytes; `peak_gflop_per_s` the most fp32 operations its clock allows;
    `versions` of CUDA and of the libraries."""

    name: str
    date: str
    copy_gb_per_s: float
    peak_gflop_per_s: float
    l2_bytes: int
    versions: Mapping[str, str]


@dataclass(frozen=True)
class Timing:
    """One variant or library at one size: the median and the 10th and 90th percentile of its
    times in ms; `bytes` is the least the problem must move, `gb_per_s` that over the median, and
    `fraction` that over the device's copy."""

    variant: str
    size: Size
    ms: float
    low: float
    high: float
    bytes: int
    gb_per_s: float
    fraction: float
    flops: int | None = None


@dataclass(frozen=True)
class Begins:
    """That what follows is about `name` at `size`; "" is all together."""

    name: str
    size: Size


Finding = Begins | Timing | str


@dataclass(frozen=True, repr=False)
class Timings:
    """A benchmark's timings, in the order of its sizes, then of its variants; `skipped` are
    sentences about what is not among them, `extents` what the numbers of a size are called. No
    device and no rows where nothing was measured."""

    name: str
    title: str
    device: Device | None = None
    rows: tuple[Timing, ...] = ()
    skipped: tuple[str, ...] = ()
    extents: tuple[str, ...] = ("elements",)

    def __repr__(self) -> str:
        """Short: a notebook shows it under the table."""
        return f"<Timings of {self.name}: .rows, .ms(variant, size), .gb_per_s(variant, size)>"

    @property
    def measured_on(self) -> Device:
        """The device; only where something was measured."""
        return unless(self.device, ValueError(f"nothing was measured for {self.name}"))

    @property
    def sizes(self) -> tuple[Size, ...]:
        return tuple(dict.fromkeys(row.size for row in self.rows))

    @property
    def variants(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(row.variant for row in self.rows))

    def row(self, variant: str, size: Size) -> Timing | None:
        return next(
            (one for one in self.rows if (one.variant, one.size) == (variant, tuple(size))), None
        )

    def ms(self, variant: str, size: Size) -> float:
        """The median in ms; NaN where this was not measured."""
        return row.ms if (row := self.row(variant, size)) else math.nan

    def gb_per_s(self, variant: str, size: Size) -> float:
        """1e9 bytes per second, of those that must be moved; NaN where this was not measured."""
        return row.gb_per_s if (row := self.row(variant, size)) else math.nan


def timing(
    benchmark: Benchmark, variant: str, size: Size, times: Iterable[float], copy_gb_per_s: float
) -> Timing:
    """The figures that `times` (ms, two or more) come to."""
    tenths = quantiles(times, n=10, method="inclusive")
    ms, low, high = tenths[4], tenths[0], tenths[8]
    moved = benchmark.bytes(size)
    speed = moved / ms / 1e6
    return Timing(
        variant,
        tuple(size),
        ms=_rounded(ms),
        low=_rounded(low),
        high=_rounded(high),
        bytes=moved,
        gb_per_s=_rounded(speed),
        fraction=_rounded(speed / copy_gb_per_s),
        flops=benchmark.flops(size) if benchmark.flops else None,
    )


def gathered(
    benchmark: Benchmark,
    device: Device,
    found: Iterable[Finding],
    report: Callable[[str], object],
) -> Timings:
    """What was `found`, as one."""
    rows: list[Timing] = []
    skipped: list[str] = []
    for one in found:
        if isinstance(one, Timing):
            rows.append(one)
        elif isinstance(one, str):
            skipped.append(one)
        else:
            report(
                f"{benchmark.name} at {size_text(one.size)}, "
                f"{benchmark.sizes.index(one.size) + 1} of {counted(len(benchmark.sizes), 'size')}"
                f": {one.name}"
            )
    return Timings(
        *(benchmark.name, benchmark.title, device),
        rows=tuple(rows),
        skipped=tuple(dict.fromkeys(skipped)),
        extents=benchmark.extents,
    )


def _rounded(figure: float) -> float:
    """To four digits: the fifth is noise."""
    return float(f"{figure:.4g}")


def write(path: Path, device: Device, timings: Iterable[Timings]) -> None:
    """Keep timings on one device in a file, a row per line."""
    benchmarks = {
        one.name: {
            "title": one.title,
            "skipped": list(one.skipped),
            "rows": [asdict(row) for row in one.rows],
        }
        for one in timings
    }
    path.write_text(
        laid_out({"device": asdict(device), "benchmarks": benchmarks}, deep=4) + "\n",
        encoding="utf-8",
    )


def recorded(lesson: Lesson) -> dict[str, Timings]:
    """What the lesson's folder holds, by the name of the benchmark."""
    path = lesson.path / FILE
    return kept(path) if path.is_file() else {}


def kept(path: Path) -> dict[str, Timings]:
    """What a file holds, by the name of the benchmark. Raises BadInput if it is no such file."""
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
        device = Device(**held["device"])
        return {
            name: Timings(
                name,
                one["title"],
                device,
                tuple(Timing(**{**row, "size": tuple(row["size"])}) for row in one["rows"]),
                tuple(one["skipped"]),
            )
            for name, one in held["benchmarks"].items()
        }
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadInput(f"{path} holds no times as `grader bench` keeps them: {error!r}.") from error


def read(lesson: Lesson, benchmark: Benchmark) -> Timings:
    """What the lesson's folder holds of the benchmark; no rows and no device if nothing."""
    return replace(
        recorded(lesson).get(benchmark.name, Timings(benchmark.name, benchmark.title)),
        extents=benchmark.extents,
    )


def when(device: Device) -> str:
    """E.g. "on an NVIDIA H200 on 21 November 2026"."""
    day = date.fromisoformat(device.date)
    return (
        f"on {'an' if device.name.startswith('NVIDIA') else 'a'} {device.name} "
        f"on {day.day} {day:%B %Y}"
    )


def size_text(size: Size) -> str:
    """E.g. "128 x 2,048"."""
    return " x ".join(f"{extent:,}" for extent in size)


# ---- beside a recording ----

LEAST = 0.01  # of the time: less is no news, however sure


@dataclass(frozen=True)
class SpeedChange:
    """A variant or library at one size that became faster or slower than a recording."""

    benchmark: str
    variant: str
    size: Size
    then: float  # median in ms
    now: float  # median in ms

    @property
    def times_as_fast(self) -> float:
        return self.then / self.now


def changes(now: Timings, then: Timings) -> Iterator[SpeedChange]:
    """The rows that both have whose middle four fifths of the times do not even touch, and whose
    medians differ by LEAST or more."""
    for row in now.rows:
        before = then.row(row.variant, row.size)
        if (
            before
            and (row.low > before.high or before.low > row.high)
            and abs(row.ms - before.ms) >= LEAST * before.ms
        ):
            yield SpeedChange(now.name, row.variant, row.size, before.ms, row.ms)


def compared(now: Timings, then: Timings) -> int:
    """How many rows both have."""
    return sum(then.row(row.variant, row.size) is not None for row in now.rows)
