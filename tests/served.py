"""A service as an instructor starts it, and learners who hand in to it."""

import contextlib
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time

import httpx
import nbformat
from small_class import LESSON, cell_of, place_of
from typer.testing import CliRunner

from grader.classroom import coursefile, handing_out
from grader.classroom.folder import new_course
from grader.cli.app import app
from grader.course import lesson as lesson_of
from grader.course.weave import cuda_cell, text

LEARNERS = ("ada", "ben", "cem")


def course_of(folder, kernels, toml="", lesson=LESSON, released=True, learners=LEARNERS):
    """A course that has released the lesson to learners, three if nobody says who."""
    here = new_course(folder, kernels)
    people = "".join(f"{name} = {{ section = 'one' }}\n" for name in learners)
    (folder / coursefile.FILE).write_text(
        f"version = 1\npartial_marks = true\n{toml}\n[learners]\n{people}"
    )
    if released:
        handing_out.release(here, lesson_of(lesson, kernels))
    return here


# A command that is killed, as by `kill -9`, where it calls something for the first time or, as
# "after 3" says, for the third: before it does so, or when that is done; or whose clock goes wrong
# by some seconds.
BROKEN = """
import importlib, os, signal, sys, time

def broken(place, when):
    module, _, names = place.partition(":")
    holder = importlib.import_module(module)
    *path, name = names.split(".")
    for each in path:
        holder = getattr(holder, each)
    whole, (when, _, calls) = getattr(holder, name), when.partition(" ")
    left = list(range(int(calls or 1) - 1))

    def dying(*given, **named):
        if left:
            left.pop()
            return whole(*given, **named)
        if when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        whole(*given, **named)
        os.kill(os.getpid(), signal.SIGKILL)

    setattr(holder, name, dying)

right, faults = time.time, sys.argv[2 : 2 + int(sys.argv[1])]
del sys.argv[1 : 2 + len(faults)]
for place, how in zip(faults[::2], faults[1::2]):
    if place == "clock":
        time.time = lambda how=how: right() + float(how)
    else:
        broken(place, how)
from grader.cli.app import app
app()
"""


def command(here, *arguments, broken=()):
    """How a command is started; `broken`: where and when it is killed, or "clock" and seconds, or
    both one after the other."""
    start = ["-c", BROKEN, str(len(broken)), *broken] if broken else ["-m", "grader"]
    return [sys.executable, *start, *arguments], {"cwd": place_of(here), "text": True}


def ran(here, *arguments, broken=()):
    """A command of the instructor's, in its own process."""
    line, options = command(here, *arguments, broken=broken)
    return subprocess.run(line, capture_output=True, check=False, **options)


def give_tokens(here, ran=ran):
    """By learner the file with the token."""
    said = ran(here, "serve", "--tokens")
    assert said.returncode == 0, said.stderr
    return {path.name: path for path in (here.root / "serve" / "tokens").iterdir()}


def address(said, otherwise):
    """Where a service takes hand-ins, by its first line."""
    found = re.search(r"127\.0\.0\.1:(\d+)", said)
    assert found, otherwise
    return f"http://127.0.0.1:{found[1]}"


class Service:
    """`grader serve` in a process of its own."""

    def __init__(self, here, *options, broken=()):
        line, settings = command(here, "serve", "--port", "0", *options, broken=broken)
        self.process = subprocess.Popen(
            line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, **settings
        )
        said = self.process.stdout.readline()
        self.url = address(said, said or self.process.stderr.read())
        assert said.startswith(f"{here.root} takes hand-ins at ")  # whose, wherever it is started

    def waiting(self, here):
        """How many hand-ins have no result yet."""
        with sqlite3.connect(here.root / "serve" / "handins.db") as db:
            return db.execute("SELECT count(*) FROM work WHERE result IS NULL").fetchone()[0]

    def kill(self):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.kill()
        self.process.stdout.close()
        self.process.stderr.close()


def notebook(here, **answers):
    """The bytes of the notebook that was released, with these answers."""
    made = nbformat.read(here.notebook("release", LESSON), as_version=4)
    for name, source in answers.items():
        cell_of(made, name).source = cuda_cell(name, source)
    return text(made).encode()


def bearer(token):
    """The header with a learner's token, from the token's file or its text."""
    text = token if isinstance(token, str) else token.read_text()
    return {"Authorization": f"Bearer {text.strip()}"}


def put(service, token, content, id, lesson=LESSON, name=None):
    """Hand in as the learner whose token that is, or under another name."""
    learner, _, secret = token.read_text().strip().partition(":")
    where, known = f"{service.url}/handins/{lesson}/{id}", bearer(f"{name or learner}:{secret}")
    return httpx.put(where, content=content, headers=known, timeout=30)


def result(service, token, id, lesson=LESSON, patience=120):
    """What the service answers in the end."""
    until, where = time.monotonic() + patience, f"{service.url}/handins/{lesson}/{id}"
    while time.monotonic() < until:
        found = httpx.get(where, headers=bearer(token), timeout=30)
        if "wait" not in found.json():
            return found.json()
        time.sleep(0.1)
    raise AssertionError(found.text)


def folder_of(where, content, name=LESSON):
    """A learner's folder that holds a notebook."""
    (where / ".warpwise").mkdir(parents=True)
    (where / f"{name}.ipynb").write_bytes(content)
    return where


def learner(where, *arguments):
    """A command of a learner's, given in the folder."""
    with contextlib.chdir(where):
        return CliRunner().invoke(app, list(arguments), env={"COLUMNS": "200"})


def log(here, ran=ran):
    said = ran(here, "serve", "--log")
    assert said.returncode == 0, said.stderr
    return [json.loads(line) for line in said.stdout.splitlines()]
