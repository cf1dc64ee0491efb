"""`grader ...`: the course at the command line. Commands are thin; their rooms do the work."""

from __future__ import annotations

import io
import os
import sys
import tempfile
import traceback
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer.core import TyperGroup

from ..counted import counted
from ..cuda.sanitize import visible
from ..errors import CourseError, of_a_file, of_an_extra, of_the_machine

if TYPE_CHECKING:
    from typer._click import Context  # what typer has in place of click's

UNSAFE = Annotated[
    bool, typer.Option("--unsafe", help="Also where nothing keeps a learner's #include from files.")
]
YES = Annotated[
    bool, typer.Option("--yes", help="Also where that makes learners late: ask nothing.")
]
COURSE = "WARPWISE_COURSE"  # course_folder reads it as it is imported, so only after --course
# Who judges a learner's file never takes lessons from the folder that it lies in; who writes does.
AUTHORS = {"build", "new", "preview", "demo", "publish"}
REFUSED, STUMBLED, STOPPED = 2, 3, 130  # exit statuses beside a command's own


class Commands(TyperGroup):
    """The one place where what goes wrong in a command becomes a sentence and an exit status."""

    def invoke(self, ctx: Context) -> object:
        _print_whatever_the_console_has()
        try:
            return super().invoke(ctx)
        except (typer.Exit, typer.Abort, BrokenPipeError):
            raise
        except KeyboardInterrupt:
            complain("Stopped. What is done is kept; the same command goes on from there.")
            raise typer.Exit(STOPPED) from None
        except Exception as error:
            if _is_usage(error):
                raise
            known = _known(error)
            complain(str(known) if known else _our_fault(error))
            raise typer.Exit(REFUSED if known else STUMBLED) from error


def _print_whatever_the_console_has() -> None:
    """On a console of another encoding than UTF-8, as Windows' are, a character that it lacks is
    a question mark, and no error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def complain(sentence: str) -> None:
    """On stderr, in one line."""
    typer.echo(visible(" ".join(sentence.split())), err=True)


def _known(error: Exception) -> CourseError | None:
    """What somebody can fix; None for a fault of the grader's own."""
    if isinstance(error, CourseError):
        return error
    known = of_the_machine(error) or of_an_extra(error)
    return known or (of_a_file(error) if isinstance(error, OSError) else None)


def _is_usage(error: Exception) -> bool:
    """Whether the command line itself was wrong: typer says that, with the command's options."""
    return hasattr(error, "exit_code") and hasattr(error, "format_message")


