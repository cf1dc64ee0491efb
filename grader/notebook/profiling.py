"""profile(), compare() and ptx(): what a kernel costs, line by line, as Nsight Compute's source
page has it, and what it was made into.

bench(): a lesson's kernels timed on this machine's GPU, or as they were on ours.
"""

import re
from dataclasses import dataclass
from math import inf, prod

from IPython.display import display

from grader import compilers, cuda
from grader.bench import timings as records
from grader.cuda import simulator
from grader.cuda.errors import lines_of, visible
from grader.cuda.limits import DEFAULT, Dim
from grader.grouped import grouped
from grader.profiler.profile import occupancy, wastes
from grader.watch.counters import METRICS, Counters
from grader.watch.observe import Run
from grader.watch.recording import recordings

from . import cards
from .session import Kernel, current, run_of

# ---- profile ----


def profile(
    what: object,
    grid: Dim | None = None,
    block: Dim | None = None,
    args: tuple[object, ...] = (),
    shared_mem: int = 0,
) -> None:
    """Show what each line of a kernel cost, what limits it and what to do about its worst line.
    `what` is a run that `watch` returned, or a kernel, launched on copies of `args`."""
    display(
        profile_page(
            run_of(
                what,
                (grid, block, args, shared_mem),
                "`profile` shows what `watch(...)` returned, or a launch, as in "
                "`profile(kernel, (1,), (32,), (x, n))`.",
            ),
            shared_mem,
        )
    )


def profile_page(run: Run, shared_mem: int = 0) -> cards.Page:
    """Counts of the simulated GPU: exact as counts, and no times."""
    lines = source_table(run.source, run.counters)
    advice = wastes(run.counters)[:2] or [
        "No line wastes much: the figures are near the least that these accesses can cost. To get "
        "faster, do less of the line that takes most instructions."
    ]
    if recordings(run):  # what the launch's shape allows on the default architecture
        last = recordings(run)[-1]
        static = sum(
            map(
                int,
                re.findall(
                    r"\.shared\s[^;]*?\[(\d+)\]\s*;", compilers.compile_ptx(run.source).text
                ),
            )
        )
        advice.append(f"{DEFAULT}: {occupancy(prod(last.grid), last.threads, static + shared_mem)}")
    head = cards.line(
        "note",
        f"Profile of `{_kernel(run)}`",
        "Look at the largest number of each column first (the darkest cell): it costs most.",
    )
    return cards.Page(
        head.html + cards.boxed("note", cards.sentences(*advice)).html + lines.html,
        "\n".join([head.text, lines.text, *advice]),
    )


def _kernel(run: Run) -> str:
    return recordings(run)[-1].kernel if recordings(run) else "kernel"


# ---- a kernel's source with what each line cost ----


@dataclass(frozen=True)
class _Column:
    """What is told of each line: counters added up, and how many times the ideal they are."""

    heading: str
    title: str
    counters: tuple[str, ...]

    def cost(self, counts: dict[str, int]) -> int:
        """Colours a line by its share of the whole."""
        return sum(counts[name] for name in self.counters)

    def show(self, counts: dict[str, int]) -> str:
        paid = self.cost(counts)
        least = sum(counts.get(f"{name}_ideal", 0) for name in self.counters)
        more = f" ×{paid / least:.1f}" if 0 < least < paid else ""  # noqa: RUF001
        return f"{paid:,}{more}" if paid else ""


class _Lanes(_Column):
    """Threads of a warp that took part, which cost nothing."""

    def show(self, counts: dict[str, int]) -> str:
        warps = counts["inst_executed"]
        return f"{counts['thread_inst_executed'] / warps:.1f}" if warps else ""


_LANES = _Lanes("active lanes", "threads of a warp that took part, of 32", ())
_COLUMNS = (
    _Column("instructions", "PTX instructions that warps executed", ("inst_executed",)),
    _LANES,
    _Column("divergent", "branches at which a warp parted", ("divergent_branches",)),
    _Column(
        "sectors",
        "32-byte sectors of global memory; times the fewest possible",
        ("global_load_sectors", "global_store_sectors"),
    ),
    _Column(
        "wavefronts",
        "passes of shared memory; times the fewest possible",
        ("shared_load_wavefronts", "shared_store_wavefronts"),
    ),
    _Column("atomics", "atomic instructions of warps", ("atomics",)),
    _Column("shuffles", "shuffles of warps", ("shuffles",)),
    _Column("barriers", "warps that came to a barrier", ("barriers",)),
)


