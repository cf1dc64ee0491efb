"""`grader serve`: hand-ins over HTTP, judged at once, in their order, as autograde judges them.

A hand-in is on the disk before its receipt is sent: the hand-ins that a service has received, and
its log, are in one file of SQLite's. A thread then files a hand-in in the exchange, as nbgrader's
own `submit` would with the time of the receipt, and has its answers judged; the verdicts lie where
autograde looks for them. After a crash it goes on with what has no result yet, and files nothing
twice.

All that a receipt promises is written in one transaction, and on the disk before the receipt is
given: whenever the service ends, nothing is lost. Who calls passes the time, in seconds since 1970.

Each line of the log has a code, made of the line, of the code before it and of the course's secret.
So nobody without the secret can change, add or remove a line in the middle; and as a learner's
receipt has the code of its line, no last lines can go either.
"""

import asyncio
import hashlib
import secrets
import sqlite3
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path
from socket import socket
from typing import Any

import msgspec
from tornado.httpserver import HTTPServer
from tornado.web import Application, RequestHandler

from .. import course as lessons
from ..disk_cache import kept, sealed
from ..errors import CourseError, MachineError, counted, unless
from ..judge import Verdict, judge
from ..judge.verdict import Checked, Report, foremost
from ..learner.sending import LARGEST, Receipt
from ..status import Status
from ..submissions.intake import STAMP
from ..whole_files import filed
from . import coursefile, handing_out
from .coursefile import ALL, NOTHING, STATUS, NotTaken, ServiceRules, shown, told
from .folder import CourseFolder, secret
from .grading import Grading, SubmittedWork
from .judges import Judges

FOLDER = "serve"  # in the course's root
TOGETHER = 8  # hand-ins whose answers are judged side by side
LOOK, REST = 0.2, 5.0  # seconds until the judge looks again; after something failed
POLL, EACH = 2.0, 0.25  # seconds until a learner's side asks again, and for each one before it
MOST_WAITING = 2000  # hand-ins of all learners that wait to be judged
MOST_OF_ONE = 10  # of one learner


# --- what was received, and the log ---------------------------------------------------------------

