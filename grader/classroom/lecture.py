"""A lesson in the browser, served from here.

`grader demo --live`: its slides, on which kernels can be edited and judged in place. The page is
the same file as without; a script in it (slides/template/live.js) wakes up where it is served.
Only this machine can connect, and only who knows the token of this run gets anything: another page
in the same browser does not, by whatever name it calls this machine.

`grader rubric`: in the same way, a page on which instructors and TAs mark a lesson's answers by
rubrics. Each act goes into the log, into the gradebook and into changes.jsonl before the page shows
it.

`grader preview`: a lesson's page for its author, made anew whenever a file of it is saved.
"""

import asyncio
import json
import re
import secrets
import webbrowser
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from html import escape
from itertools import chain, count
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any

from msgspec import to_builtins
from nbformat import NotebookNode
from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets
from tornado.web import Application, RequestHandler

from .. import course
from ..course.weave import weave
from ..errors import BadInput, CourseError, unless
from ..judge import judge, steps
from ..judge.judging import WHILE_SOMEBODY_WAITS
from ..learner.editions import checked
from ..page_templates import page_template
from ..submissions.intake import cuda_source
from . import ClassroomError, changes, export, handing_out, rubric
from .folder import CourseFolder, alone, explained, user
from .grading import settle

HERE = "127.0.0.1"
MOST = 1_000_000  # bytes of a question
TOKEN = "X-Warpwise-Token"  # in the header of each question; the page's address has it, too

PATIENCE = 10  # seconds that an act waits for another TA's
SHOWN = 15  # acts in the list of the last ones
ONE, MISTAKE = "one", "mistake"  # answers that an act holds for; else equal ones

Act = Mapping[str, Any]  # as the page asks for it

PAGE = "index.html"
_WRONG = """<!doctype html><meta charset="utf-8"><title>{name}</title>
<body style="font: 1.1rem system-ui; max-width: 44rem; margin: 4rem auto">
<h1>{name}</h1><p>{said}</p><p>Save the file again, and this page is made anew.</p>"""


@dataclass(frozen=True)
class ServedPage(ABC):
    """A `page`, the HTML, that asks questions; only those who know the token may see it."""

    page: str
    token: str = field(default_factory=secrets.token_urlsafe, kw_only=True)

    @abstractmethod
    def answer(self, asked: Any) -> dict[str, Any]:
        """CourseError; or ValueError, KeyError and TypeError where it was no question."""


@dataclass(frozen=True)
class Lecture(ServedPage):
    """The slides of a `lesson`. One kernel is judged at a time."""

    lesson: course.Lesson
    _turn: Lock = field(default_factory=Lock)

    def answer(self, asked: Any) -> dict[str, Any]:
        """The card for the text of a `%%cuda` cell, on all cases with inputs drawn afresh; hidden
        ones by their category, as learners see them."""
        from ..notebook import verdict_card

        exercise = self.lesson.exercise(str(asked["exercise"]))
        source, root = cuda_source(str(asked["source"])), self.lesson.path.parent
        with self._turn:
            found = judge(
                exercise.id,
                source,
                seed=secrets.randbelow(2**31),
                root=root,
                limits=WHILE_SOMEBODY_WAITS,
            )
        return {"html": verdict_card.page(found.for_learner(), source, exercise).html}


class PageRequest(RequestHandler):
    """`/` is the page; questions are posted to it. Only who knows the token, and asks this machine
    by its own name, gets anything: a page from elsewhere whose name leads here does neither."""

    def initialize(self, shown: ServedPage, port: int) -> None:
        self.shown, self.port = shown, port

    def set_default_headers(self) -> None:
        self.set_header("Cache-Control", "no-store")
        self.set_header("Referrer-Policy", "no-referrer")  # the address has the token in it
        self.set_header("X-Frame-Options", "DENY")

    def prepare(self) -> None:
        is_mine = self.request.host in (f"{HERE}:{self.port}", f"localhost:{self.port}")
        token = (
            self.get_query_argument("token", "")
            if self.request.method == "GET"
            else self.request.headers.get(TOKEN, "")
        )
        if not is_mine or not secrets.compare_digest(token.encode(), self.shown.token.encode()):
            self.set_status(403)
            self.finish({"error": "Open the address that the command said: it holds a token."})

    def get(self) -> None:
        self.finish(self.shown.page)

    async def post(self) -> None:
        await answer(self, self.shown)


