"""`python -m grader ...` is `grader ...`."""

from grader.cli.app import app

app()
