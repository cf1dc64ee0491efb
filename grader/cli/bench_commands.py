"""`grader bench | counters | conformance`: how fast things are, and whether they may be trusted."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from .. import course
from ..bench import records, timings
from ..bench.speed import Figure, measure
from ..classroom import spreadsheets
from ..errors import BadInput, counted
from ..whole_files import filed
from .terminal import table

Measured = Mapping[str, Sequence[timings.Timings]]  # by lesson


def bench(
    lessons: Annotated[
        list[str] | None, typer.Argument(metavar="LESSON", help="On a GPU; by default all.")
    ] = None,
    device: Annotated[str, typer.Option(help="simulator or gpu.")] = "simulator",
    record: Annotated[
        bool, typer.Option("--record", help="Keep a GPU's times in kernels/LESSON/measured.json.")
    ] = False,
    into: Annotated[
        Path | None, typer.Option(help="Write a GPU's times as JSON and CSV, and plots.")
    ] = None,
    against: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Say what is faster or slower than there.")
    ] = None,
) -> None:
    """Measure the simulated GPU, or kernels on a GPU."""
    console = Console()
    if device == "gpu":
        if against:
            timings.kept(against)  # which says so now if it cannot be read
        measured = records.bench(lessons or [], course.KERNELS, record, console)
        if into:
            write(measured, into)
        if against:
            show_changes(measured, against, console)
    elif device == "simulator" and not (lessons or record or into or against):
        show_speed(console, measure())
    else:
        raise BadInput(
            "Lessons are timed, and recorded, with --device gpu; --device simulator alone "
            "measures the simulated GPU itself."
        )


def show_speed(
    console: Console, figures: Iterable[Figure], title: str = "The simulated GPU"
) -> None:
    """A row for each figure, beside its target if it has one."""

    def beside(target: float, figure: Figure) -> tuple[str, Text]:
        return (
            f"{'at least' if figure.at_least else 'at most'} {target:g} {figure.unit}",
            Text(f"{figure.value / target:.2f}", "green" if figure.reached else "bold red"),
        )

    console.print(
        table(
            ("what", "measured", "target", "of the target"),
            (
                (
                    *(figure.what, f"{figure.value:,.3g} {figure.unit}"),
                    *(beside(figure.target, figure) if figure.target is not None else ()),
                )
                for figure in figures
            ),
            figures=3,
            title=title,
            title_justify="left",
        )
    )


def write(measured: Measured, folder: Path) -> None:
    """For each lesson its times as JSON, which `--against` reads; for each benchmark a table as CSV
    and a picture, bandwidth against size."""
    from ..notebook.draw.timing_curves import bandwidth  # matplotlib, which only this needs

    folder.mkdir(parents=True, exist_ok=True)
    for lesson, of_lesson in measured.items():
        timings.write(folder / f"{lesson}.json", of_lesson[0].measured_on, of_lesson)
        for one in of_lesson:
            path = folder / f"{lesson}.{one.name}.csv"
            rows = [asdict(row) | {"size": timings.size_text(row.size)} for row in one.rows]
            spreadsheets.write(path, sorted(rows[0], key=lambda name: name != "size"), rows)
            bandwidth(one).savefig(path.with_suffix(".png"))


def show_changes(measured: Measured, against: Path, console: Console) -> None:
    """What became faster or slower than the file says."""
    then = timings.kept(against)
    pairs = [
        (one, then[one.name])
        for of_lesson in measured.values()
        for one in of_lesson
        if one.name in then
    ]
    different = [change for pair in pairs for change in timings.changes(*pair)]
    if different:
        console.print(
            table(
                ("benchmark", "size", "variant", "ms then", "ms now", "times as fast"),
                (
                    (
                        *(one.benchmark, timings.size_text(one.size), one.variant),
                        *(f"{one.then:.4g}", f"{one.now:.4g}", f"{one.times_as_fast:.3f}"),
                    )
                    for one in sorted(different, key=lambda change: change.times_as_fast)
                ),
                figures=3,
                title=f"Beside {against}",
                title_justify="left",
            )
        )
    alike = sum(timings.compared(*pair) for pair in pairs) - len(different)
    console.print(f"As fast as then, as far as these times can tell: {alike} more.")


def counters(
    to: Annotated[Path, typer.Option(help="The page to write.")] = Path("docs/counters.md"),
    csv: Annotated[
        Path, typer.Option(help="Results of ncu; without such a file it measures now.")
    ] = Path("build/ncu.csv"),
) -> None:
    """Compare the counters with Nsight Compute's on your GPU."""
    from ..bench import ncu

    if not csv.exists():
        ncu.measure(csv)
    rows = ncu.compare(ncu.works(), ncu.read(csv))
    filed(to, ncu.page(rows, ncu.of_course()[1], ncu.hardware(csv)))
    typer.echo(
        f"{counted(len(rows), 'kernel')} compared, "
        f"{counted(len(list(ncu.differences(rows))), 'counter')} not equal: see {to}."
    )


def conformance(
    to: Annotated[Path, typer.Option(help="The page to write.")] = Path("docs/conformance.md"),
) -> None:
    """Compare the arithmetic with your GPU's."""
    from ..bench.conformance import hardware, measure, page

    rows = measure()
    filed(to, page(rows, hardware(), date.today()))
    typer.echo(
        f"{counted(sum(row.forms for row in rows), 'instruction form')} compared, "
        f"{counted(sum(row.beyond for row in rows), 'output')} beyond bounds: see {to}."
    )
