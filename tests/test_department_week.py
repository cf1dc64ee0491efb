"""The week of tests/department_week.py with a small class."""

import department_week as department
import pytest
from department_week import BY_HAND, EXTENDED, LATE, MATE, TEAM, WORSE, learner
from small_class import LESSON, grader

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def week(tmp_path_factory):
    return department.of(tmp_path_factory.mktemp("week"), 24)


def test_there_are_twelve_kinds_of_odd_hand_ins_and_more_than_half_get_points():
    assert len({kind.name for kind in department.ODD}) >= 12
    assert sum(kind.points() > 0 for kind in department.ODD) > len(department.ODD) / 2


def test_every_mark_is_the_one_counted_by_hand_and_gradescope_s(week, tmp_path):
    assert list(department.differences(week, tmp_path)) == []


def test_each_mark_says_why(week):
    rows = department.found(week)
    said = {name: "; ".join(department.why(week, name, mine)) for name, mine in rows.items()}
    assert all(said.values())
    assert "lateness -0.6 -> 0: due date, policy or extension changed" in said[learner(LATE)]
    assert "taken off" not in said[learner(EXTENDED)] and "taken off" not in said[learner(LATE)]
    assert "points changed: 4 before, 9 now" in said[learner(TEAM)]
    assert "keeps the 1 points given by hand" in said[learner(BY_HAND)]
    assert "What was handed in before that counts" in said[learner(WORSE)]
    assert "late, 1.1 taken off" not in said[learner(MATE)]


def test_the_gradebook_s_table_names_who_waits(week):
    waits = [
        line for line in grader(week.here, "status", LESSON).stdout.splitlines() if "look" in line
    ]
    assert any(learner(BY_HAND) in line or f"Name {BY_HAND}" in line for line in waits)