def _our_fault(error: Exception) -> str:
    """What to say of an error that nobody but the grader's authors can fix."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(last.filename).name}, line {last.lineno}"
    report = "Please report this sentence"
    with suppress(OSError):
        with tempfile.NamedTemporaryFile(
            "w", suffix=".traceback.txt", delete=False, encoding="utf-8"
        ) as kept:
            kept.write("".join(traceback.format_exception(error)))
        report = f"Please report {kept.name}"
    said = (str(error).strip().splitlines() or [""])[0][:200]
    return (
        f"The grader itself stumbled ({type(error).__name__}: {said}; {where}), and that is not "
        f"your mistake. {report}."
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
    if context.invoked_subcommand in AUTHORS:
        course = course or _course_here()
    if course:  # read where lessons are found, here and in every process that is started
        os.environ[COURSE] = str(course.absolute())


def _course_here() -> Path | None:
    """The current folder where it is another course than the one that this grader came with."""
    here = Path.cwd()
    ours = here == Path(__file__).parents[2]
    is_course = (here / "nbgrader_config.py").is_file() and (here / "kernels").is_dir()
    return here if is_course and not ours else None


@app.command()
def check(
    file: Annotated[Path, typer.Argument(help="A .cu file, or a lesson's notebook.")],
    exercise: Annotated[
        str | None, typer.Option(metavar="LESSON/NAME", help="What a .cu file answers.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print verdicts as JSON.")] = False,
    github: Annotated[bool, typer.Option("--github", help="Annotate for GitHub Actions.")] = False,
) -> None:
    """Judge a kernel, or every solution of a notebook. The exit status is 0 if all passed."""
    from .. import course
    from ..learner import progress
    from . import check_file

    checked = check_file.check(file, exercise, course.KERNELS)
    if github or progress.is_fetched(file.stem, file.parent):  # others may still hand in
        checked = check_file.without_ours(checked)
    for problem in filter(None, (one.problem for one in checked)):
        typer.echo(problem, err=True)
    if as_json:
        typer.echo(check_file.as_json(checked))
    else:
        from rich.console import Console

        from . import terminal

        terminal.show_verdicts(Console(), checked)
    if github:
        from .annotations import workflow_commands

        for line in workflow_commands(file, checked):
            typer.echo(line)
    if not all(one.passed for one in checked):
        raise typer.Exit(1)


@app.command()
def prove(
    what: Annotated[str, typer.Argument(help="A .cu file, or a lesson whose solutions to prove.")],
    exercise: Annotated[
        str | None, typer.Option(metavar="LESSON/NAME", help="What a .cu file answers.")
    ] = None,
    seconds: Annotated[float, typer.Option(help="For each exercise.")] = 10,
) -> None:
    """Look for sizes that break a kernel, or show that there are none: in bounds, no races,
    nobody missing at a barrier or a shuffle. The exit status is 1 if a launch breaks it."""
    from .. import course
    from . import prove_file

    broken = False
    for line, wrong in prove_file.prove(what, exercise, seconds, course.KERNELS):
        typer.echo(visible(line))
        broken |= wrong
    if broken:
        raise typer.Exit(1)


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def lab(
    context: typer.Context,
    folder: Annotated[
        Path | None, typer.Argument(help="Yours to work in; made if there is none.")
    ] = None,
    opens: Annotated[bool, typer.Option("--open/--no-open", help="JupyterLab, too.")] = True,
) -> None:
    """Open the course in JupyterLab, in a folder of your own. Further options are JupyterLab's."""
    from . import learner_commands

    raise typer.Exit(learner_commands.lab(folder, context.args if opens else None))


@app.command()
def update() -> None:
    """Bring new editions of the lessons into your folder; what you wrote is kept."""
    from . import learner_commands

    raise typer.Exit(learner_commands.update())


@app.command()
def restore(lesson: str, exercise: Annotated[str | None, typer.Argument()] = None) -> None:
    """Bring an exercise of your folder back as it was handed out, or without one a whole lesson;
    what you wrote is kept."""
    from . import learner_commands

    raise typer.Exit(learner_commands.restore(lesson, exercise))


@app.command()
def submit(lesson: str) -> None:
    """Hand in a lesson of your folder."""
    from . import learner_commands

    raise typer.Exit(learner_commands.submit(lesson))


@app.command()
def profile(
    file: Annotated[Path, typer.Argument(help="A .cu file.")],
    kernel: Annotated[str | None, typer.Option(help="If the file has several.")] = None,
    grid: Annotated[str | None, typer.Option(metavar="X,Y,Z", help="Blocks.")] = None,
    block: Annotated[str | None, typer.Option(metavar="X,Y,Z", help="Threads a block.")] = None,
    shared: Annotated[int, typer.Option(help="Bytes of dynamic shared memory.")] = 0,
    arg: Annotated[
        list[str] | None,
        typer.Option(help="float:1000 | zeros:int:256 | out:float:4 | int=1000, in order."),
    ] = None,
    exercise: Annotated[
        str | None, typer.Option(metavar="LESSON/NAME", help="Launch as its first case does.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print every counter as JSON.")] = False,
) -> None:
    """Count what a kernel costs, line by line, on the simulated GPU."""
    from ..profiler import profile_screen

    launch = (kernel, grid, block, shared, arg or [])
    raise typer.Exit(profile_screen.profile_file(file, exercise, launch, as_json))


