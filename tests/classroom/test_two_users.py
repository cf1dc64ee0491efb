"""docs/hub.md, tried: an instructor and two learners, each a user of this machine with a home that
only they may enter, what the learners are given without its solutions, and nbgrader's exchange
between them on a shared disk.

Needs root, to make the users and to be each of them in turn; they are gone afterwards.
"""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

import nbformat
import pytest
import small_class
from small_class import LESSON, SCALED, UNGUARDED_SCALE, cell_of
from small_lesson import SOLUTION, instead

from grader.course import mistakes
from grader.course.weave import cuda_cell, text

pytestmark = pytest.mark.slow

REPOSITORY = Path(__file__).parents[2]
GUIDE = (REPOSITORY / "docs/hub.md").read_text()
NAME = f"python{sys.version_info.major}.{sys.version_info.minor}"


@dataclass(frozen=True)
class User:
    name: str
    home: Path
    python: Path
    config: Path

    def run(self, *command: str, at: str = ".") -> subprocess.CompletedProcess:
        """Run a command as this user, who knows the machine's configuration and no more."""
        environment = {
            "HOME": str(self.home),
            "LOGNAME": self.name,
            "PATH": f"{self.python.parent}:/usr/bin:/bin",
            "JUPYTER_CONFIG_PATH": str(self.config),
            "JUPYTER_PATH": f"{sys.prefix}/share/jupyter",
        }
        return subprocess.run(
            command,
            user=self.name,
            group=self.name,
            extra_groups=[],
            cwd=self.home / at,
            env=environment,
            capture_output=True,
            text=True,
        )

    def does(self, module: str, *arguments: str, at: str = ".") -> str:
        """Run `python -m module` as this user; it must succeed. Returns what it said."""
        done = self.run(str(self.python), "-m", module, *arguments, at=at)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    def may(self, *command: str) -> bool:
        return self.run(*command).returncode == 0


@dataclass(frozen=True)
class Machine:
    prof: User
    ada: User
    ben: User
    disk: Path

    @property
    def course(self) -> Path:
        return self.prof.home / "warpwise"

    @property
    def learners_copy(self) -> Path:
        return self.disk / "opt/warpwise"

    @property
    def shelves(self) -> Path:
        return self.disk / "srv/exchange/warpwise"


@pytest.fixture(scope="module")
def machine(grading):
    if os.geteuid() != 0 or not shutil.which("useradd"):
        pytest.skip("only root can make users: what docs/hub.md says of them is NOT tried here")
    with ExitStack() as afterwards:
        disk = Path(tempfile.mkdtemp(prefix="two-users-"))
        afterwards.callback(shutil.rmtree, disk)
        disk.chmod(0o755)
        python = disk / "python/bin" / NAME
        users = [_user(disk, who, python, afterwards) for who in ("prof", "ada", "ben")]
        _python_for_all(disk / "python", disk / "opt/warpwise")
        machine = Machine(*users, disk)
        _write_course(machine)
        for heading in ("The exchange", "What learners get", "The instructor"):
            _do_as_the_guide_says(heading, machine)
        if not machine.ada.may(str(python), "-c", "import grader"):
            pytest.skip("others may not read these packages: docs/hub.md is NOT tried here")
        yield machine


def _user(disk: Path, who: str, python: Path, afterwards: ExitStack) -> User:
    name = f"{who}-{os.getpid()}"
    home = disk / name
    subprocess.run(["useradd", "--user-group", "-M", "-d", home, name], check=True)
    away = ["userdel", "--force", name]
    afterwards.callback(subprocess.run, away, check=True, capture_output=True)
    home.mkdir(mode=0o700)
    shutil.chown(home, name, name)
    return User(name, home, python, disk / "etc/jupyter")


def _write_course(machine: Machine) -> None:
    """The instructor's own copy of this repository, with a small lesson in place of the others."""
    course = machine.course
    (course / "kernels").mkdir(parents=True)
    (course / "notebooks").mkdir()
    small_class.write_lesson(course / "kernels")
    shutil.copytree(REPOSITORY / "grader", course / "grader")
    files = ("pyproject.toml", "constraints.txt", "README.md", "LICENSE", "nbgrader_config.py")
    for file in files:
        shutil.copy(REPOSITORY / file, course)
    for path in (course, *course.rglob("*")):
        shutil.chown(path, machine.prof.name, machine.prof.name)