_TABLES = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
CREATE TABLE IF NOT EXISTS work (
    learner TEXT, id TEXT, lesson TEXT, at REAL, content BLOB, receipt BLOB, result BLOB,
    PRIMARY KEY (learner, id)
);
CREATE INDEX IF NOT EXISTS tries ON work (learner, lesson, at);
CREATE INDEX IF NOT EXISTS waiting ON work (at) WHERE result IS NULL;
CREATE TABLE IF NOT EXISTS log (
    number INTEGER PRIMARY KEY, what TEXT, learner TEXT, lesson TEXT, at REAL, line TEXT, code TEXT
);
CREATE INDEX IF NOT EXISTS events ON log (what, learner, lesson);
CREATE TABLE IF NOT EXISTS token (learner TEXT PRIMARY KEY, digest TEXT);
"""


class HandInQueue:
    """The file at `path`. Threads may share it; `key` seals the log."""

    def __init__(self, path: Path, key: bytes):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._one = threading.RLock()
        # The first that is written begins a transaction; it ends with the block `with self._db`.
        self._db = sqlite3.connect(path, check_same_thread=False, isolation_level="IMMEDIATE")
        self._db.create_function(
            "seal", 2, lambda before, text: sealed(key, before, text.encode()).decode()
        )
        self._db.executescript(_TABLES)
        self._latest = float(
            self._rows(
                "SELECT coalesce(max(at), 0.0) FROM log WHERE number >= "
                "(SELECT coalesce(max(number), 0) FROM log WHERE what = 'clock set')"
            )[0][0]
        )

    # --- learners' side ---------------------------------------------------------------------------

    def receive(self, draft: Receipt, content: bytes, rules: ServiceRules, now: float) -> Receipt:
        """Take a notebook's content: the receipt of which the `draft` has learner, lesson and id.
        NotTaken if it was taken before, or if the rules do not allow it."""
        learner, lesson, id = draft.learner, draft.lesson, draft.id
        with self._one, self._db:
            now = self.tick(now)
            for (kept,) in self._rows(
                "SELECT receipt FROM work WHERE learner = ? AND id = ?", learner, id
            ):
                before = msgspec.json.decode(kept, type=Receipt)
                raise NotTaken(
                    f"This hand-in was received before, on {before.at}: it is not taken again.",
                    409,
                    receipt=before,
                )
            tries = self._rows(
                "SELECT at FROM work WHERE learner = ? AND lesson = ?", learner, lesson
            )
            rules.require_try([at for (at,) in tries], now, self._begun(learner, lesson))
            ((waiting, mine),) = self._rows(
                "SELECT count(*), count(*) FILTER (WHERE learner = ?) FROM work "
                "WHERE result IS NULL",
                learner,
            )
            whose = f"{counted(mine, 'hand-in')} of yours" if mine >= MOST_OF_ONE else "Too many"
            unless(
                waiting < MOST_WAITING and mine < MOST_OF_ONE,
                NotTaken(f"{whose} wait to be judged: try again in a minute.", 503),
            )
            receipt = msgspec.structs.replace(
                draft,
                at=shown(now),
                number=len(tries) + 1,
                tries=rules.tries,
                sha256=hashlib.sha256(content).hexdigest(),
            )
            receipt = msgspec.structs.replace(
                receipt,
                code=self._log("received", learner, lesson, now, msgspec.to_builtins(receipt)),
            )
            self._rows(
                "INSERT INTO work VALUES (?, ?, ?, ?, ?, ?, NULL)",
                *(learner, id, lesson, now, content, msgspec.json.encode(receipt)),
            )
            return receipt

    def begin(self, learner: str, lesson: str, rules: ServiceRules, now: float) -> float:
        """When the learner began the exam: at the first call, which must be in its window."""
        with self._one, self._db:
            now, begun = self.tick(now), self._begun(learner, lesson)
            rules.require_open(now, begun)
            if begun is None:
                self._log("begun", learner, lesson, now, {})
            return now if begun is None else begun

    def _begun(self, learner: str, lesson: str) -> float | None:
        return self._rows(  # type: ignore[no-any-return]
            "SELECT min(at) FROM log WHERE what = 'begun' AND learner = ? AND lesson = ?",
            *(learner, lesson),
        )[0][0]

    def sat(self, lesson: str) -> dict[str, tuple[float | None, int]]:
        """By learner, when the exam was begun, None if it was not, and how many tries there are."""
        return {
            who: (begun, tries)
            for who, begun, tries in self._rows(
                "SELECT learner, min(at) FILTER (WHERE what = 'begun'), count(*) FILTER "
                "(WHERE what = 'received') FROM log WHERE lesson = ? GROUP BY learner",
                lesson,
            )
        }

    def result(self, learner: str, lesson: str, id: str) -> tuple[bytes | None, int]:
        """The result of a hand-in, None while it waits, and how many are before it. NotTaken if it
        is none of the learner's."""
        found: list[tuple[bytes | None, int]] = self._rows(
            "SELECT result, (SELECT count(*) FROM work WHERE result IS NULL AND at < one.at) "
            "FROM work AS one WHERE learner = ? AND lesson = ? AND id = ?",
            *(learner, lesson, id),
        )
        return unless(found, NotTaken("There is no such hand-in of yours here.", 404))[0]

    # --- the judge's side -------------------------------------------------------------------------

    def waiting(self, most: int) -> list[tuple[Receipt, bytes]]:
        """Those that have waited longest, all of one lesson: receipt, and the notebook's
        content."""
        return [
            (msgspec.json.decode(kept, type=Receipt), content)
            for kept, content in self._rows(
                "SELECT receipt, content FROM work WHERE result IS NULL AND lesson = "
                "(SELECT lesson FROM work WHERE result IS NULL ORDER BY at LIMIT 1) "
                "ORDER BY at LIMIT ?",
                most,
            )
        ]

    def settle(self, one: Receipt, report: Report, now: float) -> None:
        """Keep the result of a hand-in; the log gets the points by exercise. The content is not
        needed any more: whoever settles has filed it."""
        points = {each.exercise: each.verdict and each.verdict.points for each in report.checked}
        with self._one, self._db:
            self._rows(
                "UPDATE work SET result = ?, content = '' WHERE learner = ? AND id = ?",
                *(msgspec.json.encode(report.to_dict()), one.learner, one.id),
            )
            self._log("judged", one.learner, one.lesson, now, {"id": one.id, "points": points})

    # --- tokens, the clock, the log ---------------------------------------------------------------

    def new_token(self, learner: str, path: Path) -> None:
        """Write a token of the learner's, in place of an earlier one, into the file `path`. Only a
        digest of it is kept, and none before the file is there."""
        token = secrets.token_urlsafe(24)
        with self._one, self._db:
            self._rows("REPLACE INTO token VALUES (?1, seal(?1, ?2))", learner, token)
            filed(path, f"{learner}:{token}\n", 0o600)

    def with_token(self) -> set[str]:
        """The learners who have a token."""
        return {learner for (learner,) in self._rows("SELECT learner FROM token")}

    def require_owner(self, learner: str, token: str) -> None:
        """NotTaken unless it is the learner's token."""
        unless(
            self._rows(
                "SELECT 1 FROM token WHERE (learner, digest) = (?1, seal(?1, ?2))", learner, token
            ),
            NotTaken(
                f"This is no token of {ascii(learner)[1:-1]}'s here. A token is for one learner "
                "and one course, and a newer one replaces it: ask your instructor.",
                401,
            ),
        )

    def tick(self, now: float) -> float:
        """The time of what happens now, never before what has happened. NotTaken if the clock was
        set back."""
        unless(
            now >= self._latest - 2.0,  # so far a clock goes back that is set by a network
            NotTaken(
                f"The service's clock was set back by {ceil(self._latest - now)} s, and nothing is "
                "received until it is right: tell your instructor.",
                503,
            ),
        )
        self._latest = max(now, self._latest)
        return self._latest

    def set_clock(self, now: float) -> None:
        """Take it that the clock is right, though it was later before."""
        with self._one, self._db:
            self._latest = now
            self._log("clock set", "", "", now, {})

    def log(self) -> Iterator[str]:
        """The lines of the log. MachineError where somebody has changed one."""
        for place, (line, code, has) in enumerate(
            self._rows(
                "SELECT line, seal(coalesce(lag(code) OVER (ORDER BY number), ''), line), code "
                "FROM log ORDER BY number"
            ),
            start=1,
        ):
            unless(
                code == has,
                MachineError(f"Line {place} of the log was changed, or lines before it are gone."),
            )
            yield f'{line[:-1]},"code":"{has}"}}'

    def _log(
        self, what: str, learner: str, lesson: str, now: float, more: Mapping[str, object]
    ) -> str:
        """Add a line; its code."""
        about = {"what": what, "learner": learner, "lesson": lesson, "at": shown(now), **more}
        return str(
            self._rows(
                "INSERT INTO log SELECT NULL, ?1, ?2, ?3, ?4, ?5, seal(coalesce("
                "(SELECT code FROM log ORDER BY number DESC LIMIT 1), ''), ?5) RETURNING code",
                *(what, learner, lesson, now, msgspec.json.encode(about).decode()),
            )[0][0]
        )

    def _rows(self, asked: str, *given: object) -> list[Any]:
        with self._one:
            return self._db.execute(asked, given).fetchall()


