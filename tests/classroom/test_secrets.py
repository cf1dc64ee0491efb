"""What a learner's kernel and a learner must not come to know: what is expected, and what a hidden
case holds."""

import numpy as np
import pytest

from grader import course
from grader.judge import cases, judge, protocol, worker
from grader.notebook import verdict_card

LESSON = course.lesson("02_tree_reduction")


@pytest.fixture
def sent(monkeypatch):
    """All that is sent to workers, as bytes."""
    requests = []
    encode = protocol.encode

    def noting(message):
        data = encode(message)
        if isinstance(message, protocol.Opening | protocol.Question):
            requests.append(data)
        return data

    monkeypatch.setattr(worker, "encode", noting)
    return requests


def held(values, data):
    """Which of the values, an array, have their bytes somewhere in `data`."""
    words = values.view(f"u{values.itemsize}")
    rising, found = np.sort(words), np.zeros(words.shape, bool)
    for begin in range(min(words.itemsize, len(data) - words.itemsize + 1)):
        there = np.frombuffer(data, words.dtype, (len(data) - begin) // words.itemsize, begin)
        nearest = rising[np.searchsorted(rising, there).clip(max=rising.size - 1)]
        found |= np.isin(words, there[nearest == there])
    return found


ANSWERS = {
    "wrong, so that it is explained": (
        "02_tree_reduction/interleaved",
        ("stride > 0; stride /= 2", "stride > 1; stride /= 2"),
    ),
    "right, so that its way is asked for": ("03_shuffle_reduction/warp_sum", ("", "")),
}


@pytest.mark.parametrize(("exercise_id", "edit"), ANSWERS.values(), ids=ANSWERS)
def test_no_process_that_runs_a_kernel_is_told_what_is_expected(sent, exercise_id, edit):
    exercise = course.exercise(exercise_id)
    source = exercise.solution.replace(*edit) if edit[0] else exercise.solution
    verdict = judge(exercise.id, source, seed=7)
    assert (verdict.status == "passed") == (source == exercise.solution)
    assert len(sent) >= 2
    instances = cases.instantiate(exercise, 7, hidden=True)
    inputs = [value for one in instances for value in one.problem.inputs.values()]
    given = b"".join(value.tobytes() for value in inputs)
    outputs = [value for one in instances for value in one.problem.outputs.values()]
    for kind in (np.float32, np.float64):
        values = np.unique(np.concatenate([one.value.astype(kind).ravel() for one in outputs]))
        secret = values[(values != 0) & ~held(values, given)]
        assert secret.size
        assert not held(secret, b"".join(sent)).any()


def test_a_value_that_is_told_is_found_wherever_its_bytes_begin():
    value = np.array([0.1, 0.7], np.float32)
    for begin in range(8):
        assert held(value, b"." * begin + value[1].tobytes() + b"...").tolist() == [False, True]


def test_of_hidden_cases_a_card_shows_the_category_alone():
    exercise = LESSON.exercise("interleaved")
    source = LESSON.solution(exercise).replace("i < n ? x[i]", "i < n && n < 900 ? x[i]")
    assert source != LESSON.solution(exercise)
    verdict = judge(exercise.id, source, seed=7)
    failed = [case for case in verdict.cases if case.status != "passed"]
    assert any(not case.visible for case in failed)
    told = verdict.for_learner()
    assert (verdict.seed, told.seed) == (7, 0)  # who knows the seed draws hidden cases as well
    page = verdict_card.page(told, source, exercise)
    for case in verdict.cases:
        if not case.visible and case.status != "passed":
            assert f"A hidden case failed ({case.status}): {case.name}." in (
                [one.message for one in told.cases]
            )
            assert case.message not in page.text and case.message not in page.html
            for found in case.mismatches:
                assert f"should be {found.values[0]}" not in page.text