def _do_as_the_guide_says(heading: str, machine: Machine) -> None:
    """Run the first block of commands under a heading of docs/hub.md, with this machine's folders
    in place of the guide's."""
    section = GUIDE.partition(f"\n## {heading}\n")[2]
    commands = re.search(r"(?:^    .*\n)+", section, re.MULTILINE)[0]
    for folder in ("/opt/", "/srv/", "/etc/"):
        commands = commands.replace(folder, f"{machine.disk}{folder}")
    subprocess.run(["bash", "-euc", dedent(commands)], cwd=machine.course, check=True)


def _python_for_all(folder: Path, course: Path) -> None:
    """A Python that every user may run (the one that runs this may lie in a home that others may
    not enter), with the packages of this one, and `course` where they have their `grader`."""
    base = Path(sys.base_prefix)
    _copy(base / "lib" / NAME, folder / "lib" / NAME, but="site-packages")
    for library in (base / "lib").glob("libpython*.so*"):
        shutil.copy(library, folder / "lib")
    packages = folder / "lib" / NAME / "site-packages"
    _copy(Path(sysconfig.get_path("purelib")), packages, but="__editable__*")
    (packages / "course_for_all.pth").write_text(str(course))
    for kept in ("etc/jupyter", "share/jupyter"):  # its extensions, its kernel
        _copy(Path(sys.prefix) / kept, folder / kept)
    (folder / "bin").mkdir()
    # The program looks for its library where it was built to be; now that is beside it.
    built, here = str(base / "lib").encode() + b"\0", b"$ORIGIN/../lib\0"
    program = (base / "bin" / NAME).read_bytes().replace(built, here.ljust(len(built), b"\0"))
    alembic = f"#!{folder}/bin/{NAME}\nfrom alembic.config import main\n\nmain()\n"
    for name, content in ((NAME, program), ("alembic", alembic.encode())):
        (folder / "bin" / name).write_bytes(content)  # nbgrader calls alembic by name
        (folder / "bin" / name).chmod(0o755)


def _copy(folder: Path, to: Path, but: str = "test") -> None:
    """Copy without copying where that can be done: thousands of files are linked in a second."""

    def link(file: str, copy: str) -> None:
        try:
            os.link(file, copy)
        except OSError:  # another disk
            shutil.copy(file, copy)

    shutil.copytree(folder, to, copy_function=link, ignore=shutil.ignore_patterns("test", but))


@pytest.fixture(scope="module")
def week(machine):
    """Handed out, done, handed in, graded, handed back; each does their own part."""
    prof, ada, ben = machine.prof, machine.ada, machine.ben
    prof.does("grader", "release", LESSON, at="warpwise")
    for learner, answer in ((ada, SCALED), (ben, UNGUARDED_SCALE)):
        learner.does("nbgrader", "fetch_assignment", LESSON)
        _fill_in(learner, add=SOLUTION, scale=answer)
        learner.does("nbgrader", "submit", LESSON)
    said = prof.does("grader", "autograde", LESSON, at="warpwise")
    prof.does("grader", "feedback", LESSON, at="warpwise")
    for learner in (ada, ben):
        learner.does("nbgrader", "fetch_feedback", LESSON)
    return said


def _fill_in(learner: User, **answers: str) -> None:
    path = learner.home / LESSON / f"{LESSON}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    for name, source in answers.items():
        cell_of(notebook, name).source = cuda_cell(name, source)
    path.write_text(text(notebook))


def handed_out(machine: Machine) -> Path:
    return machine.shelves / "outbound" / LESSON / f"{LESSON}.ipynb"


def feedback(learner: User) -> Path:
    (page,) = (learner.home / LESSON).glob(f"feedback/*/{LESSON}.html")
    return page


def test_each_learner_fetches_their_own_feedback(machine, week):
    assert "graded: 2 submissions, in" in week
    assert "scale</code>: passed" in feedback(machine.ada).read_text()
    assert "Out of bounds" in feedback(machine.ben).read_text()
    assert "Out of bounds" not in feedback(machine.ada).read_text()


def test_no_learner_reads_what_is_another_s(machine, week):
    ada, ben = machine.ada, machine.ben
    (page,) = (path for path in machine.shelves.glob("feedback/*.html") if _is(path, ben))
    (handed_in,) = machine.shelves.glob(f"inbound/{ben.name}+*")
    assert ben.may("cat", str(feedback(ben)))
    for theirs in (feedback(ben), ben.home / LESSON / f"{LESSON}.ipynb"):
        assert not ada.may("cat", str(theirs))
    assert not ada.may("ls", str(page.parent)), "names of feedback pages are secrets"
    assert not ada.may("ls", str(handed_in.parent)), "so are those of submissions"


