"""The queue of hand-ins that a service has received, in one file of SQLite's.

All that a receipt promises is written in one transaction, and on the disk before the receipt is
given: whenever the service ends, nothing is lost. Who calls passes the time, in seconds since 1970.

The file holds a log, too. Each of its lines has a code that is made of the line, of the code before
it and of the course's secret. So nobody without the secret can change, add or remove a line in the
middle; and as a learner's receipt has the code of its line, no last lines can go either.
"""

import hashlib
import hmac
import json
import secrets
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from math import ceil
from pathlib import Path

import msgspec

from ..counted import counted
from ..errors import MachineError, unless
from ..learner.sending import Receipt
from .exams import Allowance, NotTaken, shown

MOST_WAITING = 2000  # hand-ins of all learners that wait to be judged
MOST_OF_ONE = 10  # of one learner
TICK = 1.0  # seconds between two looks at the clock
STEP_BACK = 2.0  # seconds that a clock may go back, as it does when it is set by a network

_TABLES = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
CREATE TABLE IF NOT EXISTS arrival (
    learner TEXT, id TEXT, lesson TEXT, at REAL, content BLOB, receipt BLOB, result BLOB,
    PRIMARY KEY (learner, id)
);
CREATE INDEX IF NOT EXISTS tries ON arrival (learner, lesson, at);
CREATE INDEX IF NOT EXISTS waiting ON arrival (at) WHERE result IS NULL;
CREATE TABLE IF NOT EXISTS begun (
    learner TEXT, lesson TEXT, at REAL, PRIMARY KEY (learner, lesson)
);
CREATE TABLE IF NOT EXISTS token (learner TEXT PRIMARY KEY, digest TEXT);
CREATE TABLE IF NOT EXISTS log (number INTEGER PRIMARY KEY, line TEXT, code TEXT);
CREATE TABLE IF NOT EXISTS clock (latest REAL);
"""


@dataclass(frozen=True)
class ReceivedWork:
    """A notebook that a learner hands in."""

    learner: str
    id: str  # made by the learner's side, another one for each hand-in
    lesson: str
    content: bytes  # of the notebook's file
    at: float = 0.0  # when it was received


class HandInQueue:
    """The file at `path`. Threads may share it; `key` seals the log."""

    def __init__(self, path: Path, key: bytes):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._key, self._one = key, threading.RLock()
        self._db = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self._db.executescript(_TABLES)

    # --- learners' side ---------------------------------------------------------------------------

    def receive(self, new: ReceivedWork, allowance: Allowance, now: float) -> Receipt:
        """Take a hand-in. NotTaken if it was taken before, or if the rules do not allow it."""
        with self._writing() as db:
            now = self._told(now)
            asked = "SELECT receipt FROM arrival WHERE learner = ? AND id = ?"
            for (known,) in self._rows(asked, new.learner, new.id):
                before = msgspec.json.decode(known, type=Receipt)
                said = f"This hand-in was received before, on {before.at}: it is not taken again."
                raise NotTaken(said, 409, receipt=before)
            tries = self.tries(new.learner, new.lesson)
            allowance.require_try(tries, now, self.begun(new.learner, new.lesson))
            self._require_room(new.learner)
            receipt = Receipt(
                lesson=new.lesson,
                id=new.id,
                learner=new.learner,
                at=shown(now),
                number=len(tries) + 1,
                tries=allowance.rules.tries,
                sha256=hashlib.sha256(new.content).hexdigest(),
            )
            receipt = replace(receipt, code=self._log({"what": "received", **asdict(receipt)}))
            kept = msgspec.json.encode(receipt)
            db.execute(
                "INSERT INTO arrival VALUES (?, ?, ?, ?, ?, ?, NULL)",
                (new.learner, new.id, new.lesson, now, new.content, kept),
            )
            return receipt

    def _require_room(self, learner: str) -> None:
        waiting = [one for (one,) in self._rows("SELECT learner FROM arrival WHERE result IS NULL")]
        mine = waiting.count(learner)
        if len(waiting) >= MOST_WAITING or mine >= MOST_OF_ONE:
            whose = f"{counted(mine, 'hand-in')} of yours" if mine >= MOST_OF_ONE else "Too many"
            raise NotTaken(
                f"{whose} wait to be judged, and there is no room for more: try again in a minute.",
                503,
                30.0,
            )

    def begin(self, learner: str, allowance: Allowance, now: float) -> float:
        """When the learner began the exam: at the first call, which must be in its window."""
        with self._writing() as db:
            now, begun = self._told(now), self.begun(learner, allowance.lesson)
            allowance.require_open(now, begun)
            if begun is None:
                begun = now
                db.execute("INSERT INTO begun VALUES (?, ?, ?)", (learner, allowance.lesson, now))
                self._log(
                    {
                        "what": "begun",
                        "lesson": allowance.lesson,
                        "learner": learner,
                        "at": shown(now),
                    }
                )
            return begun

    def begun(self, learner: str, lesson: str) -> float | None:
        rows = self._rows("SELECT at FROM begun WHERE learner = ? AND lesson = ?", learner, lesson)
        return next((at for (at,) in rows), None)

    def tries(self, learner: str, lesson: str) -> list[float]:
        """When the learner handed the lesson in, in order."""
        asked = "SELECT at FROM arrival WHERE learner = ? AND lesson = ? ORDER BY at"
        return [at for (at,) in self._rows(asked, learner, lesson)]

    def find(self, learner: str, id: str) -> ReceivedWork | None:
        """A hand-in, without its content."""
        asked = "SELECT learner, id, lesson, '', at FROM arrival WHERE learner = ? AND id = ?"
        return next((ReceivedWork(*row) for row in self._rows(asked, learner, id)), None)

    def result(self, one: ReceivedWork) -> tuple[bytes | None, int]:
        """The result of a hand-in, None while it waits; and how many are before it."""
        asked = (
            "SELECT result, (SELECT count(*) FROM arrival WHERE result IS NULL AND at < ?) "
            "FROM arrival WHERE learner = ? AND id = ?"
        )
        ((result, ahead),) = self._rows(asked, one.at, one.learner, one.id)
        return result, ahead

    # --- the judge's side -------------------------------------------------------------------------

    def waiting(self, most: int) -> list[ReceivedWork]:
        """The hand-ins that have waited longest."""
        asked = (
            "SELECT learner, id, lesson, content, at FROM arrival WHERE result IS NULL "
            "ORDER BY at LIMIT ?"
        )
        return [ReceivedWork(*row) for row in self._rows(asked, most)]

    def settle(
        self, one: ReceivedWork, result: bytes, points: Mapping[str, object], now: float
    ) -> None:
        """Keep the result of a hand-in; the log gets the `points` by exercise. The content is not
        needed any more: whoever settles has filed it."""
        with self._writing() as db:
            db.execute(
                "UPDATE arrival SET result = ?, content = '' WHERE learner = ? AND id = ?",
                (result, one.learner, one.id),
            )
            about = {"lesson": one.lesson, "learner": one.learner, "id": one.id}
            self._log({"what": "judged", **about, "at": shown(now), "points": points})

    # --- tokens, the clock, the log ---------------------------------------------------------------

    def new_token(self, learner: str) -> str:
        """A token of the learner's, in place of an earlier one. Only a digest of it is kept."""
        token = secrets.token_urlsafe(24)
        with self._writing() as db:
            db.execute("REPLACE INTO token VALUES (?, ?)", (learner, _digest(learner, token)))
        return token

    def with_token(self) -> set[str]:
        """The learners who have a token."""
        return {learner for (learner,) in self._rows("SELECT learner FROM token")}

    def require_owner(self, learner: str, token: str) -> None:
        """NotTaken unless it is the learner's token."""
        known = self._rows("SELECT digest FROM token WHERE learner = ?", learner)
        digest = next((digest for (digest,) in known), "")
        unless(
            hmac.compare_digest(digest, _digest(learner, token)),
            NotTaken(
                f"This is no token of {ascii(learner)[1:-1]}'s here. A token is for one learner, "
                "and a newer one replaces it: ask your instructor.",
                401,
            ),
        )

    def tick(self, now: float) -> None:
        """Remember that it is so late. NotTaken if the clock was set back."""
        if abs(now - self._latest()) > TICK:
            with self._writing():
                self._told(now)

    def set_clock(self, now: float) -> None:
        """Take it that the clock is right, though it was later before."""
        with self._writing() as db:
            db.execute("DELETE FROM clock")
            self._log({"what": "clock set", "at": shown(self._told(now))})

    def log(self) -> Iterator[str]:
        """The lines of the log. MachineError where somebody has changed one."""
        code = ""
        rows = self._rows("SELECT number, line, code FROM log ORDER BY number")
        for place, (number, line, has) in enumerate(rows, 1):
            code = self._code(code, line)
            unless(
                place == number and hmac.compare_digest(code, has),
                MachineError(f"Line {place} of the log was changed, or lines before it are gone."),
            )
            yield json.dumps({**json.loads(line), "code": has}, ensure_ascii=False)

    def _log(self, line: Mapping[str, object]) -> str:
        """Add a line; its code."""
        last = self._rows("SELECT code FROM log ORDER BY number DESC LIMIT 1")
        text = json.dumps(line, ensure_ascii=False)
        code = self._code(next((code for (code,) in last), ""), text)
        self._db.execute("INSERT INTO log (line, code) VALUES (?, ?)", (text, code))
        return code

    def _code(self, before: str, line: str) -> str:
        return hmac.new(self._key, f"{before}\n{line}".encode(), hashlib.sha256).hexdigest()

    def _told(self, now: float) -> float:
        """The time of what happens now, never before what has happened."""
        latest = self._latest()
        if now < latest - STEP_BACK:
            raise NotTaken(
                f"The service's clock was set back by {ceil(latest - now)} s, and nothing is "
                "received until it is right: tell your instructor.",
                503,
                30.0,
            )
        self._db.execute("DELETE FROM clock")
        self._db.execute("INSERT INTO clock VALUES (?)", (max(now, latest),))
        return max(now, latest)

    def _latest(self) -> float:
        return next((float(at) for (at,) in self._rows("SELECT latest FROM clock")), 0.0)

    def _rows(self, asked: str, *given: object) -> list[tuple]:  # type: ignore[type-arg]
        with self._one:
            return self._db.execute(asked, given).fetchall()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """All that is done in here is written, or nothing."""
        with self._one:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                self._db.execute("ROLLBACK")
                raise


def _digest(learner: str, token: str) -> str:
    return hashlib.sha256(f"{learner}\n{token}".encode()).hexdigest()
