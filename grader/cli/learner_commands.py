"""`grader lab`, `status`, `update`, `restore`, `submit`, `exam`, `appeal`: a learner's commands."""

import json
import signal
import subprocess
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from rich.console import Console

from .. import compilers, course
from ..compilers import cuda_files
from ..course_folder import SERVICE
from ..errors import LearnerError, counted, unless
from ..judge.verdict import Report, Verdict
from ..learner import editions, folder, progress, start_page, study
from ..status import DONE, Status
from ..submissions import intake
from .terminal import complain, say, show_verdict

DEFAULT = "warpwise"


def lab(
    context: typer.Context,
    where: Annotated[
        Path | None,
        typer.Argument(metavar="folder", help="Yours to work in; made if there is none."),
    ] = None,
    opens: Annotated[
        bool,
        typer.Option(
            "--open/--no-open",
            help="Start JupyterLab. --no-open only makes the folder; see --no-browser.",
        ),
    ] = True,
    browser: Annotated[
        bool,
        typer.Option(
            "--browser/--no-browser",
            help="Open a browser. --no-browser starts JupyterLab and prints its address.",
        ),
    ] = True,
) -> int:
    """Open the course in JupyterLab, in your own folder.

    All other options go to JupyterLab."""
    if where and str(where).startswith("-"):  # no folder is named: it is JupyterLab's option
        context.args.insert(0, str(where))
        where = None
    root = (where or progress.folder() or Path(DEFAULT)).expanduser().absolute()
    fresh = folder.make(root)
    newer = [name for name in folder.outdated(root) if name not in fresh]
    say(
        f"{root} is your folder. It has {counted(len(fresh), 'new notebook')}." if fresh else "",
        f"New editions of {', '.join(newer)}: `grader update` brings them in." if newer else "",
    )
    # What a compiler reads that no wheel has brought. Without it JupyterLab opens all the same.
    if compilers.chosen_name() == "clang" and cuda_files.missing():
        typer.echo(f"Fetching CUDA's headers, {cuda_files.MEGABYTES} MB, this once ...")
        try:
            cuda_files.fetch(start_page.package_index())
        except cuda_files.NotFetched as error:
            typer.echo(str(error), err=True)
    if not opens:
        return 0
    command = start_page.command(root, context.args if browser else ["--no-browser", *context.args])
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # JupyterLab ends with this command
    try:
        return subprocess.run(command, env=start_page.environment(), cwd=root).returncode
    except KeyboardInterrupt:
        return 0


def show_progress(
    lesson: Annotated[str | None, typer.Argument(help="Only this one.")] = None,
    section: Annotated[str | None, typer.Option(help="Instructors: only this section.")] = None,
) -> None:
    """Show what you have passed and what is next.

    In an instructor's course: who has handed in LESSON, late or with an extension, and which marks
    wait for you."""
    root = progress.folder()
    if root is None:
        if lesson is None or find_spec("nbgrader") is None:
            raise LearnerError(
                "This is not a learner's folder. Go to yours, or make one with `grader lab "
                "FOLDER`. Instructors name a lesson of their course: `grader status LESSON`."
            )
        from .course_commands import show_status

        return show_status(lesson, section)
    stations = start_page.stations(root)
    if lesson is not None:
        name = editions.find_lesson(lesson).name
        stations = [station for station in stations if station.lesson.name == name]
    station = start_page.next_station(stations)
    say(
        *(f"{one.lesson.name}: {one.passed}" for one in stations),
        f"Next: {station.left[0]} in {station.lesson.name}."
        if station
        else "You have passed all exercises.",
    )


def update() -> None:
    """Bring new editions of the lessons; your work is kept."""
    root = folder.here()
    updated = editions.update(root)
    for lesson, changes in updated.items():
        say(
            f"{lesson}:",
            *(
                f"  {kind:<8} {cell}"
                f"{': the new text is below yours' if kind == editions.BELOW else ''}"
                for kind, cells in changes.items()
                for cell in cells
            ),
        )
    typer.echo(
        f"The notebooks as they were are in {root / editions.BEFORE}."
        if updated
        else "Every lesson has the newest edition."
    )