def source_table(source: str, counters: Counters) -> cards.Page:
    """The lines of `source` with their counts, the first column being the share of all warp
    instructions; columns in which nothing stands are left out."""
    by_line = counters.lines
    columns = [one for one in _COLUMNS if one is _LANES or any(map(one.cost, by_line.values()))]
    rows = [(at, text, by_line.get(at)) for at, text in enumerate(lines_of(source), start=1)]
    texts = [
        (
            str(at),
            *(one.show(counts) for one in columns),
            visible(text.partition("//")[0].strip()),
        )
        for at, text, counts in rows
        if counts and any(counts.values())
    ]
    return cards.Page(
        cards.html_of("source_table", columns, rows, counters.total),
        cards.aligned(
            [("line", *(one.heading for one in columns), "source"), *texts],
            left=[len(columns) + 1],
        ),
    )


# ---- compare ----


def compare(
    a: object,
    b: object,
    grid: Dim | None = None,
    block: Dim | None = None,
    args: tuple[object, ...] = (),
    shared_mem: int = 0,
) -> None:
    """Show the counters of two runs side by side: of `watch`, or of two kernels, each launched on
    copies of `args`."""
    runs = [
        run_of(
            one,
            (grid, block, args, shared_mem),
            "`compare` sets two runs side by side that `watch(...)` returned, or two kernels and a "
            "launch, as in `compare(before, after, (1,), (32,), (x, n))`.",
        )
        for one in (a, b)
    ]
    display(compare_page(*runs))


def compare_page(a: Run, b: Run) -> cards.Page:
    """Counters that are not the same in both, those that changed most first."""
    pairs = {name: (a.counters.total[name], b.counters.total[name]) for name in METRICS}
    # How many times one is the other; what one of them has not counts as most.
    times = {name: max(two) / min(two) if min(two) else inf for name, two in pairs.items()}
    rows = [
        (name, f"{x:,}", f"{y:,}", f"{y / x:.2f} times" if x and y else f"{y - x:+,}")
        for name, (x, y) in sorted(pairs.items(), key=lambda pair: -times[pair[0]])
        if x != y and not name.endswith("_ideal")
    ]
    first, second = _kernel(a), _kernel(b)
    named = (f"{first} (first)", f"{second} (second)") if first == second else (first, second)
    if not rows:
        return cards.line(
            "note", "No counter differs", f"`{named[0]}` and `{named[1]}` cost alike."
        )
    look = f"Look at `{rows[0][0]}` first: it changed most ({rows[0][3]})."
    width = max(len(row[0]) for row in rows)
    text = "\n".join(f"  {r[0]:<{width}}  {r[1]:>12}  {r[2]:>12}  {r[3]}" for r in rows)
    return cards.Page(
        cards.html_of(
            "card",
            "note",
            cards.html_of("heading", "note", f"{cards.code(named[0])} and {cards.code(named[1])}"),
            cards.paragraph(look),
            cards.html_of(
                "table",
                ("Counter", *map(cards.code, named), "Change"),
                [(cards.code(r[0]), *r[1:]) for r in rows],
            ),
        ),
        f"{named[0]} and {named[1]}: {look}\n{text}",
    )


# ---- ptx ----


def ptx(kernel: object) -> None:
    """Show the PTX that the compiler made of a kernel beside the lines that it stems from."""
    if not isinstance(kernel, Kernel):
        raise cards.Notice("`ptx` starts with a kernel, such as a `%%cuda` cell defines.")
    display(ptx_page(kernel))


def ptx_page(kernel: Kernel) -> cards.Page:
    """By source line, its instructions in the order in which they stand in the program, each with
    its number there: where numbers of one line are far apart, the compiler has moved code."""
    with cards.about(kernel.source):
        function = simulator.RawModule(code=kernel.source).program.functions[kernel.name]
    lines = lines_of(kernel.source)
    made = grouped(
        (instruction.line or 0, f"{at:>4}  {statement}")
        for at, (instruction, statement) in enumerate(
            zip(function.instructions, statements(kernel), strict=False)
        )
    )
    rows = [
        (line, visible(lines[line - 1]) if line else "(of no line)", made[line])
        for line in sorted(made)
    ]
    return cards.joined(
        cards.line(
            "note",
            f"PTX of `{kernel.name}`",
            "The numbers count instructions in the order in which they run where nothing branches.",
        ),
        cards.Page(
            cards.html_of("ptx_table", rows),
            "\n".join(
                "\n".join([f"{line:>4} | {text.strip()}", *(f"       {one}" for one in some)])
                for line, text, some in rows
            ),
        ),
    )