async def answer(handler: RequestHandler, page: ServedPage) -> None:
    """Answer the question of a request to a page, which waits in a thread of its own."""
    body = handler.request.body
    try:
        unless(len(body) <= MOST, BadInput(f"These are more than {MOST:,} bytes."))
        said = await asyncio.to_thread(page.answer, json.loads(body))
    except CourseError as error:
        said = {"error": str(error)}
    except (ValueError, KeyError, TypeError):
        handler.set_status(400)
        said = {"error": "This page does not ask so."}
    handler.finish(said)


async def served(page: ServedPage, port: int, ready: Callable[[str], object]) -> None:
    """Serve a page on this machine alone, at `port` or, if that is 0, at one that is free; `ready`
    is called with its address."""
    sockets = bind_sockets(port, HERE)
    _, port = sockets[0].getsockname()
    HTTPServer(
        Application(
            [("/(?:judge|rubric)?", PageRequest, {"shown": page, "port": port})],
            log_function=lambda _: None,
        )
    ).add_sockets(sockets)
    ready(f"http://{HERE}:{port}/?token={page.token}")
    await asyncio.Event().wait()


def serve(page: ServedPage, port: int, say: Callable[[str], None], what: str) -> None:
    """Show it in the browser until somebody presses Ctrl-C, and say where `what` is done."""

    def ready(address: str) -> None:
        say(f"{what}, until Ctrl-C: {address}")
        webbrowser.open(address)

    asyncio.run(served(page, port, ready))


# --- to mark by rubrics --------------------------------------------------------------------------


