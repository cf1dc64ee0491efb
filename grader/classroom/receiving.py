"""The hand-ins that a service has received, and its log, in one file of SQLite's.

All that a receipt promises is written in one transaction, and on the disk before the receipt is
given: whenever the service ends, nothing is lost. Who calls passes the time, in seconds since 1970.

Each line of the log has a code, made of the line, of the code before it and of the course's secret.
So nobody without the secret can change, add or remove a line in the middle; and as a learner's
receipt has the code of its line, no last lines can go either.
"""

import hashlib
import secrets
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from math import ceil
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from ..disk_cache import sealed
from ..errors import MachineError, counted, unless
from ..judge.verdict import Report
from ..learner.sending import Receipt
from .exams import NotTaken, ServiceRules, shown

MOST_WAITING = 2000  # hand-ins of all learners that wait to be judged
MOST_OF_ONE = 10  # of one learner
STEP_BACK = 2.0  # seconds that a clock may go back, as it does when it is set by a network

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
_LATEST = """
SELECT coalesce(max(at), 0.0) FROM log
WHERE number >= (SELECT coalesce(max(number), 0) FROM log WHERE what = 'clock set')
"""
_BEGUN = "SELECT min(at) FROM log WHERE what = 'begun' AND learner = ? AND lesson = ?"
_OLDEST = """
SELECT receipt, content FROM work
WHERE result IS NULL
AND lesson = (SELECT lesson FROM work WHERE result IS NULL ORDER BY at LIMIT 1)
ORDER BY at LIMIT ?
"""
_ROOM = "SELECT count(*), count(*) FILTER (WHERE learner = ?) FROM work WHERE result IS NULL"
_LOG = """
SELECT line, seal(coalesce(lag(code) OVER (ORDER BY number), ''), line), code FROM log
ORDER BY number
"""
_LOGGED = """
INSERT INTO log SELECT NULL, ?1, ?2, ?3, ?4, ?5,
seal(coalesce((SELECT code FROM log ORDER BY number DESC LIMIT 1), ''), ?5) RETURNING code
"""
_RESULT = """
SELECT result, (SELECT count(*) FROM work WHERE result IS NULL AND at < one.at)
FROM work AS one WHERE learner = ? AND lesson = ? AND id = ?
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
        self._latest = float(self._rows(_LATEST)[0][0])

    # --- learners' side ---------------------------------------------------------------------------

    def receive(self, draft: Receipt, content: bytes, rules: ServiceRules, now: float) -> Receipt:
        """Take a notebook's content: the receipt of which the `draft` has learner, lesson and id.
        NotTaken if it was taken before, or if the rules do not allow it."""
        learner, lesson, id = draft.learner, draft.lesson, draft.id
        with self._one, self._db:
            now = self.tick(now)
            known = "SELECT receipt FROM work WHERE learner = ? AND id = ?"
            for (kept,) in self._rows(known, learner, id):
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
            ((waiting, mine),) = self._rows(_ROOM, learner)
            whose = f"{counted(mine, 'hand-in')} of yours" if mine >= MOST_OF_ONE else "Too many"
            unless(
                waiting < MOST_WAITING and mine < MOST_OF_ONE,
                NotTaken(f"{whose} wait to be judged: try again in a minute.", 503),
            )
            receipt = replace(
                draft,
                at=shown(now),
                number=len(tries) + 1,
                tries=rules.tries,
                sha256=hashlib.sha256(content).hexdigest(),
            )
            line = msgspec.to_builtins(receipt)
            receipt = replace(receipt, code=self._log("received", learner, lesson, now, line))
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
        return self._rows(_BEGUN, learner, lesson)[0][0]  # type: ignore[no-any-return]

    def result(self, learner: str, lesson: str, id: str) -> tuple[bytes | None, int]:
        """The result of a hand-in, None while it waits, and how many are before it. NotTaken if it
        is none of the learner's."""
        found: list[tuple[bytes | None, int]] = self._rows(_RESULT, learner, lesson, id)
        return unless(found, NotTaken("There is no such hand-in of yours here.", 404))[0]

    # --- the judge's side -------------------------------------------------------------------------

    def waiting(self, most: int) -> list[tuple[Receipt, bytes]]:
        """Those that have waited longest, all of one lesson: receipt, and the notebook's
        content."""
        return [
            (msgspec.json.decode(kept, type=Receipt), content)
            for kept, content in self._rows(_OLDEST, most)
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

    def new_token(self, learner: str) -> str:
        """A token of the learner's, in place of an earlier one. Only a digest of it is kept."""
        token = secrets.token_urlsafe(24)
        with self._one, self._db:
            self._rows("REPLACE INTO token VALUES (?1, seal(?1, ?2))", learner, token)
        return token

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
                f"This is no token of {ascii(learner)[1:-1]}'s here. A token is for one learner, "
                "and a newer one replaces it: ask your instructor.",
                401,
            ),
        )

    def tick(self, now: float) -> float:
        """The time of what happens now, never before what has happened. NotTaken if the clock was
        set back."""
        unless(
            now >= self._latest - STEP_BACK,
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
        for place, (line, code, has) in enumerate(self._rows(_LOG), 1):
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
        line = msgspec.json.encode(about).decode()
        return str(self._rows(_LOGGED, what, learner, lesson, now, line)[0][0])

    def _rows(self, asked: str, *given: object) -> list[Any]:
        with self._one:
            return self._db.execute(asked, given).fetchall()