def statements(kernel: Kernel) -> list[str]:
    """The instructions of the kernel as they are written, in order."""
    entry = re.search(
        rf"\.entry\s+{re.escape(kernel.name)}\b.*?^{{"
        r"(.*?)(^\.(visible|weak|func|entry|extern)\b|\Z)",
        compilers.compile_ptx(kernel.source).text,
        re.M | re.S,
    )
    body = re.sub(r"//.*", "", entry[1] if entry else "")
    # Places in the source, braces of blocks and labels end no statement, and are none.
    body = re.sub(r"^\s*(\.loc\b.*|[{}]|\$?\w+:\s*$)|;\s*}", ";", body, flags=re.M)
    return [
        written
        for statement in body.split(";")
        if (written := " ".join(statement.split())) and not written.startswith(".")
    ]


_HOW = (
    "The median of many runs, interleaved, each on data that is not in the L2 cache; GB/s counts "
    "the bytes that must be moved at least, the percentage is that of a large copy "
    "({copy:,.0f} GB/s)."
)


def bench(name: str) -> records.Timings:
    """Time the lesson's benchmark `name` on this machine's GPU or, where there is none, recall
    what was measured on ours and say on which day. Shows a table and a picture of the bandwidth,
    and returns the figures: `.rows`, `.ms(variant, size)`, `.gb_per_s(variant, size)`."""
    lesson = current().lesson
    benchmark = lesson.benchmark(name)
    if cuda.device == "gpu":
        from grader.bench import measuring

        # A line tells how far the measurement is until the table takes its place.
        shown = display(cards.line("note", "Timing", benchmark.title), display_id=True)
        timings = measuring.measure(
            lesson,
            benchmark,
            measuring.device(),
            lambda where: shown.update(cards.line("note", "Timing", f"{where} …")),
        )
        shown.update(measured(timings))
    else:
        timings = records.read(lesson, benchmark)
        display(recalled(timings))
    if timings.rows:
        from .draw.timing_curves import bandwidth  # and matplotlib

        display(bandwidth(timings))
    return timings


# ---- timings as a card: where and when they were taken, and the table ----


def recalled(timings: records.Timings) -> cards.Page:
    """What was measured on another machine, said so; a sentence where nothing was."""
    if not timings.device:
        return cards.boxed(
            "note",
            cards.sentences(
                f"Only a GPU can show how fast `{timings.name}` is: there is none here, and no "
                "times have been recorded yet. Everything else on this page works without."
            ),
        )
    return _page(
        timings, timings.device, f"Measured {records.when(timings.device)}; there is no GPU here."
    )


def measured(timings: records.Timings) -> cards.Page:
    """What was measured on this machine just now."""
    return _page(
        timings, timings.measured_on, f"Measured here, {records.when(timings.measured_on)}."
    )


def _page(timings: records.Timings, device: records.Device, measured: str) -> cards.Page:
    rows = _one_size(timings) if len(timings.sizes) == 1 else _sizes(timings)
    notes = [measured, _HOW.format(copy=device.copy_gb_per_s)]
    text = cards.aligned([(f"  {first}", *others) for first, *others in rows])
    return cards.Page(
        cards.html_of("timings", timings.title, rows, [" ".join(notes), *timings.skipped]),
        "\n".join([timings.title, text, *notes, *timings.skipped]),
    )


def _one_size(timings: records.Timings) -> list[tuple[str, ...]]:
    """Everything about each variant."""
    return [
        (
            records.size_text(timings.sizes[0]),
            "ms",
            "10th to 90th percentile",
            "GB/s",
            "of a copy",
        ),
        *(
            (
                row.variant,
                _ms(row.ms),
                f"{_ms(row.low)} to {_ms(row.high)}",
                f"{row.gb_per_s:,.0f}",
                f"{row.fraction:.0%}",
            )
            for row in timings.rows
        ),
    ]


def _sizes(timings: records.Timings) -> list[tuple[str, ...]]:
    """A row for each size, a column for each variant."""
    return [
        ("ms (of a copy)", *timings.variants),
        *(
            (
                records.size_text(size),
                *(
                    f"{_ms(one.ms)} ({one.fraction:.0%})"
                    if (one := timings.row(variant, size))
                    else "-"
                    for variant in timings.variants
                ),
            )
            for size in timings.sizes
        ),
    ]


def _ms(ms: float) -> str:
    """To three digits, without an exponent."""
    return f"{ms:.4f}" if ms < 0.1 else f"{ms:#.3g}" if ms < 99.95 else f"{ms:.0f}"
