"""Hand a lesson in as a class does in the hour before its deadline, and measure what learners wait.

    python -m tools.deadline [LESSON] [--learners 300] [--distinct 40] [--faster 4] [--jobs 2]

The service is a real one on this machine, over HTTP, with the lesson's own kernels. Half of the
learners hand in at any time of the hour, the others in its last ten minutes; each hands in three
times, with a third of the answers, then two thirds, then all. The answers are those of --distinct
made-up learners, dealt in turn. With --faster N the hour takes 60 / N minutes, and judging takes as
long as ever.

It prints the seconds until a receipt and until a verdict (median, 95%, longest), the most memory of
the service with its workers (each shared page counted once), and the hand-ins that were lost.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import os
import random
import secrets
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import nbformat
import psutil

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import made_class  # noqa: E402
import served  # noqa: E402

from grader import course  # noqa: E402
from grader.classroom import coursefile, handing_out, serving  # noqa: E402
from grader.classroom.folder import CourseFolder, new_course  # noqa: E402
from grader.course.weave import cuda_cell, grade_id, text  # noqa: E402

HOUR, LAST, TRIES = 3600.0, 600.0, 3
LOOK = 5.0  # seconds between two looks at the memory


@dataclass(frozen=True)
class Sent:
    """A hand-in and how long its learner waited, in seconds; infinite: it was lost."""

    receipt: float
    verdict: float


def class_course(folder: Path, lesson: str, learners: int) -> CourseFolder:
    """A course that has released the lesson to so many learners."""
    here = new_course(folder, course.KERNELS)
    people = "".join(f"learner{number} = {{ section = 'one' }}\n" for number in range(learners))
    (folder / coursefile.FILE).write_text(
        f"version = 1\npartial_marks = true\n[learners]\n{people}", encoding="utf-8"
    )
    handing_out.release(here, course.lesson(lesson))
    return here


def notebooks(here: CourseFolder, lesson: str, rng: random.Random) -> list[bytes]:
    """A learner's notebook at each try, with more answers each time."""
    given = nbformat.read(here.notebook("release", lesson), as_version=4)
    magics = {one.name: one.kind.magic for one in course.lesson(lesson).exercises}
    mine = made_class.independent(lesson, rng)
    names = sorted(mine)
    made = []
    for number in range(1, TRIES + 1):
        done = names[: len(names) * number // TRIES]
        for cell in given.cells:
            if (name := grade_id(cell)) in done:
                cell.source = cuda_cell(name, mine[name][0], magics[name])
        made.append(text(given).encode())
    return made


async def learner(
    client: httpx.AsyncClient, known: dict[str, str], url: str, tries: list[tuple[float, bytes]]
) -> list[Sent]:
    """Hand in at each of these times (of the event loop), and wait for the verdicts."""
    loop, waiting = asyncio.get_running_loop(), []
    for at, content in tries:
        await asyncio.sleep(max(0.0, at - loop.time()))
        waiting.append(asyncio.create_task(_hand_in(client, known, url, content)))
    return list(await asyncio.gather(*waiting))


async def _hand_in(
    client: httpx.AsyncClient, known: dict[str, str], url: str, content: bytes
) -> Sent:
    where, start = f"{url}/{secrets.token_hex(16)}", time.monotonic()
    answer = await client.put(where, content=content, headers=known)
    receipt = time.monotonic() - start
    if answer.status_code != 200:
        print(answer.text)
        return Sent(float("inf"), float("inf"))
    while True:
        found = (await client.get(where, headers=known)).json()
        if "wait" not in found:
            waited = time.monotonic() - start if "report" in found else float("inf")
            return Sent(receipt, waited)
        await asyncio.sleep(found["wait"])


async def memory(process: psutil.Process) -> float:
    """The most megabytes that the process and its children have had, until this is cancelled."""
    most = 0.0
    try:
        while True:
            used = 0.0
            for each in (process, *process.children(recursive=True)):
                try:
                    used += each.memory_full_info().pss / 1e6
                except psutil.Error:
                    continue
            most = max(most, used)
            await asyncio.sleep(LOOK)
    except asyncio.CancelledError:
        return most


def times(learners: int, faster: float, rng: random.Random) -> Iterator[list[float]]:
    """By learner, the seconds from the beginning at which the tries come."""
    for number in range(learners):
        first = HOUR - LAST if number % 2 else 0.0
        yield sorted(rng.uniform(first, HOUR) / faster for _ in range(TRIES))


async def hour(here: CourseFolder, lesson: str, args: argparse.Namespace) -> None:
    rng = random.Random(args.seed)
    written = [notebooks(here, lesson, rng) for _ in range(args.distinct)]
    tokens = served.give_tokens(here)
    with served.Service(here, "--jobs", str(args.jobs)) as service:
        url = f"{service.url}/handins/{lesson}"
        watching = asyncio.create_task(memory(psutil.Process(service.process.pid)))
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=100)
        async with httpx.AsyncClient(timeout=120, limits=limits) as client:
            begin = asyncio.get_running_loop().time() + 1.0
            plans = zip(
                tokens.values(),
                times(args.learners, args.faster, rng),
                itertools.islice(itertools.cycle(written), args.learners),
                strict=True,
            )
            doing = [
                learner(
                    client,
                    served.bearer(token),
                    url,
                    [(begin + at, each) for at, each in zip(mine, contents, strict=True)],
                )
                for token, mine, contents in plans
            ]
            sent = [one for some in await asyncio.gather(*doing) for one in some]
        watching.cancel()
        print(
            f"{len(sent)} hand-ins of {args.learners} learners, with the answers of "
            f"{min(args.distinct, args.learners)}, in {60 / args.faster:g} minutes"
        )
        for what in ("receipt", "verdict"):
            waits = sorted(getattr(one, what) for one in sent)
            print(
                f"until the {what}: median {statistics.median(waits):.2f} s, "
                f"95% {waits[int(len(waits) * 0.95)]:.2f} s, longest {waits[-1]:.2f} s"
            )
        print(f"most memory: {await watching:.0f} MB; load average {os.getloadavg()[0]:.1f}")
    queue = serving.queue_of(here)
    lines = list(queue.log())
    filed = [one for one in (here.shelves / "inbound").iterdir() if one.name[0] != "."]
    kept = list((here.root / "verdicts").iterdir())
    lost = sum(one.verdict == float("inf") for one in sent)
    print(
        f"lost: {lost}; in the log {len(lines)} lines, in the exchange {len(filed)} hand-ins, "
        f"distinct answers judged {len(kept)}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("lesson", nargs="?", default="01_expand_where")
    parser.add_argument("--learners", type=int, default=300)
    parser.add_argument("--distinct", type=int, default=40)
    parser.add_argument("--faster", type=float, default=4.0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    os.environ.setdefault("WARPWISE_DEVICE", "simulator")
    with tempfile.TemporaryDirectory(prefix="deadline-") as folder:
        here = class_course(Path(folder), args.lesson, args.learners)
        asyncio.run(hour(here, args.lesson, args))


if __name__ == "__main__":
    main()