@app.command()
def counters(
    to: Annotated[Path, typer.Option(help="The page to write.")] = Path("docs/counters.md"),
    csv: Annotated[
        Path, typer.Option(help="What ncu measured; if there is no such file, it measures now.")
    ] = Path("build/ncu.csv"),
) -> None:
    """Compare the simulated GPU's counters with Nsight Compute's on this machine's GPU."""
    from ..bench import counters_page, ncu

    if not csv.exists():
        ncu.measure(csv)
    rows = counters_page.compare(ncu.works(), ncu.read(csv))
    to.parent.mkdir(parents=True, exist_ok=True)
    to.write_text(counters_page.page(rows, ncu.of_course()[1], ncu.hardware(csv)), encoding="utf-8")
    differing = len(list(counters_page.differences(rows)))
    typer.echo(
        f"{counted(len(rows), 'kernel')} compared, {counted(differing, 'counter')} not equal: "
        f"see {to}."
    )


@app.command()
def conformance(
    to: Annotated[Path, typer.Option(help="The page to write.")] = Path("docs/conformance.md"),
) -> None:
    """Compare what the simulated GPU computes with what this machine's GPU does."""
    from datetime import date

    from ..bench.conformance import hardware, measure, page

    rows = measure()
    to.parent.mkdir(parents=True, exist_ok=True)
    to.write_text(page(rows, hardware(), date.today()), encoding="utf-8")
    beyond = sum(row.beyond for row in rows)
    forms = sum(row.forms for row in rows)
    typer.echo(
        f"{counted(forms, 'instruction form')} compared, "
        f"{counted(beyond, 'output')} beyond bounds: see {to}."
    )


