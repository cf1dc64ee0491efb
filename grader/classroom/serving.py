"""`grader serve`: hand-ins over HTTP, judged at once, in their order, as autograde judges them.

A hand-in is on the disk before its receipt is sent (see `receiving`). A thread then files it in the
exchange, as nbgrader's own `submit` would with the time of the receipt, and has its answers judged;
the verdicts lie where autograde looks for them. After a crash it goes on with what has no result
yet, and files nothing twice.
"""

import shutil
import threading
import time
from base64 import b64decode
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec
from tornado.httpserver import HTTPServer
from tornado.ioloop import IOLoop
from tornado.web import Application, RequestHandler

from .. import course as lessons
from ..course.kinds import WrittenQuestion
from ..disk_cache import kept
from ..errors import CourseError, unless
from ..judge import Verdict, questions
from ..judge.verdict import Checked, Report, foremost
from ..learner.sending import LARGEST, Answered
from ..status import Status
from ..submissions.intake import STAMP
from ..whole_files import filed
from . import ClassroomError, coursefile, handing_out
from .exams import ALL, NOTHING, STATUS, VISIBLE, Allowance, NotTaken, shown
from .folder import CourseFolder, secret
from .grading import Grading, SubmittedWork
from .judges import Judges
from .receiving import HandInQueue, ReceivedWork

FOLDER = "serve"  # in the course's root
LOCK = "serve.lock"
TOGETHER = 8  # hand-ins whose answers are judged side by side
LOOK, REST = 0.2, 5.0  # seconds until the judge looks again; after something failed
POLL = 2.0  # seconds until a learner's side asks again, and for each hand-in before it
EACH = 0.25


def queue_of(course: CourseFolder) -> HandInQueue:
    """The course's hand-ins."""
    key = f"log\n{secret(Path(course.config.JudgeAnswers.secret_file))}"
    return HandInQueue(course.root / FOLDER / "handins.db", key.encode())


