"""Handing in to a service of the course's, `grader serve`, with the learner's own token; and an
exam, which comes from there.

The token is one line of a file that nobody else can read, NAME:TOKEN. It goes to no address but the
service's, which is secure or on this machine.
"""

import hashlib
import os
import re
import secrets
import shutil
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
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
from . import editions
from .folder import LESSONS

TOKEN_FILE = ".warpwise_token"  # in the learner's home
RECEIPT = "receipt.json"  # beside what was handed in
LARGEST = 4 << 20  # bytes of a notebook without its outputs
# Seconds in which a request is tried again, and between two of them.
PATIENCE, PAUSE = 600.0, 5.0


class Receipt(msgspec.Struct, frozen=True, omit_defaults=True):
    """A service's word that it has a notebook."""

    learner: str
    lesson: str
    id: str
    at: str = ""  # as nbgrader writes times; lateness goes by it
    number: int = 0  # of this try, from 1
    tries: int | None = None  # how many there are; None: as many as you like
    sha256: str = ""  # of the notebook
    code: str = ""  # that the service's log has for it


def checked_address(url: str, option: str) -> str:
    """The address of a service that gets a token. LearnerError unless it is secure, or one of this
    machine, with nothing in it that could be a secret."""
    unless(
        re.fullmatch(
            r"(https://[\w.-]+|http://(localhost|127\.0\.0\.1))(:\d{1,5})?(/[^?#\s]*)?",
            url,
            re.ASCII,
        ),
        LearnerError(
            f"{option} should be an address like https://gpu.example.edu: with https, as the token "
            "goes there, and without a user, a question mark or a #."
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
    learner: str  # whose token it is

    def hand_in(self, root: Path, lesson: str) -> Receipt:
        """Hand in the lesson's notebook in the learner's folder `root`, without its outputs. The
        receipt is kept there, beside the notebook as it was handed in; without one nothing is."""
        copy, id = editions.kept_copy(root, root / f"{lesson}.ipynb"), secrets.token_hex(16)
        with ExitStack() as refused:
            refused.callback(shutil.rmtree, copy.parent)
            content = intake.read_file(copy)
            filed(copy, content)
            unless(
                len(content) < LARGEST,
                LearnerError(
                    f"{copy.name} has more than {LARGEST >> 20} MB without its outputs: delete "
                    "what you do not need, and hand in again."
                ),
            )
            receipt = msgspec.convert(
                self._ask("PUT", f"handins/{lesson}/{id}", content)["receipt"], Receipt
            )
            unless(
                receipt.sha256 == hashlib.sha256(content).hexdigest(),
                MachineError("The service has received something else. Hand in again."),
            )
            filed(copy.with_name(RECEIPT), msgspec.json.encode(receipt))
            refused.pop_all()
        return receipt

    def result(self, receipt: Receipt) -> dict[str, Any]:
        """The result of a hand-in, for which this waits: what it `shows` ("all", "visible",
        "status" or "nothing"), and the `report`, as `Report.to_dict` has it; None: nothing."""
        return self._ask("GET", f"handins/{receipt.lesson}/{receipt.id}")

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
            filed(root / LESSONS / path.name, found["notebook"])
            filed(path, found["notebook"])
        return found

    def _ask(self, method: str, path: str, content: bytes = b"") -> dict[str, Any]:
        """The answer, for which a service that is away, or is not ready, is asked again. It knows a
        hand-in by its id, and takes it once."""
        until, there = time.monotonic() + PATIENCE, self.client.base_url
        while True:
            status, found = 503, {"error": f"{there.host}:{there.port or 443} cannot be reached"}
            with suppress(httpx.TransportError, msgspec.MsgspecError):
                answer = self.client.request(method, path, content=content)
                status, found = (
                    answer.status_code,
                    {"error": f"The answer is not a service's of this course ({answer})"},
                )
                found = msgspec.json.decode(answer.content, type=dict[str, Any])
            if "error" not in found or "receipt" in found:
                return found
            said = visible(str(found["error"]))[:500]
            unless(status >= 500, LearnerError(said))
            pause = msgspec.convert(found.get("wait", PAUSE), float)
            unless(
                "wait" in found or time.monotonic() + pause < until,
                MachineError(f"{said}. What has a receipt is kept: try again later."),
            )
            left = f", for {(until - time.monotonic()) / 60:.0f} more minutes"
            self.tell(f"{said}; asking again in {pause:g} s{'' if 'wait' in found else left}")
            time.sleep(pause)


def opened(url: str | None, token_file: Path | None, tell: Callable[[str], None]) -> CourseService:
    """The service at `url`, or where the course says. LearnerError where the address or the token
    cannot be."""
    url = unless(
        url or (SERVICE.read_text(encoding="utf-8").strip() if SERVICE.is_file() else ""),
        LearnerError("No service is known: --to URL names it."),
    )
    path = token_file or Path.home() / TOKEN_FILE
    token = private_text(path) if path.is_file() else ""
    unless(
        re.fullmatch("[^:]+:[!-~]+", token),
        LearnerError(f"{path} should have one line, NAME:TOKEN, that your instructor has for you."),
    )
    return CourseService(
        httpx.Client(
            base_url=checked_address(url, "--to"),
            timeout=30.0,
            headers={"Authorization": f"Bearer {token}"},
        ),
        tell,
        token.partition(":")[0],
    )
