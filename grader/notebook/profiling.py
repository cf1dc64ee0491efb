"""profile(), compare() and ptx(): what a kernel costs, line by line, and what it was made into."""

from __future__ import annotations

import re
from math import prod

from IPython.display import display

from grader import compilers
from grader.cuda import simulator
from grader.cuda.kernel import Dim
from grader.cuda.limits import DEFAULT, architecture
from grader.cuda.sanitize import lines_of, visible
from grader.profiler.limiters import occupancy, wastes
from grader.watch.counters import METRICS
from grader.watch.observe import Run
from grader.watch.recorder import recordings

from . import cards, failures, playing, source_page
from .html import Page, card, code, heading, paragraph, table
from .kernel import Kernel

_HOW_PROFILE = (
    "`profile` shows what `watch(...)` returned, or a launch, as in "
    "`profile(kernel, (1,), (32,), (x, n))`."
)
_HOW_COMPARE = (
    "`compare` sets two runs side by side that `watch(...)` returned, or two kernels and a launch, "
    "as in `compare(before, after, (1,), (32,), (x, n))`."
)
_MOST_ADVICE = 2
_SHARED = re.compile(r"\.shared\s[^;]*?\[(\d+)\]\s*;")


def profile(
    what: object,
    grid: Dim | None = None,
    block: Dim | None = None,
    args: tuple[object, ...] = (),
    shared_mem: int = 0,
) -> None:
    """Show what each line of a kernel cost, what limits it and what to do about its worst line.
    `what` is a run that `watch` returned, or a kernel, launched on copies of `args`."""
    run = _run_of(what, grid, block, args, shared_mem, _HOW_PROFILE)
    display(profile_page(run, shared_mem))


def profile_page(run: Run, shared_mem: int = 0) -> Page:
    """Counts of the simulated GPU: exact as counts, and no times."""
    lines = source_page.table(run.source, run.counters)
    found = wastes(run.counters)[:_MOST_ADVICE]
    told = [waste.sentence for waste in found] or [
        "No line wastes much: the figures are near the least that these accesses can cost. To get "
        "faster, do less of the line that takes most instructions."
    ]
    told.append(_occupied(run, shared_mem))
    look = "Look at the largest number of each column first (the darkest cell): it costs most."
    named = f"Profile of `{_kernel(run)}`"
    head = cards.line("note", named, look)
    html = card("note", *(paragraph(sentence) for sentence in told if sentence))
    text = "\n".join([head.text, lines.text, *filter(None, told)])
    return Page(head.html + html + lines.html, text)


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
    runs = [_run_of(one, grid, block, args, shared_mem, _HOW_COMPARE) for one in (a, b)]
    display(compare_page(*runs))


def compare_page(a: Run, b: Run) -> Page:
    """Counters that are not the same in both, those that changed most first."""
    pairs = {name: (a.counters.total[name], b.counters.total[name]) for name in METRICS}
    changed = [name for name, (x, y) in pairs.items() if x != y and not name.endswith("_ideal")]
    changed.sort(key=lambda name: -_change(*pairs[name]))
    named = [_kernel(a), _kernel(b)]
    if named[0] == named[1]:
        named = [f"{named[0]} (first)", f"{named[1]} (second)"]
    if not changed:
        return cards.line(
            "note", "No counter differs", f"`{named[0]}` and `{named[1]}` cost alike."
        )
    rows = [
        (name, *(f"{value:,}" for value in pairs[name]), _times(*pairs[name])) for name in changed
    ]
    look = f"Look at `{changed[0]}` first: it changed most ({_times(*pairs[changed[0]])})."
    head = heading("note", f"{code(named[0])} and {code(named[1])}")
    shown = table(("Counter", *map(code, named), "Change"), [(code(r[0]), *r[1:]) for r in rows])
    width = max(len(row[0]) for row in rows)
    text = "\n".join(f"  {r[0]:<{width}}  {r[1]:>12}  {r[2]:>12}  {r[3]}" for r in rows)
    html = card("note", head, paragraph(look), shown)
    return Page(html, f"{named[0]} and {named[1]}: {look}\n{text}")


def ptx(kernel: object) -> None:
    """Show the PTX that the compiler made of a kernel beside the lines that it stems from."""
    if not isinstance(kernel, Kernel):
        raise failures.Notice("`ptx` starts with a kernel, such as a `%%cuda` cell defines.")
    display(ptx_page(kernel))


def ptx_page(kernel: Kernel) -> Page:
    """By source line, its instructions in the order in which they stand in the program, each with
    its number there: where numbers of one line are far apart, the compiler has moved code."""
    with failures.about(kernel.source):
        function = simulator.RawModule(code=kernel.source).program.functions[kernel.name]
    lines = lines_of(kernel.source)
    made: dict[int, list[str]] = {}
    for at, one in enumerate(statements(kernel)):
        if at < len(function.instructions):
            made.setdefault(function.instructions[at].line or 0, []).append(f"{at:>4}  {one}")
    pairs = [
        (line, visible(lines[line - 1]) if line else "(of no line)", made[line])
        for line in sorted(made)
    ]
    look = "The numbers count instructions in the order in which they run where nothing branches."
    head = cards.line("note", f"PTX of `{kernel.name}`", look)
    text = "\n".join(
        "\n".join([f"{line:>4} | {source.strip()}", *(f"       {one}" for one in found)])
        for line, source, found in pairs
    )
    return Page(head.html + source_page.listing(pairs), f"{head.text}\n{text}")


def statements(kernel: Kernel) -> list[str]:
    """The instructions of the kernel as they are written, in order."""
    text = compilers.compile_ptx(kernel.source).text
    entry = re.search(rf"\.entry\s+{re.escape(kernel.name)}\b.*?^{{(.*?)^}}", text, re.M | re.S)
    body = re.sub(r"//[^\n]*", "", entry[1] if entry else "")
    found = []
    for statement in body.split(";"):
        lines = [line.strip() for line in statement.strip().split("\n") if line.strip()]
        lines = [one for one in lines if not re.match(r"\.loc\b|[{}]|\$?\w+:$", one)]
        one = " ".join(" ".join(lines).split())
        if one and not one.startswith("."):
            found.append(one)
    return found


def _run_of(
    what: object,
    grid: Dim | None,
    block: Dim | None,
    args: tuple[object, ...],
    shared_mem: int,
    how: str,
) -> Run:
    if isinstance(what, Run):
        return what
    if isinstance(what, Kernel) and grid is not None and block is not None:
        return playing.launched(what, grid, block, args, shared_mem)
    raise failures.Notice(how)


def _kernel(run: Run) -> str:
    return recordings(run)[-1].kernel if recordings(run) else "kernel"


def _occupied(run: Run, shared_mem: int) -> str:
    """What the launch's shape allows on the architecture that is simulated by default."""
    if not recordings(run):
        return ""
    one = recordings(run)[-1]
    static = sum(map(int, _SHARED.findall(compilers.compile_ptx(run.source).text)))
    device = architecture(DEFAULT)
    return f"{DEFAULT}: " + occupancy(device, prod(one.grid), one.threads, static + shared_mem)


def _change(a: int, b: int) -> float:
    """How many times one is the other; what one of them has not counts as most."""
    return max(a, b) / min(a, b) if min(a, b) else float("inf")


def _times(a: int, b: int) -> str:
    if not a or not b:
        return f"{b - a:+,}"
    return f"{b / a:.2f} times" if b != a else ""
