"""Handing in to a service of the course's, `grader serve`, with the learner's own token; and an
exam, which comes from there.

The token is one line of a file that nobody else can read, NAME:TOKEN. It goes to no address but the
service's, which is secure or on this machine.
"""

import hashlib
import os
import re
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import msgspec

from ..course_folder import SERVICE
from ..cuda.errors import visible
from ..errors import LearnerError, MachineError, unless
from ..submissions import intake
from ..whole_files import filed
from . import progress, study
from .folder import LESSONS

TOKEN_FILE = ".warpwise_token"  # in the learner's home
LARGEST = 4 << 20  # bytes of a notebook without its outputs
RECEIPTS = "handed_in"  # in a learner's folder
PATIENCE = 600.0  # seconds in which a request is tried again, and a pause between two of them
PAUSE = 5.0
_ADDRESS = re.compile(
    r"(https://[\w.-]+|http://(localhost|127\.0\.0\.1))(:\d{1,5})?(/[^?#\s]*)?", re.ASCII
)


@dataclass(frozen=True)
class Receipt:
    """A service's word that it has a notebook."""

    learner: str
    lesson: str
    id: str
    at: str = ""  # as nbgrader writes times; lateness goes by it
    number: int = 0  # of this try, from 1
    tries: int | None = None  # how many there are; None: as many as you like
    sha256: str = ""  # of the notebook
    code: str = ""  # that the service's log has for it


@dataclass(frozen=True)
class Answered:
    """A service's answer about a hand-in."""

    shows: str  # "all", "visible", "status" or "nothing"
    ahead: int = 0  # hand-ins that are judged before this one
    wait: float = 0.0  # seconds until asking again makes sense
    report: dict[str, Any] | None = None  # as `Report.to_dict` has it; None: nothing to show


def checked_address(url: str, option: str) -> str:
    """The address of a service that gets a token. LearnerError unless it is secure, or one of this
    machine, with nothing in it that could be a secret."""
    unless(
        _ADDRESS.fullmatch(url),
        LearnerError(
            f"{option} should be like https://canvas.example.edu: with https, as the token goes "
            "there, and without a user, a question mark or a #."
        ),
    )
    return f"{url.rstrip('/')}/"


def private_text(path: Path) -> str:
    """The text of a file that only its owner may read. LearnerError if others can."""
    unless(
        os.name == "nt" or not path.stat().st_mode & 0o077,
        LearnerError(
            f"Others can read {path}: run `chmod 600 {path}` and, if they may have read it, get a "
            "new token."
        ),
    )
    return path.read_text("utf-8", "replace").strip()


@dataclass(frozen=True)
class CourseService:
    """The way to a service, as one learner."""

    client: httpx.Client = field(repr=False)
    tell: Callable[[str], None]  # says why it takes so long

    def hand_in(self, root: Path, lesson: str) -> Receipt:
        """Hand in the lesson's notebook in the learner's folder `root`, without its outputs. The
        receipt is kept there, beside the notebook as it was handed in."""
        name, id = f"{lesson}.ipynb", secrets.token_hex(16)
        kept = root / RECEIPTS / id
        kept.mkdir(parents=True)
        study.copy_notebook(root, root / name, kept / name)
        content = intake.read_file(kept / name)
        filed(kept / name, content)
        unless(
            len(content) < LARGEST,
            LearnerError(
                f"{name} has more than {LARGEST >> 20} MB without its outputs: delete what you do "
                "not need, and hand in again."
            ),
        )
        answer = self._ask("PUT", f"handins/{lesson}/{id}", content)
        receipt = msgspec.convert(answer["receipt"], Receipt)
        unless(
            receipt.sha256 == hashlib.sha256(content).hexdigest(),
            MachineError("The service has received something else. Hand in again."),
        )
        at = re.sub(r"\W", "-", receipt.at.partition(".")[0])
        place = kept.rename(kept.with_name(f"{at}-{id[:8]}"))
        filed(place / "receipt.json", msgspec.json.encode(receipt))
        return receipt

    def result(self, receipt: Receipt) -> Answered:
        """The result of a hand-in, for which this waits."""
        while True:
            found = self._ask("GET", f"handins/{receipt.lesson}/{receipt.id}")
            answer = msgspec.convert(found, Answered, strict=False)
            if not answer.wait:
                return answer
            self.tell(f"waiting for the judge; {answer.ahead} before you")
            time.sleep(answer.wait)

    def begin(self, lesson: str, root: Path) -> dict[str, Any]:
        """Begin an exam, or go on with it, in the folder `root`, which then has its notebook and
        nothing else of the course. A notebook that is there stays. Returns from when until when
        there is time."""
        path = root / f"{lesson}.ipynb"
        unless(
            path.exists() or not root.is_dir() or not list(root.iterdir()),
            LearnerError(f"{root} holds something else: name a folder of its own."),
        )
        found = self._ask("POST", f"exams/{lesson}")
        if not path.exists():
            (root / progress.MARK).mkdir(parents=True, exist_ok=True)
            filed(root / LESSONS / path.name, found["notebook"])
            filed(path, found["notebook"])
        return found

    def _ask(self, method: str, path: str, content: bytes = b"") -> dict[str, Any]:
        """The answer, for which a service that is busy, or away, is asked again. It knows a hand-in
        by its id, and takes it once."""
        until = time.monotonic() + PATIENCE
        while True:
            status, said = 503, f"{self.client.base_url.host} cannot be reached"
            with suppress(httpx.TransportError, msgspec.MsgspecError):
                answer = self.client.request(method, path, content=content)
                status, said = answer.status_code, "The answer is not a service's of this course"
                found = msgspec.json.decode(answer.content, type=dict[str, Any])
                if answer.is_success or "receipt" in found:
                    return found
                said = visible(str(found.get("error", said)))[:500]
            unless(status >= 500, LearnerError(said))
            if time.monotonic() + PAUSE > until:
                raise MachineError(f"{said}. Nothing was received: give the same command again.")
            self.tell(f"{said}; trying again in {PAUSE:g} s")
            time.sleep(PAUSE)


def opened(url: str | None, token_file: Path | None, tell: Callable[[str], None]) -> CourseService:
    """The service at `url`, or where the course says. LearnerError where the address or the token
    cannot be."""
    if not url:
        unless(SERVICE.is_file(), LearnerError("No service is known: --to URL names it."))
        url = SERVICE.read_text(encoding="utf-8").strip()
    path = token_file or Path.home() / TOKEN_FILE
    unless(
        path.is_file(),
        LearnerError(f"There is no {path}: your instructor has a token for you to put there."),
    )
    found = unless(
        re.fullmatch("([^:]+):([!-~]+)", private_text(path)),
        LearnerError(f"{path} has no token, which is one line, NAME:TOKEN."),
    )
    base = checked_address(url, "--to")
    return CourseService(httpx.Client(base_url=base, timeout=30.0, auth=(found[1], found[2])), tell)
