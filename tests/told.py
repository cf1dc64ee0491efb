"""What is said of a solution that was changed."""

import re

from grader import course
from grader.judge import judge


def verdict_of(exercise, *edits):
    """The verdict about a solution in which each (before, after) is replaced, and its lines."""
    source = course.lesson(exercise.partition("/")[0]).solution(course.exercise(exercise))
    for before, after in edits:
        assert before in source
        source = source.replace(before, after)
    verdict = judge(exercise, source, hidden=False, sizes=False, partial_marks=False)
    return verdict, source.splitlines()


def told(exercise, *edits, status="wrong_answer"):
    """The message with the hint about ours, and the text of the line that it is about."""
    verdict, lines = verdict_of(exercise, *edits)
    assert verdict.status == status, verdict.message
    assert "Our kernel" not in verdict.message
    for ours in re.findall(r"Our kernel (?:first )?(.*?\.)(?= |$)", verdict.parts.ours):
        assert f" {ours}" not in verdict.message
    return f"{verdict.message} {verdict.parts.ours}", lines[
        verdict.line - 1
    ] if verdict.line else ""
