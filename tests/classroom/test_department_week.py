"""The week of tests/department_week.py with a small class.

Gradescope's bundle judges a sample of it, another one whenever something changes in the code that
reads what is handed in; with WARPWISE_WEEK=all all of it.
"""

import hashlib
import os
import random
from pathlib import Path

import department_week as department
import pytest
from department_week import BY_HAND, EXTENDED, LATE, MATE, TEAM, WORSE, learner
from small_class import LESSON, grader

from grader import submissions
from grader.classroom import bundles

pytestmark = pytest.mark.slow

LEARNERS = 24
ALL = "WARPWISE_WEEK" in os.environ
SAMPLE = 4
READING = [*Path(submissions.__file__).parent.glob("*.py"), Path(bundles.__file__)]


@pytest.fixture(scope="module")
def week(tmp_path_factory, grading):
    return department.of(tmp_path_factory.mktemp("week"), LEARNERS)


def test_there_are_twelve_kinds_of_odd_hand_ins_and_more_than_half_get_points():
    assert len({kind.name for kind in department.ODD}) >= 12
    assert sum(kind.points() > 0 for kind in department.ODD) > len(department.ODD) / 2


def sample(learners, seed):
    """Of those who handed in, a few."""
    return random.Random(seed).sample(sorted(learners), SAMPLE)


def test_every_mark_is_the_one_counted_by_hand(week):
    assert list(department.differences(week)) == []


def test_gradescope_s_marks_are_the_course_s(week, tmp_path):
    seed = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(READING))).digest()
    names = list(week.kinds) if ALL else sample(week.kinds, seed)
    assert list(department.differences_on_gradescope(week, tmp_path, names)) == []


def test_over_many_changes_gradescope_judges_everybody(week):
    seen = {name for seed in range(100) for name in sample(week.kinds, seed)}
    assert seen == set(week.kinds) and len(seen) == LEARNERS - 1  # one is a team's other half


def test_each_mark_says_why(week):
    rows = department.found(week)
    said = {name: "; ".join(department.why(week, name, mine)) for name, mine in rows.items()}
    assert all(said.values())
    assert "lateness -0.6 -> 0: due date, policy or extension changed" in said[learner(LATE)]
    assert "taken off" not in said[learner(EXTENDED)] and "taken off" not in said[learner(LATE)]
    assert "points changed: 4 before, 9 now" in said[learner(TEAM)]
    assert "keeps the 1 point given by hand" in said[learner(BY_HAND)]
    assert "What was handed in before that counts" in said[learner(WORSE)]
    assert "late, 1.1 taken off" not in said[learner(MATE)]


def test_the_gradebook_s_table_names_who_waits(week):
    waits = [
        line for line in grader(week.here, "status", LESSON).stdout.splitlines() if "look" in line
    ]
    assert any(learner(BY_HAND) in line or f"Name {BY_HAND}" in line for line in waits)