def _is(page: Path, learner: User) -> bool:
    return page.read_bytes() == feedback(learner).read_bytes()


@pytest.mark.parametrize("path", ["kernels", "build/secret", "build/gradebook.db", "build/source"])
def test_no_learner_reads_what_is_the_course_s(machine, week, path):
    assert machine.prof.may("ls", str(machine.course / path))
    assert not machine.ada.may("ls", str(machine.course / path))


def test_learners_are_given_exercises_without_their_solutions(machine):
    given = machine.learners_copy / "kernels" / LESSON
    assert machine.ada.may("cat", str(given / "1_add.cu"))
    assert (given / "1_add.cu").read_text() == instead("    // END SOLUTION")
    assert not (given / mistakes.FILE).exists()


def test_check_tells_a_learner_what_is_right_and_what_is_blank(machine, week):
    ada = machine.ada
    notebook = nbformat.read(handed_out(machine), as_version=4)
    cell_of(notebook, "add").source = cuda_cell("add", SOLUTION)
    (ada.home / "tried.ipynb").write_text(text(notebook))
    ada.does("nbconvert", "--execute", "--to=notebook", "--output=run.ipynb", "tried.ipynb")
    run = nbformat.read(ada.home / "run.ipynb", as_version=4)
    assert "add: passed, 3 of 4 points" in str(cell_of(run, "check-add").outputs)
    assert "still as it was handed out" in str(cell_of(run, "check-scale").outputs)


def test_no_learner_changes_what_is_handed_out(machine, week):
    released, ada = handed_out(machine), machine.ada
    assert ada.may("cat", str(released))
    assert not ada.may("touch", str(released))
    assert not ada.may("touch", str(released.parent / "more"))
    assert not ada.may("mv", str(machine.shelves), str(machine.shelves.with_name("away")))


def test_what_is_handed_in_under_another_s_name_is_put_aside(machine, week):
    prof, ada, ben = machine.prof, machine.ada, machine.ben
    forged = machine.shelves / "inbound" / f"{ben.name}+{LESSON}+2999-01-01 00:00:00 UTC+x"
    assert ada.may("cp", "-r", str(ada.home / LESSON), str(forged))
    before = (prof.home / f"warpwise/build/submitted/{ben.name}/{LESSON}/timestamp.txt").read_text()
    again = prof.run(str(prof.python), "-m", "grader", "autograde", LESSON, at="warpwise")
    assert again.returncode == 1
    assert f"{ben.name}: What {ada.name} handed in under this name is put aside" in again.stderr
    after = (prof.home / f"warpwise/build/submitted/{ben.name}/{LESSON}/timestamp.txt").read_text()
    assert after == before
    assert prof.does("grader", "autograde", LESSON, at="warpwise")


def test_a_request_for_a_regrade_reaches_the_instructor_and_no_other_learner(machine, week):
    prof, ada, ben = machine.prof, machine.ada, machine.ben
    inbound = machine.shelves / "inbound"
    ada.run("mkdir", "-p", "own/.warpwise")
    said = ada.does("grader", "appeal", LESSON, "add", "Look again, please.", at="own")
    assert f"Your request about add in {LESSON} is sent through nbgrader." in said
    (request,) = inbound.glob(f"{ada.name}+grader.appeal+*")
    assert not ben.may("ls", str(inbound)), "the names of requests are secrets, too"
    forged = inbound / f"{ben.name}+grader.appeal+2999-01-01 00:00:00 UTC+x"
    assert ada.may("cp", str(request), str(forged))
    said = prof.does("grader", "appeals", at="warpwise")
    assert f"{ada.name}: add in {LESSON}, 4 of 4, since" in said
    assert f"{ben.name}: What {ada.name} handed in under this name is put aside" in said
    assert "1 open request" in said
    assert not list(inbound.glob("[!.]*+grader.appeal+*"))
    prof.does("grader", "appeals", "--answer", ada.name, LESSON, "add", "It is.", at="warpwise")
    prof.does("grader", "feedback", LESSON, at="warpwise")
    shutil.rmtree(ada.home / LESSON / "feedback")  # nbgrader fetches no page twice
    ada.does("nbgrader", "fetch_feedback", LESSON)
    assert "Answer to a regrade request: It is." in feedback(ada).read_text()
