"""Simulate a term of warm-ups, and measure what learners still know at its end.

    python -m tools.remembering [--learners 60] [--weeks 14] [--seed 1]

Learners pass a lesson a week, and open the course on some days. Their memory follows one of two
models, neither of which is the scheduler's own (FSRS):

half-life   a piece is forgotten exponentially. Each right answer doubles the half-life, each wrong
            one that is then read takes it to 0.7 of what it was, but not below one day (in the
            manner of B. Settles, B. Meeder, A trainable spaced repetition model for language
            learning, ACL 2016).
activation  each time that a piece is practised leaves a trace that decays with a power of time,
            faster if the piece was still fresh (P. Pavlik, J. Anderson, Practice and forgetting
            effects on vocabulary memory, Cognitive Science 2005).

Each learner has a speed of forgetting and each piece a difficulty, both drawn. Four classes of the
same learners are compared: no warm-ups; those of the course; as many pieces, drawn from all passed
lessons; and as many, always those that are the longest ago. The warm-ups are `recall.warm_up` on
the learner's own log, with a clock that the simulation moves.

It prints the pieces that are due and the minutes per day, and the part of all pieces that learners
know a day after the last week: the quarters and the extremes of the class, as a distribution.
"""

from __future__ import annotations

import argparse
import math
import random
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import mean, median, quantiles
from unittest import mock

from grader.learner import folder, progress, recall
from grader.learner.recall import LessonPiece
from grader.say.questions import Prediction

BEGIN = datetime(2026, 9, 1, 10, tzinfo=UTC)
OPENS = 0.55  # the chance that a learner opens the course on a day
DAY = 86400.0
Key = tuple[str, str]  # a piece: its lesson and its name
CLASSES = {
    "none": "no warm-ups",
    "course": "warm-ups of the course",
    "random": "as many pieces, at random",
    "oldest": "as many pieces, the oldest first",
}


@dataclass
class HalfLife:
    """Exponential forgetting; times are in days."""

    speed: float  # above 1 forgets faster
    hard: Callable[[Key], float]
    known: dict[Key, tuple[float, float]] = field(default_factory=dict)  # last time, half-life

    def chance(self, key: Key, now: float) -> float:
        """The chance that the learner knows the piece; 0 if it was never learnt."""
        if key not in self.known:
            return 0.0
        last, half = self.known[key]
        return float(2.0 ** (-(now - last) / half))

    def practise(self, key: Key, now: float, right: bool) -> None:
        first = 10.0 / (self.speed * self.hard(key))
        _, half = self.known.get(key, (now, first / 2))
        self.known[key] = (now, half * 2 if right else max(1.0, half * 0.7))


@dataclass
class Activation:
    """Traces that decay with a power of time; times are in days."""

    speed: float
    hard: Callable[[Key], float]
    traces: dict[Key, list[tuple[float, float]]] = field(default_factory=dict)  # time, decay

    threshold, noise, least, scale = -0.9, 0.35, 0.18, 0.22

    def _activation(self, key: Key, now: float) -> float:
        traces = self.traces.get(key, [])
        total = sum(max(now - at, 0.02) ** -decay for at, decay in traces)
        return math.log(total) if total else -math.inf

    def chance(self, key: Key, now: float) -> float:
        """The chance that the learner knows the piece; 0 if it was never learnt."""
        active = self._activation(key, now) - math.log(self.hard(key))
        return 1 / (1 + math.exp(min(500.0, (self.threshold - active) / self.noise)))

    def practise(self, key: Key, now: float, right: bool) -> None:
        active = min(2.0, self._activation(key, now))
        decay = (self.scale * math.exp(active) + self.least) * self.speed
        self.traces.setdefault(key, []).append((now, decay))


MODELS = {"half-life": HalfLife, "activation": Activation}


@dataclass(frozen=True)
class Term:
    """What one learner did: the part of all pieces that is known at the end; by day, how many were
    due and the minutes of warm-ups."""

    known: float
    due: list[int]
    minutes: list[int]


def key(piece: LessonPiece) -> Key:
    return piece.lesson, piece.name


