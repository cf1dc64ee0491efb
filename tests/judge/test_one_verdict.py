"""One verdict from check(), `grader check`, `grader autograde` and autograde through Dask, whatever
the cache of compiled programs is like."""

import json
import shutil

import pytest
import small_class
from IPython.utils.capture import capture_output
from small_class import LESSON, NO_GUARD, SCALED, grader, hand_in
from small_lesson import SOLUTION, instead
from typer.testing import CliRunner

from grader import compilers, course
from grader.classroom import verdicts
from grader.classroom.folder import new_course
from grader.cli.app import app
from grader.course.weave import cuda_cell
from grader.judge import judge
from grader.notebook import check, checking, session
from grader.submissions.intake import cuda_source

ID = f"{LESSON}/add"
ANSWERS = {
    "right": SOLUTION,
    # Inline functions of the prelude come with its name into the program.
    "prelude": instead("    if (i < n) total[i] = x[i] + y[i] + (floor(i / 2) < -9 ? 1 : 0);"),
    "unguarded": NO_GUARD,
    "unfinished": instead("    if (i < n) total[i] = x[i] + y[i]").rstrip("}\n"),
}


@pytest.fixture(scope="module")
def handed_in(tmp_path_factory, grading):
    """A class that has handed in, and the cache that its release has filled."""
    with pytest.MonkeyPatch.context() as patch:
        filled = tmp_path_factory.mktemp("filled")
        patch.setenv("XDG_CACHE_HOME", str(filled))
        kernels = small_class.write_lesson(tmp_path_factory.mktemp("kernels"))
        here = new_course(tmp_path_factory.mktemp("course"), kernels)
        assert grader(here, "release", LESSON).exit_code == 0
        for learner, source in ANSWERS.items():
            hand_in(here, learner, add=source, scale=SCALED)
            judge(ID, cuda_source(cuda_cell("add", source)), root=kernels)
    return here, filled / "warpwise"


@pytest.fixture(params=["empty", "shared", "damaged", "full"])
def cache(request, handed_in, tmp_path, monkeypatch):
    """Where programs are kept: nothing yet, another folder's, each torn, nothing can be."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    place = tmp_path / "warpwise"
    if request.param in ("shared", "damaged"):
        shutil.copytree(handed_in[1], place)
    if request.param == "damaged":
        for path in place.iterdir():
            path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    if request.param == "full":
        place.touch()  # no folder, so that no file in it can be made
    compilers._kept.cache_clear()
    return place


def summed_up(verdict):
    """What of a verdict does not hang on the numbers that were drawn."""
    cases = [(one["name"], one["status"], one["points"]) for one in verdict["cases"]]
    return verdict["status"], verdict["line"], cases


def by_autograde(original, root, *options):
    """What the command makes of a copy of the course, by learner."""
    here = new_course(shutil.copytree(original.root, root), original.kernels)
    said = grader(here, "autograde", LESSON, *options)
    assert said.exit_code == 0, said.stderr
    places = {name: here.path("autograded", LESSON, name) for name in ANSWERS}
    return {name: summed_up(verdicts.read(at)["add"]["verdict"]) for name, at in places.items()}


def by_command(path, source):
    path.write_text(source)
    said = CliRunner().invoke(app, ["check", str(path), "--exercise", ID, "--json"])
    (checked,) = json.loads(said.stdout)["checked"]
    return summed_up(checked["verdict"])


def by_check(monkeypatch, lesson, source):
    """The verdict that check() shows, which is without the hidden case."""
    found = []

    def heard(*asked, **options):
        found.append(judge(*asked, root=lesson.path.parent, **options))
        return found[-1]

    monkeypatch.setattr(checking, "judge", heard)
    monkeypatch.setattr(session, "_session", session.NotebookSession(lesson, {"add": source}))
    with capture_output():
        check("add")
    return summed_up(found[-1].to_dict())


@pytest.mark.costly
def test_every_way_to_a_verdict_leads_to_the_same(cache, handed_in, tmp_path, monkeypatch):
    here, _ = handed_in
    monkeypatch.setattr(course, "KERNELS", here.kernels)
    graded = by_autograde(here, tmp_path / "one")
    assert [graded[name][0] for name in ANSWERS] == [
        *("passed", "passed", "out_of_bounds", "compile_error"),
    ]
    lesson = course.lesson(LESSON, here.kernels)
    for learner, answer in ANSWERS.items():
        source = cuda_source(cuda_cell("add", answer))
        assert by_command(tmp_path / "answer.cu", source) == graded[learner]
        status, line, cases = by_check(monkeypatch, lesson, source)
        visible = graded[learner][2][:2]
        assert cases == visible
        if any(one != "passed" for _, one, _ in visible):
            assert (status, line) == graded[learner][:2]


@pytest.mark.costly
def test_a_cluster_finds_the_same(cache, handed_in, tmp_path):
    distributed = pytest.importorskip("distributed", reason="NO DASK HERE: it was not tried")
    here, _ = handed_in
    options = {"n_workers": 2, "processes": False, "dashboard_address": None}
    with distributed.LocalCluster(**options, protocol="tcp://") as cluster:
        found = by_autograde(
            here, tmp_path / "two", "--scheduler", cluster.scheduler_address, "--force"
        )
    expected = {
        name: summed_up(judge(ID, cuda_source(cuda_cell("add", one)), root=here.kernels).to_dict())
        for name, one in ANSWERS.items()
    }
    assert found == expected
