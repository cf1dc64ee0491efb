"""`grader serve`: hand-ins over HTTP, judged at once, in their order, as autograde judges them.

A hand-in is on the disk before its receipt is sent (see `receiving`). A thread then files it in the
exchange, as nbgrader's own `submit` would with the time of the receipt, and has its answers judged;
the verdicts lie where autograde looks for them. After a crash it goes on with what has no result
yet, and files nothing twice.
"""

import asyncio
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from socket import socket
from typing import Any

import msgspec
from tornado.httpserver import HTTPServer
from tornado.web import Application, RequestHandler

from .. import course as lessons
from ..disk_cache import kept
from ..errors import CourseError, unless
from ..judge import Verdict, judge
from ..judge.verdict import Checked, Report, foremost
from ..learner.sending import LARGEST, Receipt
from ..status import Status
from ..submissions.intake import STAMP
from ..whole_files import filed
from . import coursefile, handing_out
from .exams import ALL, NOTHING, STATUS, NotTaken, ServiceRules, shown
from .folder import CourseFolder, secret
from .grading import Grading, SubmittedWork
from .judges import Judges
from .receiving import HandInQueue

FOLDER = "serve"  # in the course's root
TOGETHER = 8  # hand-ins whose answers are judged side by side
LOOK, REST = 0.2, 5.0  # seconds until the judge looks again; after something failed
POLL, EACH = 2.0, 0.25  # seconds until a learner's side asks again, and for each one before it


def queue_of(course: CourseFolder) -> HandInQueue:
    """The course's hand-ins."""
    key = f"log\n{secret(Path(course.config.JudgeAnswers.secret_file))}"
    return HandInQueue(course.root / FOLDER / "handins.db", key.encode())


@dataclass(frozen=True)
class HandInService:
    """Takes hand-ins and has them judged. `tell` is for the instructor."""

    course: CourseFolder
    queue: HandInQueue
    workers: Judges
    tell: Callable[[str], None]

    # --- for learners: each answer is an object of JSON's -----------------------------------------

    def rules(self, learner: str, lesson: str) -> ServiceRules:
        """The rules for a learner. NotTaken if there is no such lesson."""
        unless(
            self.course.notebook("release", lesson).is_file(),
            NotTaken(f"There is no lesson {lesson} to hand in here.", 404),
        )
        file = coursefile.read(self.course)
        return file.plan(lesson).service.longer(file.person(learner).time_factor)

    def take(self, learner: str, content: bytes, lesson: str, id: str) -> dict[str, object]:
        """Take a notebook's content: its receipt."""
        rules, draft = self.rules(learner, lesson), Receipt(learner, lesson, id)
        return {"receipt": self.queue.receive(draft, content, rules, time.time())}

    def answer(self, learner: str, _: bytes, lesson: str, id: str) -> dict[str, object]:
        """All that the learner may know about a hand-in now: what it `shows`, which is all once an
        exam is over for the last one, and the `report`, None for nothing. NotTaken while it is not
        judged."""
        result, ahead = self.queue.result(learner, lesson, id)
        file = coursefile.read(self.course)
        rules = file.plan(lesson).service
        longest = max((one.time_factor for one in file.learners.values()), default=1.0)
        shows = ALL if time.time() > rules.longer(longest).window()[1] else rules.shows
        if shows == NOTHING:
            return {"shows": shows, "report": None}
        waits = f"waiting for the judge; {ahead} before you"
        waiting = NotTaken(waits, 503, wait=POLL + EACH * ahead)
        whole = msgspec.json.decode(unless(result, waiting), type=Report, strict=False)
        seen = (
            replace(one, verdict=one.verdict and _shown(one.verdict, shows))
            for one in whole.checked
        )
        return {"shows": shows, "report": Report(tuple(seen)).to_dict()}

    def begin(self, learner: str, _: bytes, lesson: str) -> dict[str, object]:
        """Begin an exam: the learner's own notebook, and until when there is time."""
        rules = self.rules(learner, lesson)
        unless(rules.start, NotTaken(f"{lesson} is no exam.", 404))
        begun = self.queue.begin(learner, lesson, rules, time.time())
        about = lessons.lesson(lesson, self.course.kernels)
        return {
            "closes": shown(rules.window(begun)[1]),
            "notebook": handing_out.notebook_for(self.course, about, learner),
        }

    # --- the judge --------------------------------------------------------------------------------

    def judge_some(self) -> float:
        """Judge those that have waited longest, side by side or, if that fails, the first of them;
        the seconds until there may be more to do. What fails alone by a fault of our own is said,
        and left to autograde."""
        for most in (TOGETHER, 1):
            if not (batch := self.queue.waiting(most)):
                return LOOK
            try:
                self.queue.tick(time.time())
                self._judge(batch)
                return 0.0
            except CourseError as error:  # of the machine or the course: nothing is lost
                self.tell(str(error))
                return REST
            except Exception as error:
                place = " ".join(kept(error))
        receipt = batch[0][0]
        self.tell(f"{receipt.lesson} of {receipt.learner}: {place}")
        failed = Checked(
            receipt.lesson, "The grader itself failed: your instructor sees to it.", None
        )
        self.queue.settle(receipt, Report((failed,)), time.time())
        return 0.0

    def _judge(self, batch: list[tuple[Receipt, bytes]]) -> None:
        """Judge these, all of one lesson, as autograde would mark it now."""
        course, lesson = self.course, batch[0][0].lesson
        about = lessons.lesson(lesson, course.kernels)
        handing_out.require_solved(course, about, self.workers)
        store, seeds = handing_out.store(course), handing_out.seeds(course, about)
        grading = Grading(course, lesson, store, seeds, {}, coursefile.read(course), {})
        works = {
            one: work
            for one, content in batch
            if (work := grading.work(_filed(course, one, content), one.learner))
        }
        asked = [question for work in works.values() for question in grading.questions(work)]
        self.workers.ask(store, store.unsettled(asked))
        for one, work in works.items():
            self.queue.settle(one, _report(grading, work), time.time())


