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
from contextlib import suppress
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
from ..grouped import grouped
from ..judge import Verdict, questions
from ..judge.verdict import Checked, Report, foremost
from ..learner.sending import LARGEST, Answered, Receipt
from ..status import Status
from ..submissions.intake import STAMP
from ..whole_files import filed
from . import coursefile, handing_out
from .exams import ALL, NOTHING, STATUS, VISIBLE, NotTaken, ServiceRules, shown
from .folder import CourseFolder, secret
from .grading import Grading, SubmittedWork
from .judges import Judges
from .receiving import HandInQueue

FOLDER = "serve"  # in the course's root
LOCK = "serve.lock"
TOGETHER = 8  # hand-ins whose answers are judged side by side
LOOK, REST = 0.2, 5.0  # seconds until the judge looks again; after something failed
POLL, EACH = 2.0, 0.25  # seconds until a learner's side asks again, and for each one before it

Waiting = tuple[Receipt, bytes]  # a hand-in, and the notebook's content


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
    _read: tuple[int, coursefile.CourseFile] = (0, coursefile.CourseFile())

    @property
    def file(self) -> coursefile.CourseFile:
        """course.toml, read again when it has changed."""
        changed = (self.course.root / coursefile.FILE).stat().st_mtime_ns
        if changed != self._read[0]:
            self._read = changed, coursefile.read(self.course)
        return self._read[1]

    # --- for learners -----------------------------------------------------------------------------

    def rules(self, learner: str, lesson: str) -> ServiceRules:
        """The rules for a learner. NotTaken if there is no such lesson."""
        unless(
            self.course.notebook("release", lesson).is_file(),
            NotTaken(f"There is no lesson {lesson} to hand in here.", 404),
        )
        return replace(self.file.plan(lesson).service, extra=self.file.extra_time(learner))

    def answer(self, learner: str, id: str) -> Answered:
        """What the learner may know about a hand-in now: all of it once an exam is over for the
        last one."""
        lesson, result, ahead = self.queue.result(learner, id)
        rules, longest = (
            self.file.plan(lesson).service,
            map(self.file.extra_time, self.file.learners),
        )
        last = replace(rules, extra=max(longest, default=0.0)).window()[1]
        shows = ALL if rules.start is not None and self.clock() > last else rules.shows
        if shows == NOTHING:
            return Answered(shows)
        if result is None:
            return Answered(shows, ahead, POLL + EACH * ahead)
        view: Callable[[Verdict], Verdict] = _VIEWS.get(shows, lambda verdict: verdict)
        whole: Report = msgspec.json.decode(result, type=Report, strict=False)
        seen = [replace(one, verdict=one.verdict and view(one.verdict)) for one in whole.checked]
        return Answered(shows, report=Report(tuple(seen)).to_dict())

    def begin(self, learner: str, lesson: str) -> dict[str, Any]:
        """Begin an exam: the learner's own notebook, and until when there is time."""
        rules = self.rules(learner, lesson)
        unless(rules.start, NotTaken(f"{lesson} is no exam.", 404))
        begun = self.queue.begin(learner, lesson, rules, self.clock())
        about = lessons.lesson(lesson, self.course.kernels)
        return {
            "closes": shown(rules.window(begun)[1]),
            "notebook": handing_out.notebook_for(self.course, about, learner),
        }

    # --- the judge --------------------------------------------------------------------------------

    def judge_for_ever(self, stop: threading.Event) -> None:
        """Judge what waits, until `stop` is set."""
        rest = 0.0
        while not stop.wait(rest):
            try:
                self.queue.tick(self.clock())
                batch = self.queue.waiting(TOGETHER)
                self.judge(batch)
                rest = 0.0 if batch else LOOK
            except CourseError as error:  # of the machine or the course: nothing is lost
                self.tell(str(error))
                self._gradings.clear()
                rest = REST

    def judge(self, batch: list[Waiting]) -> None:
        """Judge these. What fails for one of them by a fault of our own is said, and left to
        autograde."""
        try:
            for lesson, some in grouped((one[0].lesson, one) for one in batch).items():
                self._judge(self._grading(lesson), some)
        except CourseError:
            raise
        except Exception as error:
            for one in batch if len(batch) > 1 else ():
                self.judge([one])
            if len(batch) == 1:
                ((receipt, _),) = batch
                self.tell(f"{receipt.lesson} of {receipt.learner}: {' '.join(kept(error))}")
                problem = "The grader itself failed: your instructor sees to it."
                self._settle(receipt, Report((Checked(receipt.lesson, problem, None),)))

    def _judge(self, grading: Grading, batch: list[Waiting]) -> None:
        folders = [(one, _filed(self.course, one, content)) for one, content in batch]
        works = [
            (one, work) for one, folder in folders if (work := grading.work(folder, one.learner))
        ]
        asked = [question for _, work in works for question in grading.questions(work)]
        self.workers.ask(grading.store, grading.store.unsettled(asked))
        for one, work in works:
            self._settle(one, _report(grading, work))

    def _settle(self, one: Receipt, report: Report) -> None:
        points = {each.exercise: each.verdict and each.verdict.points for each in report.checked}
        self.queue.settle(one, msgspec.json.encode(report.to_dict()), points, self.clock())

    def _grading(self, lesson: str) -> Grading:
        """The way in which autograde would mark the lesson now."""
        file, known = self.file, self._gradings.get(lesson)
        if known is None or known.file is not file:
            about = lessons.lesson(lesson, self.course.kernels)
            handing_out.require_solved(self.course, about, self.workers)
            store, seeds = handing_out.store(self.course), handing_out.seeds(self.course, about)
            known = Grading(self.course, lesson, store, seeds, scores={}, file=file, blank={})
            self._gradings[lesson] = known
        return known


