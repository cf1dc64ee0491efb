"""`grader ...`: the course at the command line. Commands are thin; their rooms do the work."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    help="A CUDA course with a grader, on a GPU or on a simulated one.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@app.command()
def check(
    file: Annotated[Path, typer.Argument(help="A .cu file, or a lesson's notebook.")],
    exercise: Annotated[
        str | None, typer.Option(metavar="LESSON/NAME", help="What a .cu file answers.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print verdicts as JSON.")] = False,
) -> None:
    """Judge a kernel, or every solution of a notebook. The exit status is 0 if all passed."""
    from . import checking, course

    try:
        checked = checking.check(file, exercise, course.KERNELS)
    except checking.BadInput as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(2) from error
    for problem in filter(None, (one.problem for one in checked)):
        typer.echo(problem, err=True)
    if as_json:
        typer.echo(checking.as_json(file, checked))
    else:
        from rich.console import Console

        from . import terminal

        terminal.show_verdicts(Console(), checked)
    if not all(one.passed for one in checked):
        raise typer.Exit(1)


@app.command()
def doctor() -> None:
    """Say what this machine has of what the course needs, and how to get what is missing."""
    from rich.console import Console

    from . import terminal
    from .doctor import examine

    findings = list(examine())
    terminal.show_findings(Console(), findings)
    if any(finding.needed and not finding.found for finding in findings):
        raise typer.Exit(1)


@app.command()
def build(
    check: Annotated[bool, typer.Option("--check", help="Only say which are out of date.")] = False,
) -> None:
    """Make notebooks/ from kernels/."""
    from .classroom import commands

    raise typer.Exit(commands.build_notebooks(check))


@app.command()
def release(
    lesson: Annotated[str | None, typer.Argument(help="By default every lesson.")] = None,
) -> None:
    """Enter a lesson in the gradebook and hand it out through nbgrader's exchange."""
    from .classroom import commands

    raise typer.Exit(commands.release_lessons(lesson))


@app.command()
def autograde(lesson: str) -> None:
    """Collect and judge what was handed in. The exit status is 1 if a notebook is damaged."""
    from .classroom import commands

    raise typer.Exit(commands.autograde_lesson(lesson))


@app.command()
def feedback(lesson: str) -> None:
    """Write each learner's feedback page and the grades as CSV."""
    from .classroom import commands

    raise typer.Exit(commands.write_feedback(lesson))


@app.command()
def demo() -> None:
    """An instructor's week in one go: release, hand in, collect, grade, feedback, export."""
    from .classroom import commands

    raise typer.Exit(commands.run_demo())
