"""How long a learner waits: for the start page, for players to open, for a step, for a letter that
was typed, for a check().

    python tests/lab_times.py       needs Chromium and chromedriver; about five minutes

Figures hang on the machine and what else it does, so no test asserts them. The start page is
measured beside JupyterLab's own first page, a `%%cuda` cell beside a Python cell, a check() with
recording beside one without; the last in CPU time of this process and its children, which others
hardly change.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import browser
import psutil
import typing_times
from rich.console import Console
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.support.ui import WebDriverWait

from grader import course
from grader.cuda import simulator
from grader.cuda.errors import CudaError
from grader.judge import judge
from grader.judge.playback.strip import marks_of
from grader.learner import folder
from grader.notebook import verdict_card
from grader.notebook.player import of_failure, player

SEED = 15
BROWSERS, VISITS = 5, 3  # new ones, and how often each opens a page
BOUND = 1.3  # times a check without recording, that one with it may take
ENOUGH = 0.3  # seconds that a check is measured for: a process's CPU time comes in hundredths
SURE = 3.0  # and where it then is above the bound
START, LAUNCHER = ".warpwise-start .warpwise-go", ".jp-LauncherCard"
_OPENED = """return [...document.querySelectorAll('iframe')].length > 0 &&
[...document.querySelectorAll('iframe')].every(one => one.contentWindow.player)"""
_STEPS = """const start = performance.now();
for (let n = 0; n < 100; n++) window.player.step(n % 2 ? 'forth' : 'back');
return (performance.now() - start) / 100;"""


def five_players() -> str:
    """A page with five players of a launch that races."""
    sys.path.append(str(Path(__file__).parent / "notebook"))
    from test_player import RACING, summed

    run, recording = summed(RACING)
    html = player(recording, marks_of(recording, run.hazards)).html
    return f"<!doctype html><title>Five players</title><body>{html * 5}"


def open_players(page: WebDriver, path: Path) -> None:
    """Open a page of players, and wait until each can be stepped."""
    page.get(path.as_uri())
    WebDriverWait(page, browser.PATIENCE, 0.02).until(lambda page: page.execute_script(_OPENED))


def main() -> None:
    say = Console(highlight=False).print
    with tempfile.TemporaryDirectory() as scratch, browser.chromium() as page:
        root = Path(scratch)
        path = root / "five.html"
        path.write_text(five_players())
        open_players(page, path)  # once unmeasured: a browser's first page is slow
        took = _seconds(lambda: open_players(page, path))
        say(f"five players open: {took:.2f} s, {path.stat().st_size:,} bytes")
        page.switch_to.frame(0)
        say(f"a step of the player: {page.execute_script(_STEPS):.1f} ms")
        page.switch_to.default_content()
        _start_pages(root, say)
        typing_times.measure(root / "typed", say)
    _checks(say)


def _start_pages(root: Path, say: Callable[[str], None]) -> None:
    """Ours and JupyterLab's Launcher, each for browsers' first visits and for later ones; in turn,
    from two servers."""
    mine, plain = root / "mine", root / "plain"
    for one in (mine, plain):
        folder.make(one)
    with browser.jupyterlab(mine, learner=True) as ours, browser.jupyterlab(plain) as theirs:
        pages = (ours, START), (theirs, LAUNCHER)
        visits = [[_visits(*one) for one in pages] for _ in range(BROWSERS)]
    for what, visit in (("first visit", slice(1)), ("later visits", slice(1, None))):
        one, its = (
            statistics.median(second for found in column for second in found[visit])
            for column in zip(*visits, strict=True)
        )
        say(
            f"start page usable after {one:.2f} s, JupyterLab's Launcher after {its:.2f} s, "
            f"{one / its:.2f} times ({what})"
        )


def _visits(address: str, selector: str) -> list[float]:
    """Seconds of each visit of a browser that is new."""
    with browser.chromium() as page:
        page.get("about:blank")  # so that its own start is not in the first
        return [_seconds(lambda: _usable(page, address, selector)) for _ in range(VISITS)]


def _usable(page: WebDriver, address: str, selector: str) -> None:
    page.get(f"{address}/lab?reset")
    there = f"return !!document.querySelector('{selector}')"
    WebDriverWait(page, browser.PATIENCE, 0.02).until(lambda page: page.execute_script(there))


def _checks(say: Callable[[str], None]) -> None:
    """The course's solutions and mistakes, each judged, and each judged and recorded."""
    ratios, plain, recorded = [], 0.0, 0.0
    for exercise, source in _answers():
        without, with_it = _both(exercise, source, ENOUGH)
        plain, recorded = plain + without, recorded + with_it
        if with_it > BOUND * without:
            without, with_it = _both(exercise, source, SURE)
        ratios.append(with_it / without)
    worst = sorted(ratios)[-len(ratios) // 10 :]
    above = sum(one > BOUND for one in ratios)
    say(
        f"check() of {len(ratios)} answers with recording beside without, in CPU time: "
        f"{recorded / plain:.2f} in all, median {statistics.median(ratios):.2f}, "
        f"{above} above {BOUND}, the worst tenth from {worst[0]:.2f} to {worst[-1]:.2f}"
    )


def _answers() -> Iterator[tuple[course.Exercise, str]]:
    for lesson in course.lessons():
        for exercise in lesson.exercises:
            yield exercise, lesson.solution(exercise)
        for mistake in lesson.wrong_kernels:
            yield lesson.exercise(mistake.exercise), mistake.source


def _both(exercise: course.Exercise, source: str, enough: float) -> tuple[float, float]:
    """CPU seconds of a check without its recording, and with it, of a cell that was run: of as many
    as take `enough`."""
    with suppress(CudaError):
        simulator.prepare(source)  # as its cell does
    without = with_it = 0.0
    while without < enough:
        one, other = _one_check(exercise, source)
        without, with_it = without + one, with_it + other
    return without, with_it


def _one_check(exercise: course.Exercise, source: str) -> tuple[float, float]:
    start = _cpu()
    verdict = judge(exercise.id, source, seed=SEED, hidden=False)
    judged = _cpu()
    verdict_card.page(verdict.for_learner(), source, exercise)
    told = _cpu()
    replay = of_failure(verdict, source, exercise)
    verdict_card.page(verdict.for_learner(), source, exercise, replay)
    return told - start, judged - start + _cpu() - told


def _cpu() -> float:
    """Seconds of CPU time: of this process, of those it has started, and of theirs."""
    here = psutil.Process()
    return sum(sum(one.cpu_times()[:4]) for one in (here, *here.children(recursive=True)))


def _seconds(do: Callable[[], object]) -> float:
    start = time.perf_counter()
    do()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