def restore(lesson: str, exercise: Annotated[str | None, typer.Argument()] = None) -> None:
    """Bring back an exercise, or a lesson, as it was handed out.

    Your own text is kept."""
    root, whole = folder.here(), editions.find_lesson(lesson)
    backup = editions.restore(root, whole, exercise)
    say(
        f"{f'{exercise} in ' if exercise else ''}{whole.name} is as it was handed out.",
        f"The notebook as it was is kept: {backup}" if backup else "",
        "If it is open in JupyterLab: File, Reload Notebook from Disk." if backup else "",
    )


TO = Annotated[str | None, typer.Option("--to", metavar="URL", help="The course's service.")]
TOKEN = Annotated[Path | None, typer.Option(help="Else ~/.warpwise_token.")]


def submit(
    lesson: str,
    to: TO = None,
    token_file: TOKEN = None,
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="For the result.")] = True,
    results: Annotated[
        bool, typer.Option("--results", help="Hand in nothing: show earlier results.")
    ] = False,
) -> None:
    """Hand in a lesson.

    A service of the course's judges it at once."""
    if to or results or SERVICE.is_file():
        return _send(lesson, to, token_file, "earlier" if results else "new" if wait else "")
    done = editions.hand_in(folder.here(), editions.find_lesson(lesson))
    complain(*done.problems, f"You have not begun {', '.join(done.blank)}." if done.blank else "")
    if passed := [name for name, verdict in done.verdicts.items() if verdict.status == "passed"]:
        typer.echo(f"In the cases that you see these pass: {', '.join(passed)}.")
    complain(
        *(
            f"{name} does not pass yet: {_said(one)}"
            for name, one in done.verdicts.items()
            if one.status not in DONE
        )
    )
    typer.echo(
        f"Hand in this file: {done.to}"
        if done.to
        else f"{done.lesson} is handed in through nbgrader."
    )


def _send(lesson: str, to: str | None, token_file: Path | None, shown: str) -> None:
    """Hand in to a service, and show what it answers: the results that are to be `shown` are those
    of the "new" hand-in or, where nothing is handed in, of "earlier" ones."""
    from ..learner import sending

    root = folder.here()
    found = [path.stem for path in root.glob("[!.]*.ipynb") if path.stem.startswith(lesson)]
    name = found[0] if len(found) == 1 else lesson
    there = sending.opened(to, token_file, complain)
    if shown != "earlier":
        there.hand_in(root, name)
    kept = [
        copy
        for copy in sorted((root / editions.HANDED_IN).glob(f"*/{name}.ipynb"))
        if copy.with_name(sending.RECEIPT).is_file()
    ]
    unless(kept, LearnerError(f"No {name} in {root} was handed in to a service."))
    for copy in kept if shown == "earlier" else kept[-1:]:
        receipt = msgspec.json.decode(
            copy.with_name(sending.RECEIPT).read_bytes(), type=sending.Receipt
        )
        of = f" of {receipt.tries}" if receipt.tries else ""
        say(f"{name} is received from {receipt.learner}: try {receipt.number}{of}, {receipt.at}.")
        if receipt.learner != there.learner:
            complain(f"{receipt.learner} can ask for the result of this try, and nobody else.")
            continue
        told: dict[str, Any] = there.result(receipt) if shown else {"report": None}
        if told["report"] is None:
            later = "" if shown else " `grader submit LESSON --results` shows the result later."
            say(f"The receipt is in {editions.HANDED_IN}/. No result is shown now.{later}")
        else:
            _show(msgspec.convert(told["report"], Report, strict=False), copy)


def _show(report: Report, copy: Path) -> None:
    """Show the result of a notebook that was handed in: what was worked on, and all in all."""
    notebook, found = intake.read_answers(copy), [one.verdict for one in report.checked]
    complain(*(one.problem for one in report.checked if one.problem))
    by_name = {one.exercise.partition("/")[2]: one for one in found if one}
    blank = [name for name, one in by_name.items() if one.status == Status.NOT_ATTEMPTED]
    for name in [name for name in by_name if name not in blank]:
        source = intake.find(notebook, [name])[0].source or ""
        show_verdict(Console(), by_name[name], source, hint=None)  # there is no --hint here
    marked = [one for one in by_name.values() if one.status != Status.KEPT]
    later = "" if len(marked) == len(by_name) else ", without what is marked later"
    most = sum(one.max_points for one in marked)
    say(
        f"As they were handed out: {', '.join(blank)}." if blank else "",
        f"In all {sum(one.points for one in marked):g} of {counted(most, 'point')}{later}."
        if most and None not in found
        else "",
    )