@dataclass(frozen=True)
class RubricPage(ServedPage):
    """The answers to a lesson's exercises, of those whom `names` gives, and who may mark them."""

    lesson: course.Lesson
    names: export.ShownNames
    page: str = field(default=page_template("classroom/pages/rubric.html").render(), kw_only=True)

    def answer(self, asked: Any) -> dict[str, Any]:
        """Do what is asked, if anything is; all that the page shows of one exercise then."""
        exercise = self.lesson.exercise(str(asked["exercise"] or self.lesson.exercises[0].name))
        if asked.get("act"):
            self.do(exercise, asked["act"])
        return self._state(exercise.name)

    def do(self, exercise: course.Exercise, act: Act) -> None:
        """An act on an exercise, and all that comes of it in the gradebook. `do` says which:
        "undo", "item" (add, change or remove one), "put" (an item on answers, or off) or
        "nothing", after which marks are as a rubric.toml says that was edited."""
        course, name = self.names.course, self.lesson.name
        acts = {"undo": self._undo, "item": self._change, "put": self._put}
        with explained(name), alone(course, PATIENCE):
            before = changes.record(course, name)
            decided = {} if act["do"] == "nothing" else acts[act["do"]](exercise, act, before)
            settle(course, name, before, decided)

    def _undo(self, exercise: course.Exercise, _: Act, __: changes.State) -> changes.Decided:
        undone = rubric.undo(self.names.course, self.lesson.name, exercise.name)
        return {
            (mate, exercise.name): undone.hand
            for mate in undone.whose.get("learner", ())
            if undone.hand is not None
        }

    def _put(self, exercise: course.Exercise, act: Act, before: changes.State) -> changes.Decided:
        """Put an item on answers, or take it off. A mark by hand of the one answer gives way."""
        course, name, at = self.names.course, self.lesson.name, (act["learner"], exercise.name)
        found = [one for one in rubric.answers(course, name) if (one.learner, one.exercise) == at]
        unless(
            found and act["item"] in rubric.read(course, name).items.get(exercise.name, {}),
            ClassroomError(f"{at[0]}'s answer to {at[1]}, or the item {act['item']}, is gone."),
        )
        (answer,), line, code = found, int(act.get("line") or 0), found[0].source.split("\n")
        team = self.names.file.team(name, answer.learner) if act["scope"] == ONE else ()
        whose = (
            {"mistake": (answer.mistake,)} if act["scope"] == MISTAKE else {"name": (answer.name,)}
        )
        unless(
            whose.get("mistake") != ("",),
            ClassroomError("The grader names no mistake in this answer: choose other answers."),
        )
        was = before.get(at)
        rubric.add(
            *(course, name, exercise.name),
            item=act["item"],
            on=bool(act["on"]),
            whose=whose
            | ({"learner": team} if team else {})
            | ({"section": tuple(sorted(mine))} if (mine := self.names.sections) else {}),
            line=line,
            code="".join(code[line - 1 : line]).strip() if line else "",
            hand=was.after if team and was and was.by_person else None,
        )
        return dict.fromkeys((mate, exercise.name) for mate in team)

    def _change(self, exercise: course.Exercise, act: Act, _: changes.State) -> changes.Decided:
        """Add an item, change it or take it away, for all answers."""
        known, most = rubric.read(self.names.course, self.lesson.name), exercise.points
        items, item, after = known.items.get(exercise.name, {}), act["item"], None
        if not act.get("remove"):
            text, points = " ".join(checked(act["text"]).split()), float(act["points"])
            unless(
                abs(points) <= most,
                ClassroomError(
                    f"{exercise.name} has {most:g} points: give from {-most:g} to {most:g}."
                ),
            )
            after = rubric.RubricItem(text, points, items[item].mistake if item in items else "")
            name = re.sub(r"\W+", "_", text.casefold()).strip("_")[:30] or "item"
            names = chain([name], (f"{name}_{number}" for number in count(2)))
            item = item or next(one for one in names if one not in items)
        kept = items[item] if (exercise.name, item) in known.edited else None
        unless(kept or after, ClassroomError(f"{item!a} is not in {rubric.FILE}, and so stays."))
        made = rubric.add(
            *(self.names.course, self.lesson.name, exercise.name),
            item=item,
            before=kept,
            after=after,
        )
        rubric.put(self.names.course, made, after)
        return {}

    # --- what the page shows ---------------------------------------------------------------------

    def _state(self, exercise: str) -> dict[str, Any]:
        course = self.names.course
        known, state = rubric.read(course, self.lesson.name), changes.now(course, self.lesson.name)
        with course.gradebook() as gradebook:
            called = self.names.called(gradebook)
            marks = {
                (mark.learner, mark.exercise): mark
                for mine in export.by_learner(gradebook, self.lesson.name).values()
                for mark in mine
                if self.names.has(mark.learner)
            }
        acts = [act for act in known.acts if act.exercise == exercise]
        return {
            "lesson": self.lesson.name,
            "who": user(),
            "sections": sorted(self.names.sections or ()),
            "exercise": exercise,
            "exercises": [
                {
                    "name": each.name,
                    "most": each.points,
                    "left": sum(
                        name == each.name and mark.score is None
                        for (_, name), mark in marks.items()
                    ),
                }
                for each in self.lesson.exercises
            ],
            "items": [
                {**to_builtins(one), "item": item, "edited": (exercise, item) in known.edited}
                for item, one in known.items.get(exercise, {}).items()
            ],
            "answers": [
                _shown(known, each, marks[at], called.get(each.learner, ""), state[at].why)
                for each in rubric.answers(course, self.lesson.name)
                for at in [(each.learner, exercise)]
                if each.exercise == exercise and at in marks
            ],
            "acts": [
                {**to_builtins(act), "holds": act in known.in_force}
                for act in acts[: -SHOWN - 1 : -1]
            ],
        }