@app.command()
def bench(
    lessons: Annotated[
        list[str] | None, typer.Argument(metavar="LESSON", help="On a GPU; by default all.")
    ] = None,
    device: Annotated[str, typer.Option(help="simulator or gpu.")] = "simulator",
    classroom: Annotated[
        bool, typer.Option("--classroom", help="How fast a class is graded; takes minutes.")
    ] = False,
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
    """Measure the simulated GPU, the grading of a class, or lessons' kernels on a real GPU."""
    from . import speed_screen

    speed_screen.bench(lessons or [], device, classroom, record, into, against)


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
    from . import classroom_commands

    raise typer.Exit(classroom_commands.build_notebooks(check))


@app.command()
def new(
    lesson: Annotated[str, typer.Argument(help="What it is to be called, like 09_histogram.")],
) -> None:
    """Make a lesson that works as it stands, to be changed into yours."""
    from . import course_commands

    raise typer.Exit(course_commands.new_lesson(lesson))


@app.command()
def cases(
    what: Annotated[str, typer.Argument(help="LESSON or LESSON/NAME; by default all.")] = "",
    write: Annotated[bool, typer.Option("--write", help="Choose launches for what lacks.")] = False,
) -> None:
    """Say which classes of launches, and pairs of them, an exercise promises and no case meets."""
    from . import cases_screen

    raise typer.Exit(cases_screen.show(what, write))


@app.command()
def preview(
    lesson: str,
    port: Annotated[int, typer.Option(help="Where the browser finds it.")] = 8890,
) -> None:
    """Show a lesson's page in the browser, made anew whenever one of its files is saved."""
    from . import course_commands

    course_commands.preview_lesson(lesson, port)


@app.command()
def release(
    lesson: Annotated[str | None, typer.Argument(help="By default every lesson.")] = None,
    due: Annotated[str | None, typer.Option(help='Like "2026-12-01 23:59".')] = None,
    late: Annotated[
        str | None, typer.Option(help='Like "10%/day, at most 3 days", or "none".')
    ] = None,
    yes: YES = False,
) -> None:
    """Enter a lesson in the gradebook and hand it out through nbgrader's exchange."""
    from . import course_commands

    raise typer.Exit(course_commands.release_lessons(lesson, due, late, yes))


@app.command()
def extend(
    lesson: str,
    learner: str,
    until: Annotated[str, typer.Option(help='Like "2026-12-03 12:00".')],
    yes: YES = False,
) -> None:
    """Give a learner, and the learner's team, more time for a lesson."""
    from . import course_commands

    raise typer.Exit(course_commands.extend(lesson, learner, until, yes))


@app.command()
def roster(
    file: Annotated[
        Path | None, typer.Argument(help="As Canvas, Moodle... export it, or plain CSV.")
    ] = None,
    id: Annotated[str | None, typer.Option(metavar="COLUMN", help="Has the ids.")] = None,
    section: Annotated[str | None, typer.Option(metavar="COLUMN", help="Has sections.")] = None,
    team: Annotated[str | None, typer.Option(metavar="COLUMN", help="Has teams.")] = None,
    same: Annotated[
        list[str] | None,
        typer.Option(metavar="OTHER=LEARNER", help="A login that is a learner of the roster."),
    ] = None,
    later: Annotated[
        bool, typer.Option("--later", help="--same: where both handed in, the later counts.")
    ] = False,
) -> None:
    """Enter who is in the class: names, e-mails, sections and teams; or, with --same, whose a login
    is that nobody knows."""
    from . import course_commands

    if same and file is None:
        raise typer.Exit(course_commands.join_logins(same, later))
    if same or file is None:
        raise typer.BadParameter("give a FILE, or --same OTHER=LEARNER")
    raise typer.Exit(course_commands.read_roster(file, id, section, team))


@app.command()
def rename(
    old: Annotated[str, typer.Argument(help="What the gradebook calls the lesson.")],
    new: Annotated[str, typer.Argument(help="What its folder is called now.")],
) -> None:
    """Move marks, work and dates of a lesson to the new name of its folder."""
    from . import course_commands

    raise typer.Exit(course_commands.rename_lesson(old, new))


@app.command()
def export(
    lesson: Annotated[str | None, typer.Argument(help="By default every lesson.")] = None,
    system: Annotated[
        str, typer.Option("--for", help="canvas, moodle, blackboard, brightspace, csv or xlsx.")
    ] = "csv",
    to: Annotated[Path | None, typer.Option(help="The file to write.")] = None,
    decimal: Annotated[str, typer.Option(help="A point or a comma.")] = ".",
    section: Annotated[str | None, typer.Option(help="Only this section.")] = None,
    anonymous: Annotated[bool, typer.Option("--anonymous", help="Without names.")] = False,
    everybody: Annotated[
        bool, typer.Option("--everybody", help="Also who is not on the roster.")
    ] = False,
    column: Annotated[
        str | None, typer.Option(help="What the system calls the lesson's column.")
    ] = None,
) -> None:
    """Write the class's marks as another gradebook imports them."""
    from ..classroom.marks import Whom
    from . import course_commands

    whom = Whom(section, anonymous, everybody)
    raise typer.Exit(course_commands.export_marks(lesson, system, to, decimal, whom, column))


@app.command()
def bundle(
    system: Annotated[str, typer.Argument(metavar="gradescope|github")],
    lesson: str,
    to: Annotated[Path | None, typer.Option(help="The file to write.")] = None,
    leaderboard: Annotated[
        bool, typer.Option("--leaderboard", help="gradescope: rank learners.")
    ] = False,
    repository: Annotated[
        str | None, typer.Option(metavar="OWNER/NAME", help="github: where the course lies.")
    ] = None,
    unsafe: UNSAFE = False,
) -> None:
    """Pack a lesson so that another system grades it."""
    from . import course_commands

    if system == "github":
        raise typer.Exit(course_commands.write_workflow(lesson, to, repository))
    raise typer.Exit(course_commands.bundle_lesson(system, lesson, to, leaderboard, unsafe))


@app.command()
def publish(
    folder: Annotated[Path, typer.Argument(help="Of its own, for a learners' repository.")],
) -> None:
    """Write the course without its solutions; check() works there."""
    from . import course_commands

    raise typer.Exit(course_commands.publish(folder))


@app.command()
def status(
    lesson: str,
    section: Annotated[str | None, typer.Option(help="Only this section.")] = None,
) -> None:
    """Say who has handed in a lesson, late or extended, and whose marks wait for a look."""
    from . import course_commands

    raise typer.Exit(course_commands.show_status(lesson, section))


@app.command()
def autograde(
    lesson: str,
    jobs: Annotated[int | None, typer.Option(min=1, help="At a time; default: CPUs.")] = None,
    scheduler: Annotated[
        str | None, typer.Option(help="A Dask cluster that judges: tcp://HOST:PORT.")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Judge and grade all again, changed or not.")
    ] = False,
    unsafe: UNSAFE = False,
) -> None:
    """Collect and judge what was handed in. The exit status is 1 if a notebook is damaged, or a
    mark needs your look."""
    from . import classroom_commands

    raise typer.Exit(classroom_commands.autograde_lesson(lesson, jobs, scheduler, force, unsafe))


@app.command()
def regrade(
    lesson: str,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say whose mark would change, and why.")
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", help="Marks may fall that feedback has shown.")
    ] = False,
    csv: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write what changes there, too.")
    ] = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="At a time; default: CPUs.")] = None,
    scheduler: Annotated[
        str | None, typer.Option(help="A Dask cluster that judges: tcp://HOST:PORT.")
    ] = None,
    unsafe: UNSAFE = False,
) -> None:
    """Grade what is not up to date again, and say whose mark that changes, and why."""
    from . import course_commands

    workers = course_commands.Workers(jobs, scheduler, unsafe)
    raise typer.Exit(course_commands.regrade_lesson(lesson, dry_run, yes, csv, workers))