def _filed(course: CourseFolder, one: Receipt, content: bytes) -> Path:
    """The folder of the hand-in in the exchange: the whole of it, or none."""
    inbound = course.shelves / "inbound"
    place = inbound / f"{one.learner}+{one.lesson}+{one.at}+{one.id}"
    if not place.exists():
        draft = inbound / f".{one.id}"
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(mode=0o700)
        filed(draft / f"{one.lesson}.ipynb", content)
        filed(draft / STAMP, one.at)
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
        self.service, self.learner, token = service, "", ""
        given = self.request.headers.get("Authorization", "").removeprefix("Basic ")
        with suppress(ValueError):
            self.learner, _, token = b64decode(given).decode().partition(":")
        self.token = token

    def prepare(self) -> None:
        self.service.queue.require_owner(self.learner, self.token)

    def answer(self, content: object) -> None:
        self.set_header("Content-Type", "application/json")
        self.finish(msgspec.json.encode(content))

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


class HandInRequest(_Request):
    """PUT takes a notebook, GET tells its result."""

    def put(self, lesson: str, id: str) -> None:
        rules, draft = self.service.rules(self.learner, lesson), Receipt(self.learner, lesson, id)
        now, content = self.service.clock(), self.request.body
        self.answer({"receipt": self.service.queue.receive(draft, content, rules, now)})

    def get(self, lesson: str, id: str) -> None:
        self.answer(self.service.answer(self.learner, id))


class ExamRequest(_Request):
    """POST begins an exam."""

    def post(self, lesson: str) -> None:
        self.answer(self.service.begin(self.learner, lesson))


def http_server(service: HandInService, tls: dict[str, str]) -> HTTPServer:
    """Answers requests below any path, as a hub's proxy may put one before ours."""
    application = Application(
        [
            (r".*/handins/(\w{1,100})/([0-9a-f]{32})", HandInRequest, {"service": service}),
            (r".*/exams/(\w{1,100})", ExamRequest, {"service": service}),
        ],
        log_function=lambda _: None,
    )
    return HTTPServer(
        application,
        ssl_options=tls or None,
        max_body_size=LARGEST,
        max_buffer_size=LARGEST + (64 << 10),
        body_timeout=60.0,
        idle_connection_timeout=120.0,
    )


def serve(service: HandInService) -> None:
    """Judge and answer until the process is told to end."""
    stop = threading.Event()
    judging = threading.Thread(target=service.judge_for_ever, args=(stop,))
    judging.start()
    try:
        IOLoop.current().start()
    finally:
        stop.set()
        judging.join()