def begin_exam(
    lesson: str,
    where: Annotated[Path | None, typer.Argument(metavar="folder", help="To make for it.")] = None,
    to: TO = None,
    token_file: TOKEN = None,
) -> None:
    """Begin an exam: fetch your notebook.

    It says until when you can hand it in."""
    from ..learner import sending

    root = where or Path("." if progress.is_fetched(lesson) else lesson)
    times = sending.opened(to, token_file, complain).begin(lesson, root)
    say(
        f"{root.absolute()}/{lesson}.ipynb is your notebook. You can hand it in until "
        f"{times['closes']}: go to its folder and give the command `grader submit {lesson}"
        f"{f' --to {to}' if to else ''}"
        f"{f' --token-file {token_file.absolute()}' if token_file else ''}`."
    )


def appeal(
    lesson: str,
    exercise: str,
    why: Annotated[str, typer.Argument(help="Why you think that the mark is wrong.")],
) -> None:
    """Ask for a regrade of an exercise.

    What you handed in stays as it is, and so does the time when you did."""
    opened = editions.find_lesson(lesson)
    file, is_sent, is_again = editions.ask(folder.here(), opened, exercise, why)
    say(
        f"You asked about {exercise} before. As long as that request has no answer, this one does "
        "not count."
        if is_again
        else "",
        f"Your request about {exercise} in {opened.name} is sent through nbgrader."
        if is_sent
        else f"Send this file to your instructor: {file}",
    )


def take_part(
    agree: Annotated[
        bool, typer.Option("--agree", help="Learners: your rows travel with `submit`.")
    ] = False,
    withdraw: Annotated[
        bool, typer.Option("--withdraw", help="Learners: no row travels any more.")
    ] = False,
    code: Annotated[
        str, typer.Option(metavar="CODE", help="Learners: agree with the code of your half.")
    ] = "",
    without: Annotated[
        str,
        typer.Option(
            metavar="FEATURE", help=f"Instructors: draw codes ({', '.join(study.FEATURES)})."
        ),
    ] = "",
) -> None:
    """Agree to a study of the course, or see what it gets.

    In an instructor's course: export the rows of all learners who agreed, without names."""
    root = progress.folder()
    unless(
        not code or study.CODE.fullmatch(code), LearnerError(f"{code} is no code of this study.")
    )
    agree |= bool(code)
    if root is None and not (agree or withdraw):
        return _export_study(without)
    unless(not (agree and withdraw), LearnerError("Choose one: --agree or --withdraw."))
    root = folder.here()
    if agree or withdraw:
        study.decide(root, study.AGREE + f":{code}" * bool(code) if agree else study.WITHDRAW)
    if not study.agrees(root):
        typer.echo("You do not take part: no row travels with `grader submit`.")
    else:
        feature, is_with = study.half(root)
        say(
            f"Your half of the class works with{'' if is_with else 'out'} "
            f"{study.FEATURES[feature]}."
            if feature
            else "",
            "You take part. These rows travel with your next `grader submit`:",
            *(json.dumps(asdict(row)) for row in study.rows(root)),
        )


def _export_study(without: str) -> None:
    if find_spec("nbgrader") is None:
        folder.here()  # says how to make one
    from ..classroom import study_table
    from .classroom_commands import course_here

    here = course_here()
    if without:
        return say(f"{study_table.draw(here, without)} has a code for each learner on the roster.")
    path, learners = study_table.write(here, course.names(here.kernels))
    typer.echo(f"{path} has the rows of {counted(learners, 'learner')}; codebook.md is beside it.")


def _said(verdict: Verdict) -> str:
    """What is wrong, in few words: the rest is for check()."""
    line = verdict.line or next((one.line for one in verdict.diagnostics), None)
    where = f", line {line} of the cell" if line else ""
    return f"{course.KINDS[verdict.kind].word(verdict.status)}{where}."