@dataclass
class HandInService:
    """What is received, and what becomes of it. `tell` is for the instructor."""

    course: CourseFolder
    queue: HandInQueue
    workers: Judges
    tell: Callable[[str], None]
    clock: Callable[[], float] = time.time
    _gradings: dict[str, Grading] = field(default_factory=dict)
    _file: tuple[object, coursefile.CourseFile] = (None, coursefile.CourseFile())

    # --- for learners -----------------------------------------------------------------------------

    def allowance(self, learner: str, lesson: str) -> Allowance:
        """The rules for a learner, as course.toml has them now. NotTaken if there is no such
        lesson."""
        unless(
            self.course.notebook("release", lesson).is_file(),
            NotTaken(f"There is no lesson {ascii(lesson)[1:-1]} to hand in here.", 404),
        )
        file = self.file
        return Allowance(lesson, file.plan(lesson).service, file.extra_time(learner))

    @property
    def file(self) -> coursefile.CourseFile:
        """course.toml, read again when it has changed; the last one while it cannot be read."""
        path = self.course.root / coursefile.FILE
        known = (path.stat().st_mtime_ns, path.stat().st_size) if path.is_file() else None
        if known != self._file[0]:
            try:
                self._file = known, coursefile.read(self.course)
            except ClassroomError as error:
                self.tell(f"{error} What it said before is in force.")
                self._file = known, self._file[1]
        return self._file[1]

    def answer(self, learner: str, id: str) -> Answered:
        """What the learner may know about a hand-in now. NotTaken if it is none of the
        learner's."""
        gone = NotTaken("There is no such hand-in of yours here.", 404)
        one = unless(self.queue.find(learner, id), gone)
        if (shows := self.shows(one.lesson)) == NOTHING:
            return Answered(shows)
        result, ahead = self.queue.result(one)
        if result is None:
            return Answered(shows, ahead, POLL + EACH * ahead)
        view: Callable[[Verdict], Verdict] = _VIEWS.get(shows, lambda verdict: verdict)
        whole: Report = msgspec.json.decode(result, type=Report, strict=False)
        seen = [
            replace(each, verdict=each.verdict and view(each.verdict)) for each in whole.checked
        ]
        return Answered(shows, report=Report(tuple(seen)).to_dict())

    def shows(self, lesson: str) -> str:
        """How much is shown: everything once an exam is over for all."""
        file = self.file
        rules = file.plan(lesson).service
        most = max(map(file.extra_time, file.learners), default=0.0)
        is_over = rules.start is not None and self.clock() > rules.window(most)[1]
        return ALL if is_over else rules.shows

    def begin(self, learner: str, lesson: str) -> dict[str, Any]:
        """Begin an exam: the learner's own notebook, and from when until when there is time."""
        allowance = self.allowance(learner, lesson)
        unless(allowance.rules.start, NotTaken(f"{lesson} is no exam.", 404))
        begun = self.queue.begin(learner, allowance, self.clock())
        opens, closes = allowance.rules.window(allowance.extra, begun)
        about = lessons.lesson(lesson, self.course.kernels)
        return {
            "opens": shown(opens),
            "closes": shown(closes),
            "notebook": handing_out.notebook_for(self.course, about, learner),
        }

    # --- the judge --------------------------------------------------------------------------------

    def judge_for_ever(self, stop: threading.Event) -> None:
        """Judge what waits, until `stop` is set."""
        rest = 0.0
        while not stop.wait(rest):
            try:
                rest = 0.0 if self.judge_waiting() else LOOK
                self.queue.tick(self.clock())
            except CourseError as error:  # of the machine or the course: nothing is lost
                self.tell(str(error))
                self._gradings.clear()
                rest = REST

    def judge_waiting(self) -> int:
        """Judge those that have waited longest; how many. What fails for one of them by a fault of
        our own is said and left to autograde."""
        batch = self.queue.waiting(TOGETHER)
        try:
            self._judge(batch)
        except CourseError:
            raise
        except Exception:
            for one in batch:
                try:
                    self._judge([one])
                except CourseError:
                    raise
                except Exception as error:
                    self.tell(f"{one.lesson} of {one.learner} stumbled: {' '.join(kept(error))}")
                    problem = "The grader itself failed: your instructor sees to it."
                    self._settle(one, Report((Checked(one.lesson, problem, None),)))
        return len(batch)

    def _judge(self, batch: list[ReceivedWork]) -> None:
        works = [(one, self._grading(one.lesson), _filed(self.course, one)) for one in batch]
        read = [
            (one, grading, unless(grading.work(folder, one.learner), ClassroomError(one.id)))
            for one, grading, folder in works
        ]
        for grading in {id(each): each for _, each, _ in read}.values():
            asked = [ask for _, of, work in read if of is grading for ask in of.questions(work)]
            self.workers.ask(grading.store, grading.store.unsettled(asked))
        for one, grading, work in read:
            self._settle(one, _report(grading, work))

    def _settle(self, one: ReceivedWork, report: Report) -> None:
        points = {
            each.exercise.partition("/")[2]: each.verdict and each.verdict.points
            for each in report.checked
        }
        self.queue.settle(one, msgspec.json.encode(report.to_dict()), points, self.clock())

    def _grading(self, lesson: str) -> Grading:
        """The way in which autograde would mark the lesson now."""
        file, about = self.file, lessons.lesson(lesson, self.course.kernels)
        known = self._gradings.get(lesson)
        if known is None or known.file is not file:
            handing_out.require_solved(self.course, about, self.workers)
            known = Grading(
                self.course,
                lesson,
                handing_out.store(self.course),
                handing_out.seeds(self.course, about),
                scores={},
                file=file,
                blank={},
            )
            self._gradings[lesson] = known
        return known


def _filed(course: CourseFolder, one: ReceivedWork) -> Path:
    """The folder of the hand-in in the exchange: the whole of it, or none."""
    inbound = course.shelves / "inbound"
    place = inbound / f"{one.learner}+{one.lesson}+{shown(one.at)}+{one.id}"
    if not place.exists():
        draft = inbound / f".{one.id}"
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(mode=0o700)
        filed(draft / f"{one.lesson}.ipynb", one.content)
        filed(draft / STAMP, shown(one.at))
        draft.rename(place)
    return place


def _report(grading: Grading, work: SubmittedWork) -> Report:
    """The verdicts as the learner may read them at most; of a question what `check` says."""
    lesson = lessons.lesson(grading.lesson, grading.course.kernels)
    found = []
    for answer in work.answers:
        exercise, verdict = lesson.exercise(answer.name), None
        if answer.source is not None and isinstance(exercise.kind, WrittenQuestion):
            verdict = questions.judged(exercise, exercise.kind, answer.source, hidden=False)
        elif answer.source is not None:
            question = grading.question(exercise.id, answer.source, work.marking)
            verdict = grading.store.verdict(question).for_learner()
            cases = tuple(replace(case, strip=None) for case in verdict.cases)
            verdict = replace(verdict, cases=cases)
        found.append(Checked(exercise.id, answer.problem, verdict))
    return Report(tuple(found) or (Checked(lesson.name, work.marking.unreadable, None),))


