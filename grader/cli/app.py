"""`grader ...`: which commands there are, and what happens when one goes wrong."""

import ast
import io
import os
import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from ..cuda.errors import visible
from ..errors import CourseError, of_a_file, of_an_extra, of_the_machine, unless

if TYPE_CHECKING:
    from typer._click import Context, HelpFormatter  # what typer has in place of click's

# Each command by its panel of the help, and the module of this room and the function that do it.
# What the function returns is the exit status.
PANELS = {
    "For learners": {
        "lab": "learner_commands:lab",
        "status": "learner_commands:show_progress",
        "check": "kernel_commands:check",
        "profile": "kernel_commands:profile",
        "update": "learner_commands:update",
        "restore": "learner_commands:restore",
        "submit": "learner_commands:submit",
        "exam": "learner_commands:begin_exam",
        "appeal": "learner_commands:appeal",
        "study": "learner_commands:take_part",
        "doctor": "doctor:doctor",
    },
    "For instructors": {
        "demo": "classroom_commands:show_demo",
        "roster": "course_commands:enter_roster",
        "release": "course_commands:release_lessons",
        "extend": "course_commands:extend_lesson",
        "accommodate": "course_commands:accommodate_learner",
        "autograde": "classroom_commands:autograde_lesson",
        "regrade": "classroom_commands:regrade_lesson",
        "serve": "classroom_commands:serve",
        "feedback": "classroom_commands:write_feedback",
        "appeals": "classroom_commands:show_appeals",
        "rubric": "classroom_commands:mark_by_rubric",
        "report": "classroom_commands:write_report",
        "leaderboard": "classroom_commands:show_leaderboard",
        "export": "course_commands:export_marks",
        "push": "course_commands:push_marks",
        "bundle": "course_commands:bundle_lesson",
        "rename": "course_commands:rename_lesson",
    },
    "For authors": {
        "new": "author_commands:new_lesson",
        "build": "author_commands:build_notebooks",
        "preview": "author_commands:preview_lesson",
        "cases": "author_commands:cases",
        "vary": "kernel_commands:vary",
        "publish": "author_commands:publish",
    },
    "Everything else": {
        "prove": "kernel_commands:prove",
        "messages": "kernel_commands:messages",
        "bench": "bench_commands:bench",
        "counters": "bench_commands:counters",
        "conformance": "bench_commands:conformance",
    },
}
COMMANDS = {name: place for panel in PANELS.values() for name, place in panel.items()}
COURSE = "WARPWISE_COURSE"  # course_folder reads it as it is imported, so only after --course
# Who judges a learner's file never takes lessons from the folder that it lies in; who writes does.
AUTHORS = {"build", "new", "preview", "cases", "vary", "demo", "publish"}
REFUSED, STUMBLED, STOPPED = 2, 3, 130  # exit statuses beside a command's own


class Command(TyperCommand):
    """Stands for a command until it is given: its module is imported only then."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: "Context | None" = None, **extra: Any
    ) -> "Context":
        module, _, function = COMMANDS[self.name or ""].partition(":")
        alone = typer.Typer(add_completion=False)
        pass_on = self.name == "lab"  # with options that are another program's
        alone.command(
            self.name,
            context_settings={"allow_extra_args": pass_on, "ignore_unknown_options": pass_on},
        )(getattr(import_module(f".{module}", __package__), function))
        return typer.main.get_command(alone).make_context(info_name, args, parent, **extra)


class Commands(TyperGroup):
    """All commands. The one place where what goes wrong in one becomes a sentence and an exit
    status: what a command returns, else one of those above."""

    def __init__(self, **attributes: Any):
        super().__init__(**attributes)
        self.commands = {
            name: Command(name, rich_help_panel=panel)
            for panel, names in PANELS.items()
            for name in names
        }

    def format_help(self, ctx: "Context", formatter: "HelpFormatter") -> None:
        """Docstrings are read from the files: to import all commands would take a second."""
        for name, place in COMMANDS.items():
            module, _, function = place.partition(":")
            self.commands[name].help = (_docstrings(module)[function] or "").partition("\n\n")[0]
        super().format_help(ctx, formatter)

    def invoke(self, ctx: "Context") -> None:
        for stream in (sys.stdout, sys.stderr):
            # On a console of another encoding than UTF-8, as Windows' are, a character that it
            # lacks is a question mark, and no error.
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="replace")
        try:
            status = super().invoke(ctx)
        except (typer.Exit, typer.Abort, BrokenPipeError):
            raise
        except KeyboardInterrupt:
            complain("Stopped. The results so far are kept. The same command continues from there.")
            raise typer.Exit(STOPPED) from None
        except Exception as error:
            if hasattr(error, "exit_code") and hasattr(error, "format_message"):
                raise  # the command line itself was wrong: typer says that, with the options
            known = _known(error)
            complain(str(known) if known else _our_fault(error))
            raise typer.Exit(REFUSED if known else STUMBLED) from error
        unless(not status, typer.Exit(status))


@cache
def _docstrings(module: str) -> dict[str, str | None]:
    """Those of the functions of a module in this room."""
    tree = ast.parse(Path(__file__).with_name(f"{module}.py").read_text(encoding="utf-8"))
    return {
        node.name: ast.get_docstring(node)
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
    }


def complain(sentence: str) -> None:
    """On stderr, in one line."""
    typer.echo(visible(" ".join(sentence.split())), err=True)


def _known(error: Exception) -> CourseError | None:
    """What somebody can fix; None for a fault of the grader's own."""
    of_file = of_a_file(error) if isinstance(error, OSError) else None
    return (
        error
        if isinstance(error, CourseError)
        else of_the_machine(error) or of_an_extra(error) or of_file
    )


def _our_fault(error: Exception) -> str:
    """What to say of an error that nobody but the grader's authors can fix."""
    from ..disk_cache import kept  # and what it imports

    where, file = kept(error)
    said = (str(error).strip().splitlines() or [""])[0][:200]
    return (
        f"The grader itself failed ({type(error).__name__}: {said}; {where}), and that is not "
        f"your mistake. Please report {file or 'this sentence'}."
    )


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@app.callback()
def grader(
    context: typer.Context,
    course: Annotated[
        Path | None,
        typer.Option(
            envvar=COURSE, exists=True, file_okay=False, help="The folder of another course."
        ),
    ] = None,
) -> None:
    """A CUDA course with a grader, on a GPU or on a simulated one."""
    if context.invoked_subcommand in AUTHORS and not course:
        # The current folder, where it is another course than the one that this grader came with.
        here = Path.cwd()
        is_course = (here / "nbgrader_config.py").is_file() and (here / "kernels").is_dir()
        course = here if is_course and here != Path(__file__).parents[2] else None
    if course:  # read where lessons are found, here and in every process that is started
        os.environ[COURSE] = str(course.absolute())