def term(model: str, group: str, number: int, weeks: int, seed: int) -> Term:
    """The term of one learner."""
    draws = random.Random(f"{seed} {number}")
    speed = draws.lognormvariate(0, 0.4)
    days = [draws.random() < OPENS for _ in range(7 * weeks)]
    hardness: dict[Key, float] = {}

    def hard(one: Key) -> float:
        drawn = random.Random(f"{seed} {one}").lognormvariate(0, 0.4)
        return hardness.setdefault(one, drawn)

    memory = MODELS[model](speed, hard)
    answers, now = random.Random(f"{seed} {number} answers"), BEGIN
    due, minutes = [], []
    with (
        tempfile.TemporaryDirectory() as place,
        mock.patch.object(progress, "now", lambda: now),
        mock.patch.object(progress, "folder", lambda: Path(place)),
    ):
        root = Path(place)
        folder.make(root)
        lessons = [one for one in recall.handed_out(root) if one.pieces]
        passed: list[LessonPiece] = []
        last: dict[Key, float] = {}

        def answer(piece: LessonPiece) -> None:
            at = (now - BEGIN).total_seconds() / DAY
            first = key(piece) not in last
            right = first or answers.random() < memory.chance(key(piece), at)
            memory.practise(key(piece), at, right)
            last[key(piece)] = at
            if isinstance(piece.task, Prediction):
                progress.predicted(piece.lesson, piece.name, "any", right)
            else:
                progress.tried(piece.lesson, piece.name, right)

        for day, opens in enumerate(days):
            now = BEGIN + timedelta(days=day)
            if day % 7 == 0 and lessons:
                lesson = lessons.pop(0)
                for name in lesson.exercises:
                    progress.passed(lesson.name, name)
                for piece in lesson.pieces:
                    answer(piece)
                passed += lesson.pieces
                due.append(0)
                minutes.append(0)
                continue
            waiting = sum(one.due for one in recall.remembered(root)) if opens else 0
            due.append(waiting)
            chosen = recall.warm_up(root) if opens and waiting and group != "none" else []
            if group == "random" and chosen:
                chosen = answers.sample(passed, len(chosen))
            elif group == "oldest" and chosen:
                chosen = sorted(passed, key=lambda one: last[key(one)])[: len(chosen)]
            for piece in chosen:
                answer(piece)
            minutes.append(sum(piece.minutes for piece in chosen))
        end = float(7 * weeks)
        return Term(mean(memory.chance(key(one), end) for one in passed), due, minutes)


def _spread(values: Sequence[float]) -> str:
    low, middle, high = quantiles(values, n=4)
    shown = (min(values), low, middle, high, max(values))
    return "  ".join(f"{value:5.2f}" for value in shown)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--learners", type=int, default=60)
    parser.add_argument("--weeks", type=int, default=14)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args()
    several = range(asked.learners)
    with ProcessPoolExecutor(asked.jobs) as pool:
        for model in MODELS:
            print(f"{model}: {asked.learners} learners, {asked.weeks} weeks")
            print(f"  {'':36} least    25%    50%    75%   most")
            for group, said in CLASSES.items():
                each = [
                    pool.submit(term, model, group, number, asked.weeks, asked.seed)
                    for number in several
                ]
                terms = [one.result() for one in each]
                print(f"  {said + ': known':36}", _spread([one.known for one in terms]))
                if group == "course":
                    of_day = [[one.due[day] for one in terms] for day in range(7 * asked.weeks)]
                    opened = [count for day in of_day for count in day if count]
                    spent = [sum(one.minutes) / asked.weeks for one in terms]
                    most = [float(max(one.minutes)) for one in terms]
                    print(f"  {'  pieces due, on days with some':36}", _spread(opened))
                    print(f"  {'  minutes per week':36}", _spread(spent))
                    print(f"  {'  most minutes on one day':36}", _spread(most))
                    late = [median(one.due[-14:]) for one in terms]
                    print(f"  {'  due per day, last two weeks':36}", _spread(late), flush=True)


if __name__ == "__main__":
    main()