def _visible_only(verdict: Verdict) -> Verdict:
    """What the cases say that a learner sees; their points are all there are."""
    cases = tuple(case for case in verdict.cases if case.visible)
    failed = foremost(cases)
    return Verdict(
        exercise=verdict.exercise,
        points=sum(case.points for case in cases),
        max_points=sum(case.max_points for case in cases),
        status=failed.status if failed else Status.PASSED if cases else verdict.status,
        message=failed.message if failed else "",
        line=failed.line if failed else None,
        cases=cases,
        diagnostics=verdict.diagnostics,
        kind=verdict.kind,
        steps=verdict.steps,
    )


def _status_only(verdict: Verdict) -> Verdict:
    return Verdict(verdict.exercise, 0.0, verdict.max_points, verdict.status, kind=verdict.kind)


_VIEWS = {VISIBLE: _visible_only, STATUS: _status_only}


# --- HTTP ----------------------------------------------------------------------------------------


class _Request(RequestHandler):
    """A learner's, known by name and token."""

    def initialize(self, service: HandInService) -> None:
        self.service = service

    def prepare(self) -> None:
        kind, _, given = self.request.headers.get("Authorization", "").partition(" ")
        try:
            self.learner, _, token = b64decode(given, validate=True).decode().partition(":")
        except ValueError:
            kind = ""
        unless(kind == "Basic", NotTaken("This needs a learner's name and token.", 401))
        self.service.queue.require_owner(self.learner, token)

    def write_error(self, status_code: int, **about: Any) -> None:
        """Errors are sentences here, in JSON."""
        error = about.get("exc_info", (None, None))[1]
        if isinstance(error, NotTaken):
            self.set_status(error.status)
            self.answer(error.answer)
        else:
            self.answer({"error": "the service failed; your instructor can read why"})

    def log_exception(self, *about: Any) -> None:
        if not isinstance(about[1], NotTaken):
            self.service.tell(" ".join([*kept(about[1]), str(about[1])]))

    def answer(self, content: object) -> None:
        self.set_header("Content-Type", "application/json")
        self.finish(msgspec.json.encode(content))


class HandInRequest(_Request):
    """PUT takes a notebook, GET tells its result."""

    def put(self, lesson: str, id: str) -> None:
        new = ReceivedWork(self.learner, id, lesson, self.request.body)
        allowance = self.service.allowance(self.learner, lesson)
        receipt = self.service.queue.receive(new, allowance, self.service.clock())
        self.set_status(201)
        self.answer({"receipt": receipt})

    def get(self, lesson: str, id: str) -> None:
        self.answer(self.service.answer(self.learner, id))


class ExamRequest(_Request):
    """POST begins an exam."""

    def post(self, lesson: str) -> None:
        self.answer(self.service.begin(self.learner, lesson))


def listen(service: HandInService, port: int, address: str, tls: dict[str, str]) -> HTTPServer:
    """Take requests from now on, below any path: a hub's proxy may put one before ours. Port 0: one
    that is free."""
    with_service = {"service": service}
    application = Application(
        [
            (r".*/handins/(\w{1,100})/([0-9a-f]{32})", HandInRequest, with_service),
            (r".*/exams/(\w{1,100})", ExamRequest, with_service),
        ],
        log_function=lambda _: None,
    )
    server = HTTPServer(
        application,
        ssl_options=tls or None,
        max_body_size=LARGEST,
        max_buffer_size=LARGEST + (64 << 10),
        body_timeout=60.0,
        idle_connection_timeout=120.0,
    )
    server.listen(port, address)
    return server


def port_of(server: HTTPServer) -> int:
    """The port on which it listens."""
    return next(int(each.getsockname()[1]) for each in server._sockets.values())


def serve(service: HandInService, server: HTTPServer) -> None:
    """Judge and answer until the process is told to end."""
    stop = threading.Event()
    judging = threading.Thread(target=service.judge_for_ever, args=(stop,))
    judging.start()
    try:
        IOLoop.current().start()
    finally:
        stop.set()
        server.stop()
        judging.join()