def rubric_page(here: CourseFolder, lesson: str, section: str | None = None) -> RubricPage:
    """The page for a lesson of a course, with the learners of a section, or those that this user
    may mark. ClassroomError: nothing of the lesson is graded yet."""
    about = course.lesson(course.full_name(lesson, here.kernels), here.kernels)
    unless(
        here.learners("autograded", about.name),
        ClassroomError(f"Nothing is graded yet: run `grader autograde {about.name}`."),
    )
    page = RubricPage(lesson=about, names=export.shown_names(here, section))
    page.do(about.exercises[0], {"do": "nothing"})  # rubric.toml may have been edited
    return page


def _shown(
    known: rubric.Rubric,
    answer: rubric.AnswerToMark,
    mark: export.ExerciseRow,
    called: str,
    how: str,
) -> dict[str, Any]:
    """An answer as the page has it; `how` a rubric made its mark."""
    verdict, account = answer.kept["verdict"], known.account(answer)
    return {
        "learner": answer.learner,
        "called": called,
        "section": answer.section,
        "source": answer.source,
        "same": answer.name,
        "mistake": answer.mistake,
        "status": verdict["status"],
        "message": verdict.get("message", ""),
        "line": verdict["line"],
        "fault": known.fault(answer),
        "on": account.on if account else dict.fromkeys(filter(None, [known.fault(answer)]), 0),
        "judged": mark.by_judge,
        "mark": mark.score,
        "by_hand": mark.by_hand is not None and not how,
        "how": how or (account.how if account else ""),
    }


# --- for its author -----------------------------------------------------------------------------


class Preview:
    """The page of the lesson `name` under `kernels`, solved and with every output. Its cells are
    executed again only when something that they show may have changed: prose is there at once."""

    def __init__(self, name: str, kernels: Path, folder: Path):
        self.name, self.kernels, self.folder = name, kernels, folder
        self._shown: object = None
        self._outputs: list[list[NotebookNode]] = []

    def write(self) -> str:
        """Make the page; what is wrong with the lesson, in a sentence that the page has too."""
        said = ""
        try:
            page = self._html(course.lesson(self.name, self.kernels))
        except CourseError as error:
            said = str(error)
            page = _WRONG.format(name=escape(self.name), said=escape(said))
        (self.folder / PAGE).write_text(page, encoding="utf-8")
        return said

    def _html(self, lesson: course.Lesson) -> str:
        from nbconvert import HTMLExporter

        notebook = weave(lesson)
        cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
        # Its files that decide what cells show, and when each was saved.
        shows = (
            [cell.source for cell in cells],
            sorted(
                (path.name, path.stat().st_mtime_ns)
                for path in lesson.path.iterdir()
                if path.suffix in (".py", ".cu", ".toml")
            ),
        )
        if shows != self._shown:
            steps.require_no_oversight(lesson)
            self._outputs = [
                cell.outputs
                for cell in handing_out.solved(lesson, self.folder).cells
                if cell.cell_type == "code"
            ]
            self._shown = shows
        for cell, outputs in zip(cells, self._outputs, strict=True):
            cell.outputs = outputs
        body, _ = HTMLExporter(template_name="lab").from_notebook_node(notebook)
        return body


def serve_preview(name: str, kernels: Path, port: int) -> None:
    """Show the lesson at http://localhost:`port` until somebody presses Ctrl-C."""
    from livereload import Server

    with TemporaryDirectory(prefix="preview-") as folder:
        preview = Preview(name, kernels, Path(folder))
        preview.write()
        server = Server()
        server.watch(str(kernels / name / "*"), preview.write)
        server.serve(port=port, host="localhost", root=folder, open_url_delay=1)