def _filed(course: CourseFolder, one: Receipt, content: bytes) -> Path:
    """The folder of the hand-in in the exchange: the whole of it, or none."""
    inbound = course.shelves / "inbound"
    place = inbound / f"{one.learner}+{one.lesson}+{one.at}+{one.id}"
    if not place.exists():
        draft = Path(tempfile.mkdtemp(dir=inbound, prefix="."))  # which nobody looks for
        filed(draft / f"{one.lesson}.ipynb", content)
        filed(draft / STAMP, one.at)
        draft.rename(place)
    return place


def _report(grading: Grading, work: SubmittedWork) -> Report:
    """The verdicts as the learner may read them at most."""
    lesson = lessons.lesson(grading.lesson, grading.course.kernels)
    found = [
        Checked(
            f"{lesson.name}/{one.name}",
            one.problem,
            None if one.source is None else _told(grading, work, one.name, one.source),
        )
        for one in work.answers
    ]
    return Report(tuple(found) or (Checked(lesson.name, work.marking.unreadable, None),))


def _told(grading: Grading, work: SubmittedWork, name: str, source: str) -> Verdict:
    """The verdict on an answer; of a question what `check` says."""
    id, root = f"{grading.lesson}/{name}", grading.course.kernels
    if not lessons.exercise(id, root).cases:
        return judge(id, source, hidden=False, root=root)
    verdict = grading.store.verdict(grading.question(id, source, work.marking)).for_learner()
    return replace(verdict, cases=tuple(replace(case, strip=None) for case in verdict.cases))


def _shown(verdict: Verdict, shows: str) -> Verdict:
    """So much of it as the learner may see. Without hidden cases, the points of the others are all
    there are."""
    if shows == ALL:
        return verdict
    if shows == STATUS:
        return Verdict(verdict.exercise, 0.0, 0.0, verdict.status, kind=verdict.kind)
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


# --- HTTP ----------------------------------------------------------------------------------------


class LearnerRequest(RequestHandler):
    """A learner's, with the learner's token. `does` has by method what answers it."""

    def initialize(self, queue: HandInQueue, does: Mapping[str, Callable[..., object]]) -> None:
        self.queue, self.does = queue, does

    def answer(self, *about: str) -> None:
        """Answer with what is asked for, or why that is not to be had."""
        given = self.request.headers.get("Authorization", "").removeprefix("Bearer ")
        learner, _, token = given.partition(":")
        try:
            self.queue.require_owner(learner, token)
            does = unless(self.does.get(str(self.request.method)), NotTaken("Nothing here.", 405))
            content = does(learner, self.request.body, *about)
        except NotTaken as refused:
            self.set_status(refused.status)
            content = refused.answer
        self.finish(msgspec.to_builtins(content))

    put = get = post = answer


async def serve(
    service: HandInService, sockets: list[socket], tls: dict[str, Any] | None = None
) -> None:
    """Answer requests below any path, as a hub's proxy may put one before ours, and judge, until
    the process is told to end."""
    does = {
        r".*/handins/(\w{1,100})/([0-9a-f]{32})": {"PUT": service.take, "GET": service.answer},
        r".*/exams/(\w{1,100})": {"POST": service.begin},
    }
    application = Application(
        [
            (path, LearnerRequest, {"queue": service.queue, "does": by_method})
            for path, by_method in does.items()
        ],
        log_function=lambda _: None,
    )
    server = HTTPServer(
        application,
        ssl_options=tls,
        max_body_size=LARGEST,
        max_buffer_size=LARGEST + (64 << 10),
        body_timeout=60.0,
        idle_connection_timeout=120.0,
    )
    server.add_sockets(sockets)
    while True:
        await asyncio.sleep(await asyncio.to_thread(service.judge_some))
