"""docs/hub.md, tried: an instructor and two learners, each a user of this machine with a home that
only they may enter, and nbgrader's exchange between them on a shared disk.

Needs root, to make the users and to be each of them in turn; they are gone afterwards.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import nbformat
import pytest
import small_class
from small_class import LESSON, SCALED, UNGUARDED_SCALE, cell_of
from small_lesson import SOLUTION

from grader.classroom.folder import new_course
from grader.weave import cuda_cell, text

REPOSITORY = Path(__file__).parents[1]
FOR_ALL = """\
c = get_config()
c.CourseDirectory.course_id = "warpwise"
c.Exchange.root = {exchange!r}
"""
FOR_THE_COURSE = """
c.Exchange.root = {exchange!r}
c.Exchange.cache = str(course / "cache")
"""


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
    shelves: Path

    @property
    def course(self) -> Path:
        return self.prof.home / "course"


@pytest.fixture(scope="module")
def machine():
    if os.geteuid() != 0 or not shutil.which("useradd"):
        pytest.skip("only root can make users: what docs/hub.md says of them is NOT tried here")
    disk = Path(tempfile.mkdtemp(prefix="two-users-"))
    disk.chmod(0o755)
    users = []
    try:
        users = [_user(disk, name) for name in ("prof", "ada", "ben")]
        yield _machine(disk, *users)
    finally:
        for user in users:
            subprocess.run(["userdel", user.name], check=True, capture_output=True)
        shutil.rmtree(disk)


def _user(disk: Path, who: str) -> User:
    name = f"{who}-{os.getpid()}"
    home = disk / name
    subprocess.run(["useradd", "--user-group", "-M", "-d", home, name], check=True)
    home.mkdir(mode=0o700)
    shutil.chown(home, name, name)
    return User(name, home, disk / "venv/bin/python", disk / "etc")


def _machine(disk: Path, prof: User, ada: User, ben: User) -> Machine:
    _python_for_all(disk / "venv", prof)
    exchange = disk / "exchange"
    exchange.mkdir()
    exchange.chmod(0o777)
    prof.config.mkdir()
    (prof.config / "nbgrader_config.py").write_text(FOR_ALL.format(exchange=str(exchange)))
    kernels = disk / "kernels"
    kernels.mkdir()
    new_course(prof.home / "course", small_class.write_lesson(kernels))
    with (prof.home / "course/nbgrader_config.py").open("a") as config:
        config.write(FOR_THE_COURSE.format(exchange=str(exchange)))
    for path in (prof.home / "course", prof.home / "course/nbgrader_config.py"):
        shutil.chown(path, prof.name, prof.name)
    return Machine(prof, ada, ben, exchange / "warpwise")


def _python_for_all(folder: Path, somebody: User) -> None:
    """A virtual environment that any user may enter, with the packages of this one."""
    here = f"python{sys.version_info.major}.{sys.version_info.minor}"
    bases = [Path(sys.base_prefix) / "bin" / here, Path("/usr/bin") / here]
    base = next((base for base in bases if base.exists() and _can_run(somebody, base)), None)
    if base is None:
        pytest.skip(f"no {here} that other users may run: docs/hub.md is NOT tried here")
    subprocess.run([base, "-m", "venv", "--without-pip", folder], check=True)
    packages = next(folder.glob("lib/python3*/site-packages"))
    installed = [path for path in sys.path if path.endswith("site-packages")]
    (packages / "these.pth").write_text("\n".join([str(REPOSITORY), *installed]))
    alembic = folder / "bin/alembic"  # nbgrader calls it by name
    alembic.write_text(f"#!{folder}/bin/python\nfrom alembic.config import main\n\nmain()\n")
    alembic.chmod(0o755)


def _can_run(user: User, program: Path) -> bool:
    try:
        return user.may(str(program), "-c", "")
    except PermissionError:
        return False


@pytest.fixture(scope="module")
def week(machine):
    """Handed out, done, handed in, graded, handed back; each does their own part."""
    prof, ada, ben = machine.prof, machine.ada, machine.ben
    prof.does("grader.cli", "release", LESSON, at="course")
    for learner, answer in ((ada, SCALED), (ben, UNGUARDED_SCALE)):
        learner.does("nbgrader", "fetch_assignment", LESSON)
        _fill_in(learner, add=SOLUTION, scale=answer)
        learner.does("nbgrader", "submit", LESSON)
    said = prof.does("grader.cli", "autograde", LESSON, at="course")
    prof.does("grader.cli", "feedback", LESSON, at="course")
    for learner in (ada, ben):
        learner.does("nbgrader", "fetch_feedback", LESSON)
    return said


def _fill_in(learner: User, **answers: str) -> None:
    path = learner.home / LESSON / f"{LESSON}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    for name, source in answers.items():
        cell_of(notebook, name).source = cuda_cell(name, source)
    path.write_text(text(notebook))


def feedback(learner: User) -> Path:
    (page,) = (learner.home / LESSON).glob(f"feedback/*/{LESSON}.html")
    return page


def test_each_learner_fetches_their_own_feedback(machine, week):
    assert "2 submissions are graded" in week
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


@pytest.mark.parametrize("file", ["secret", "gradebook.db", "grades.csv", f"source/./{LESSON}"])
def test_no_learner_reads_what_is_the_course_s(machine, week, file):
    assert machine.prof.may("ls", str(machine.course / file))
    assert not machine.ada.may("ls", str(machine.course / file))


def test_no_learner_changes_what_is_handed_out(machine, week):
    released = machine.shelves / "outbound" / LESSON / f"{LESSON}.ipynb"
    assert machine.ada.may("cat", str(released))
    assert not machine.ada.may("touch", str(released))
    assert not machine.ada.may("touch", str(released.parent / "more"))


def test_what_is_handed_in_under_another_s_name_is_put_aside(machine, week):
    prof, ada, ben = machine.prof, machine.ada, machine.ben
    forged = machine.shelves / "inbound" / f"{ben.name}+{LESSON}+2999-01-01 00:00:00 UTC+x"
    assert ada.may("cp", "-r", str(ada.home / LESSON), str(forged))
    before = (prof.home / f"course/submitted/{ben.name}/{LESSON}/timestamp.txt").read_text()
    again = prof.run(str(prof.python), "-m", "grader.cli", "autograde", LESSON, at="course")
    assert again.returncode == 1
    assert f"{ben.name}: What {ada.name} handed in under this name is put aside" in again.stderr
    after = (prof.home / f"course/submitted/{ben.name}/{LESSON}/timestamp.txt").read_text()
    assert after == before
    assert prof.does("grader.cli", "autograde", LESSON, at="course")