# --- the service ----------------------------------------------------------------------------------


def queue_of(course: CourseFolder) -> HandInQueue:
    """The course's hand-ins."""
    return HandInQueue(
        course.root / FOLDER / "handins.db", f"log\n{secret(course.secret_file)}".encode()
    )


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
        unless(
            rules.start or not rules.vary,
            NotTaken(f"{lesson} has variants, and is handed in through nbgrader's exchange."),
        )
        return {"receipt": self.queue.receive(draft, content, rules, time.time())}

    def answer(self, learner: str, _: bytes, lesson: str, id: str) -> dict[str, object]:
        """All that the learner may know about a hand-in now: what it `shows`, which is all once an
        exam is over for the last one, and the `report`, None for nothing. NotTaken while it is not
        judged."""
        result, ahead = self.queue.result(learner, lesson, id)
        file = coursefile.read(self.course)
        shows = ALL if time.time() > file.closes(lesson) else file.plan(lesson).service.shows
        if shows == NOTHING:
            return {"shows": shows, "report": None}
        waiting = NotTaken(
            f"waiting for the judge; {ahead} before you", 503, wait=POLL + EACH * ahead
        )
        whole = msgspec.json.decode(unless(result, waiting), type=Report, strict=False)
        seen = Report(
            tuple(
                replace(one, verdict=one.verdict and _shown(one.verdict, shows))
                for one in whole.checked
            )
        )
        return {"shows": shows, "report": seen.to_dict()}

    def begin(self, learner: str, _: bytes, lesson: str) -> dict[str, object]:
        """Begin an exam: the learner's own notebook, and until when there is time."""
        rules = self.rules(learner, lesson)
        unless(rules.start, NotTaken(f"{lesson} is no exam.", 404))
        begun = self.queue.begin(learner, lesson, rules, time.time())
        return {
            "closes": told(rules.window(begun)[1]),
            "notebook": handing_out.notebook_for(
                self.course, lessons.lesson(lesson, self.course.kernels), learner
            ),
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
        self.workers.ask(
            store,
            store.unsettled(each for work in works.values() for each in grading.questions(work)),
        )
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
        for each in lesson.exercises
        for one in work.answers
        if one.name == each.name
    ]
    return Report(tuple(found) or (Checked(lesson.name, work.marking.unreadable, None),))


def _told(grading: Grading, work: SubmittedWork, name: str, source: str) -> Verdict:
    """The verdict on an answer; of a question what `check` says. Without what was counted: that may
    be of a hidden case, and a kernel can take as many instructions as a number says that it read
    there."""
    id, root = f"{grading.lesson}/{name}", grading.course.kernels
    if not lessons.exercise(id, root).cases:
        return judge(id, source, hidden=False, root=root)
    verdict = grading.store.verdict(grading.question(id, source, work.marking)).for_learner()
    return replace(
        verdict,
        cases=tuple(replace(case, strip=None) for case in verdict.cases),
        counters={},
        contest={},
    )


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
        learner, _, token = (
            self.request.headers.get("Authorization", "").removeprefix("Bearer ").partition(":")
        )
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
    HTTPServer(
        Application(
            [
                (path, LearnerRequest, {"queue": service.queue, "does": by_method})
                for path, by_method in does.items()
            ],
            log_function=lambda _: None,
        ),
        ssl_options=tls,
        max_body_size=LARGEST,
        max_buffer_size=LARGEST + (64 << 10),
        body_timeout=60.0,
        idle_connection_timeout=120.0,
    ).add_sockets(sockets)
    while True:
        await asyncio.sleep(await asyncio.to_thread(service.judge_some))