@app.command()
def feedback(
    lesson: str,
    solutions: Annotated[
        bool, typer.Option("--solutions", help="Ours, too, while work can still be handed in.")
    ] = False,
) -> None:
    """Write each learner's feedback page and the grades as CSV."""
    from . import classroom_commands

    raise typer.Exit(classroom_commands.write_feedback(lesson, solutions))


@app.command()
def report(
    lesson: Annotated[str | None, typer.Argument(help="By default the whole course.")] = None,
    section: Annotated[str | None, typer.Option(help="Only this section.")] = None,
    anonymous: Annotated[bool, typer.Option("--anonymous", help="Without names.")] = False,
) -> None:
    """Write a page about the class's answers, and all marks as CSV and JSON, to build/report."""
    from . import classroom_commands

    raise typer.Exit(classroom_commands.write_report(lesson, section, anonymous))


@app.command()
def leaderboard(
    lesson: Annotated[str, typer.Argument(help="A lesson with contests, as 08.")],
    section: Annotated[str | None, typer.Option(help="Only this section.")] = None,
    anonymous: Annotated[bool, typer.Option("--anonymous", help="Aliases for names.")] = False,
) -> None:
    """Say whose kernels cost least, counted on the simulated GPU beside what none gets below."""
    from . import classroom_commands

    raise typer.Exit(classroom_commands.show_leaderboard(lesson, section, anonymous))


@app.command()
def demo(
    lesson: Annotated[
        str | None, typer.Option(help="Slides of this lesson instead, e.g. 02, mistakes and all.")
    ] = None,
    live: Annotated[
        bool, typer.Option("--live", help="Edit and run kernels on the slides, in the browser.")
    ] = False,
    port: Annotated[int, typer.Option(help="Of --live; by default one that is free.")] = 0,
) -> None:
    """An instructor's week in one go: release, hand in, collect, grade, feedback, export."""
    from . import classroom_commands

    if live and not lesson:
        raise typer.BadParameter("say which --lesson is to be shown live")
    if lesson:
        raise typer.Exit(classroom_commands.present_lesson(lesson, live, port))
    raise typer.Exit(classroom_commands.run_demo())
