"""A lesson as a GitHub Actions workflow: what a learner pushes is judged, and what is wrong is
said on the learner's lines. Hidden cases are drawn from a public seed there: the secret stays at
home."""

from __future__ import annotations

from ...course import Lesson

PATH = ".github/workflows/grade.yml"

_WORKFLOW = """\
# Made by `grader bundle github`. It belongs into the repository that learners start from.
name: {title}
on: [push]
permissions:
  contents: read
jobs:
  grade:
    runs-on: ubuntu-latest
    timeout-minutes: 20
    steps:
      - uses: actions/checkout@v4
      - uses: actions/checkout@v4
        with:
          repository: {repository}
          path: .course
      - uses: actions/setup-python@v5
        with:
          python-version: "3.11"
          cache: pip
          cache-dependency-path: .course/constraints.txt
      - run: pip install --quiet --constraint .course/constraints.txt --editable .course
      - run: grader check {lesson}.ipynb --github
"""


def workflow(lesson: Lesson, repository: str) -> str:
    """The workflow's text; `repository` is where the course lies on GitHub, OWNER/NAME."""
    title = "".join(char for char in lesson.title if char.isalnum() or char in " -,") or lesson.name
    return _WORKFLOW.format(title=f'"{title}"', repository=repository, lesson=lesson.name)
