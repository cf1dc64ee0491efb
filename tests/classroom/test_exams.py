"""The rules of a service, by a clock that the test sets; and an exam from release to end."""

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import time
from datetime import UTC, datetime

import httpx
import msgspec
import nbformat
import pytest
import served
from nbclient import NotebookClient
from served import LESSON, Service, course_of, give_tokens, log, put, ran, result
from small_class import NO_GUARD, SCALED, cell_of, write_lesson

from grader import course
from grader.classroom import ClassroomError, coursefile, export, handing_out, verdicts
from grader.classroom.coursefile import NotTaken, ServiceRules
from grader.classroom.folder import CONFIG
from grader.classroom.serving import MOST_OF_ONE, HandInQueue, HandInService
from grader.course import Contest, variants
from grader.course.weave import learners_cell, text
from grader.judge.verdict import Report
from grader.learner.sending import Receipt

AT = datetime(2026, 12, 1, 12, tzinfo=UTC).timestamp()
HOUR = 3600.0


@pytest.fixture
def queue(tmp_path):
    return HandInQueue(tmp_path / "serve" / "handins.db", b"key")


def work(number, learner="ada"):
    return Receipt(learner, LESSON, f"{number:032x}"), b"{}"


def allowed(extra=0.0, **rules):
    rules = {"shows": "nothing"} | rules if "start" in rules else rules
    return ServiceRules(**rules).longer(1 + extra)


# --- tries, pauses, the clock --------------------------------------------------------------------


def test_tries_are_counted_and_limited(queue):
    rules = allowed(tries=2)
    receipts = [queue.receive(*work(number), rules, AT + number) for number in range(2)]
    assert [(one.number, one.tries) for one in receipts] == [(1, 2), (2, 2)]
    with pytest.raises(NotTaken, match="has 2 tries, and you have used all of them"):
        queue.receive(*work(2), rules, AT + 2)
    assert queue.receive(*work(2, "ben"), rules, AT + 3).number == 1


def test_between_two_tries_there_is_a_pause_and_it_is_shorter_with_more_time(queue):
    queue.receive(*work(1), allowed(cool_down=5), AT)
    with pytest.raises(NotTaken, match="the next one is possible in 200 s"):
        queue.receive(*work(2), allowed(cool_down=5), AT + 100)
    with pytest.raises(NotTaken, match="in 50 s"):
        queue.receive(*work(2), allowed(1.0, cool_down=5), AT + 100)
    assert queue.receive(*work(2), allowed(cool_down=5), AT + 300).number == 2


def test_a_clock_that_was_set_back_is_refused_also_after_a_restart(queue, tmp_path):
    queue.receive(*work(1), allowed(), AT)
    queue.receive(*work(2), allowed(), AT - 1)  # as a network sets clocks
    for one in (queue, HandInQueue(tmp_path / "serve" / "handins.db", b"key")):
        with pytest.raises(NotTaken, match="clock was set back by 600 s"):
            one.receive(*work(3), allowed(), AT - 600)
    queue.tick(AT + 50)
    with pytest.raises(NotTaken, match="clock was set back by 10 s"):
        queue.receive(*work(3), allowed(), AT + 40)
    queue.set_clock(AT - 600)
    assert queue.receive(*work(3), allowed(), AT - 599).at.startswith("2026-12-01 11:50:01")
    assert HandInQueue(tmp_path / "serve" / "handins.db", b"key").tick(AT - 598) == AT - 598


def test_receipts_never_go_back_in_time(queue):
    first = queue.receive(*work(1), allowed(), AT)
    assert queue.receive(*work(2), allowed(), AT - 1.5).at >= first.at


def test_the_queue_is_bounded_for_one_learner_and_for_all(queue, monkeypatch):
    for number in range(MOST_OF_ONE):
        queue.receive(*work(number), allowed(), AT + number)
    with pytest.raises(NotTaken, match="10 hand-ins of yours wait"):
        queue.receive(*work(99), allowed(), AT + 99)
    monkeypatch.setattr("grader.classroom.serving.MOST_WAITING", MOST_OF_ONE)
    with pytest.raises(NotTaken, match="Too many wait to be judged") as error:
        queue.receive(*work(99, "ben"), allowed(), AT + 99)
    assert error.value.status == 503
    queue.settle(queue.waiting(1)[0][0], Report(()), AT + 100)
    assert queue.receive(*work(99, "ben"), allowed(), AT + 101).number == 1


def test_what_waits_longest_comes_first_and_knows_how_many_are_before_it(queue):
    for number in range(3):
        queue.receive(*work(number), allowed(), AT + number)
    assert [one.id for one, _ in queue.waiting(2)] == [work(0)[0].id, work(1)[0].id]
    assert queue.result("ada", LESSON, work(2)[0].id) == (None, 2)
    for learner, lesson in (("ben", LESSON), ("ada", "02_with_other_rules")):
        with pytest.raises(NotTaken, match="no such hand-in of yours"):
            queue.result(learner, lesson, work(2)[0].id)


# --- windows -------------------------------------------------------------------------------------

WINDOWS = {
    "start and end": ({"end": AT + 2 * HOUR}, 0.0, None, 2.0),
    "with half as much more": ({"end": AT + 2 * HOUR}, 0.5, None, 3.0),
    "minutes from the start": ({"minutes": 60}, 0.0, None, 1.0),
    "more of them": ({"minutes": 60}, 0.25, None, 1.25),
    "minutes from the own beginning": (
        {"minutes": 30, "end": AT + 2 * HOUR},
        0.0,
        0.25,
        0.75,
    ),
    "not beyond the end": ({"minutes": 90, "end": AT + 2 * HOUR}, 0.0, 1.0, 2.0),
    "both with more time": ({"minutes": 60, "end": AT + 2 * HOUR}, 0.5, 2.0, 3.0),
}


@pytest.mark.parametrize("case", WINDOWS)
def test_each_learner_has_a_window(queue, case):
    rules, extra, begins, ends = WINDOWS[case]
    allowance = allowed(extra, start=AT, **rules)
    with pytest.raises(NotTaken, match=r"opens on 2026-12-01 12:00:00 UTC"):
        queue.begin("ada", LESSON, allowance, AT - 1)
    begun = queue.begin("ada", LESSON, allowance, AT + HOUR * (begins or 0.0))
    assert queue.begin("ada", LESSON, allowance, begun + 60) == begun  # again, and nothing changes
    assert queue.receive(*work(1), allowance, AT + HOUR * ends).number == 1
    with pytest.raises(NotTaken, match=r"closed for you on .*, 1 s ago"):
        queue.receive(*work(2), allowance, AT + HOUR * ends + 1)


def test_who_has_not_begun_hands_nothing_in(queue):
    allowance = allowed(start=AT, minutes=60)
    with pytest.raises(NotTaken, match="Begin this exam first: `grader exam`"):
        queue.receive(*work(1), allowance, AT + 1)


CANNOT_BE = {
    'end = "2026-12-01 14:00"': "has end or minutes, and no start",
    'start = "2026-12-01 12:00"': "has a start, and neither end nor minutes",
    'start = "2026-12-01 12:00"\nend = "2026-12-01 12:00"': "ends before it starts",
    'start = "2026-12-01 12:00"\nminutes = 9\nshows = "all"': "shows should be 'status' or",
    'start = "noon"\nminutes = 9': "should be a time like",
    "tries = 0": ">= 1",
    "tries = 'many'": "Expected `int",
    "cool_down = -1": ">= 0",
    "shows = 'some'": "Invalid enum value 'some'",
    "pause = 1": "cannot have 'pause'",
}


@pytest.mark.parametrize("lines", CANNOT_BE)
def test_what_cannot_be_in_course_toml_is_named(tmp_path, kernels, lines):
    from grader.classroom.folder import new_course

    here = new_course(tmp_path, kernels)
    text = f"version = 1\n[lessons.{LESSON}.serve]\n{lines}\n"
    (tmp_path / coursefile.FILE).write_text(text)
    with pytest.raises(ClassroomError, match=f"lessons.{LESSON}.serve") as error:
        coursefile.read(here)
    assert CANNOT_BE[lines] in str(error.value)


# --- an exam -------------------------------------------------------------------------------------


def exam(opens, minutes, more=""):
    return f'[lessons.{LESSON}.serve]\nstart = "{opens}"\nminutes = {minutes}\n{more}'


def end_exam(here):
    """Let the window of each learner have ended long ago."""
    toml = (here.root / coursefile.FILE).read_text()
    toml = toml.replace(f"minutes = {10**7}", "minutes = 1")
    (here.root / coursefile.FILE).write_text(toml)


def judged(service, here):
    """Wait until the service has judged all hand-ins."""
    while service.waiting(here):
        time.sleep(0.2)


@pytest.mark.slow
def test_an_exam_tells_nothing_before_its_end_and_everything_after_it(tmp_path, kernels):
    here = course_of(tmp_path / "course", kernels, exam("2020-01-01 00:00", 10**7, "tries = 5"))
    assert not (here.shelves / "outbound" / LESSON).exists()
    tokens = give_tokens(here)
    with Service(here) as service:
        to = ("--to", service.url, "--token-file", str(tokens["ada"]))
        (tmp_path / "desk").mkdir()
        began = served.learner(tmp_path / "desk", "exam", LESSON, *to)
        assert began.exit_code == 0, began.output
        assert "You can hand it in until 20" in began.stdout
        own = tmp_path / "desk" / LESSON
        assert sorted(path.name for path in own.iterdir()) == [".warpwise", f"{LESSON}.ipynb"]
        assert "total[i] = x[i] + y[i]" not in (own / f"{LESSON}.ipynb").read_text()
        said = served.learner(own, "submit", LESSON, *to)
        assert said.exit_code == 0, said.output
        assert "try 1 of 5" in said.stdout
        assert "No result is shown now." in said.stdout
        (kept,) = (own / "handed_in").iterdir()
        id = json.loads((kept / "receipt.json").read_text())["id"]
        judged(service, here)
        assert ran(here, "autograde", LESSON).returncode == 0
        early = ran(here, "feedback", LESSON)
        assert early.returncode == 2 and not here.path("feedback", LESSON, "ada").exists()
        assert f"{LESSON} can be handed in until 20" in early.stderr
        assert "Give --yes if that is meant." in early.stderr
        early = ran(here, "feedback", LESSON, "--yes")
        assert early.returncode == 0
        assert f"our solutions are left out, as {LESSON} can be handed in until 20" in early.stdout
        stands = " ".join(ran(here, "status", LESSON).stdout.split())
        assert f"{LESSON}, an exam from 2020-01-01 00:00 to 20" in stands
        assert re.search(r"learner .*begun until tries", stands)
        assert re.search(r"ada .*20\d\d-\d\d-\d\d \d\d:\d\d 20\S+ \d\d:\d\d 1 of 5", stands)
        assert re.search(r"ben .*no 20\S+ \d\d:\d\d 0 of 5", stands)
        said = served.learner(own, "check", f"{LESSON}.ipynb")
        assert "check does not work in an exam: `grader submit 01_add` hands" in said.stderr
        end_exam(here)
        said = served.learner(own, "submit", LESSON, *to)
        assert said.exit_code == 2 and "closed for you" in said.stderr
        assert list((own / "handed_in").iterdir()) == [kept]  # what is refused looks like no proof
        said = served.learner(own, "submit", LESSON, "--results", *to)
        assert said.exit_code == 0, said.output
        assert "try 1 of 5" in said.stdout
        assert "As they were handed out: add, scale." in said.stdout
        assert said.stdout.endswith("In all 0 of 6 points.\n")
        late = ran(here, "feedback", LESSON)
        assert late.returncode == 0 and "left out" not in late.stdout
        assert "closed for you" in put(service, tokens["ada"], b"{}", "1" * 32).json()["error"]
        answered = result(service, tokens["ada"], id)
        assert answered["shows"] == "all"
        assert answered["report"]["checked"][0]["verdict"]["status"] == "not_attempted"
    assert [line["what"] for line in log(here)] == ["begun", "received", "judged"]
    if os.getuid() == 0:  # only then can the work be somebody else's
        past = here.shelves / "inbound" / f"ada+{LESSON}+2090-01-01 00:00:00 UTC+abc"
        past.mkdir()
        (past / f"{LESSON}.ipynb").write_text("{}")
        os.chown(past, 12345, 12345)
        graded = ran(here, "autograde", LESSON)
        assert "ada: The service has not received this work" in " ".join(graded.stderr.split())
    ran(here, "autograde", LESSON)
    assert "2090" not in (here.path("submitted", LESSON, "ada") / "timestamp.txt").read_text()


@pytest.mark.slow
def test_an_exam_may_tell_the_status_alone(tmp_path, kernels):
    rules = exam("2020-01-01 00:00", 10**7, 'shows = "status"')
    here = course_of(tmp_path, kernels, rules)
    tokens = give_tokens(here)
    with Service(here) as service:
        known = served.bearer(tokens["ada"])
        httpx.post(f"{service.url}/exams/{LESSON}", headers=known)
        put(service, tokens["ada"], served.notebook(here, add=NO_GUARD, scale=SCALED), "2" * 32)
        answered = result(service, tokens["ada"], "2" * 32)
        verdicts_told = [one["verdict"] for one in answered["report"]["checked"]]
        assert {one["exercise"]: one["status"] for one in verdicts_told} == {
            f"{LESSON}/add": "out_of_bounds",
            f"{LESSON}/scale": "passed",
        }
        assert all(not (one["message"] or one["cases"] or one["points"]) for one in verdicts_told)


def test_a_release_names_the_exercises_that_the_public_course_holds(tmp_path, kernels, monkeypatch):
    about = course.lesson(LESSON, kernels)
    assert handing_out.public(about) == []
    monkeypatch.setattr(handing_out, "PUBLIC", kernels)
    assert handing_out.public(about) == ["add", "scale"]


def test_the_log_is_not_to_be_shortened_in_the_middle(queue, tmp_path):
    for number in range(3):
        queue.receive(*work(number), allowed(), AT + number)
    assert [json.loads(line)["number"] for line in queue.log()] == [1, 2, 3]
    assert all(line.count('"code"') == 1 for line in queue.log())
    with sqlite3.connect(tmp_path / "serve" / "handins.db") as db:
        db.execute("DELETE FROM log WHERE number = 2")
    with pytest.raises(Exception, match="Line 2 of the log was changed"):
        list(queue.log())


@pytest.mark.slow
@pytest.mark.costly
def test_each_learner_gets_variants_and_is_marked_by_them(tmp_path):
    """The first lesson, each learner with the solutions of the own variants; and ben with ada's."""
    name, rules = "00_first_kernel", "minutes = 9999999\nvary = true\nstart = 2020-01-01T00:00:00"
    about = course.lesson(name)
    toml = f"[lessons.{name}.serve]\n{rules}\n"
    here = course_of(tmp_path / "course", course.KERNELS, toml, lesson=name)
    tokens = give_tokens(here)

    def solved(learner):
        mine = dict(handing_out.drawn(here, coursefile.read(here), name, learner))
        given = nbformat.reads(handing_out.notebook_for(here, about, learner), as_version=4)
        for one in about.exercises:
            drawn = variants.read(one, mine[one.name])
            cell_of(given, one.name).source = learners_cell(one.name, drawn.solution)
        return text(given).encode()

    works = {"ada": solved("ada"), "ben": solved("ada"), "cem": solved("cem")}
    fetched = {}
    with Service(here) as service:
        for number, (learner, content) in enumerate(works.items()):
            known = served.bearer(tokens[learner])
            began = httpx.post(f"{service.url}/exams/{name}", headers=known)
            fetched[learner] = began.json()["notebook"]
            id = f"{number:032x}"
            assert put(service, tokens[learner], content, id, name).status_code == 200
        judged(service, here)
    assert fetched["ada"] != fetched["ben"]
    known = {path.name for path in (here.root / "verdicts").iterdir()}
    graded = ran(here, "autograde", name)
    assert graded.returncode == 0, graded.stderr
    assert {path.name for path in (here.root / "verdicts").iterdir()} == known
    most = {one.name: one.points for one in about.exercises}
    points = {
        learner: {
            exercise: verdicts.points(each)
            for exercise, each in verdicts.read(here.path("autograded", name, learner)).items()
        }
        for learner in works
    }
    assert points["ada"] == points["cem"] == most
    assert sum(points["ben"].values()) < sum(most.values()) / 2


@pytest.mark.slow
def test_a_release_as_an_exam_needs_a_start_and_names_what_is_public(tmp_path, kernels):
    here = course_of(tmp_path / "course", kernels)
    said = ran(here, "release", LESSON, "--exam")
    assert said.returncode == 2
    assert f"course.toml has no start in lessons.{LESSON}.serve: not released." in said.stderr
    rules = exam("2020-01-01 00:00", 60, "vary = true")
    rules = rules.replace(LESSON, "00_first_kernel")
    public = course_of(tmp_path / "public", course.KERNELS, rules, released=False)
    said = ran(public, "release", "00", "--exam")
    assert said.returncode == 0, said.stderr
    assert " as an exam: `grader serve` gives it out" in said.stdout
    assert "The public course has saxpy, with its solution: no exam" in said.stderr
    assert "no variants" not in said.stderr


@pytest.mark.slow
def test_a_lesson_that_is_to_vary_and_has_no_variants_is_named(tmp_path, kernels):
    own = shutil.copytree(kernels, tmp_path / "kernels")
    rules = exam("2020-01-01 00:00", 60, "vary = true")
    here = course_of(tmp_path / "build", own, rules, released=False)
    shutil.copy(CONFIG, tmp_path)
    for command in (("release", LESSON, "--exam"), ("build",)):
        said = ran(here, "--course", str(tmp_path), *command)
        assert said.returncode == 0, said.stderr
        assert f"{LESSON} has vary = true, but there are no variants of add, scale" in said.stderr


# In `scale` of the small lesson the elements of x lie at every second place, so a warp reads 8
# sectors, and not 4.
BUDGET = """
from dataclasses import replace
from grader.course import Budget

sectors = Budget("global_load_sectors", 16, "4 for 32 threads, as neighbours read neighbours")
other = replace(other, cases=(replace(other.cases[0], budgets=(sectors,)), *other.cases[1:]))
"""
STRIDED = SCALED.replace("2 * x[i]", "2 * x[2 * i]")


def varied(folder):
    """The small lesson, with one variant of `scale`."""
    kernels = write_lesson(folder)
    with (kernels / LESSON / "exercises.py").open("a") as file:
        file.write(BUDGET)
    anew = variants.Anew(
        {"x": "every second"},
        {"x": variants.ArrayUse({"scale.x": "n"})},
        {"scale": ("x", "doubled", "n")},
        variants.changes(SCALED, STRIDED),
        costs={"global_load_sectors": 2.0},
    )
    (kernels / LESSON / "variants.json").write_bytes(msgspec.json.encode({"scale": [anew]}))
    return kernels


@pytest.mark.slow
def test_what_is_shown_of_a_variant_has_the_variants_budgets(tmp_path):
    (tmp_path / "kernels").mkdir()
    rules = exam("2020-01-01 00:00", 10**7, "vary = true")
    here = course_of(tmp_path / "course", varied(tmp_path / "kernels"), rules)
    tokens = give_tokens(here)
    with Service(here) as service:
        to = ("--to", service.url, "--token-file", str(tokens["ada"]))
        served.learner(tmp_path, "exam", LESSON, "desk", *to)
        path = tmp_path / "desk" / f"{LESSON}.ipynb"
        given = path.read_text()
        assert "at most 8 sectors loaded from global memory per warp" in given
        assert "at most 4 sectors" not in given
        desk = nbformat.reads(given, as_version=4)
        cell_of(desk, "scale").source = learners_cell("scale", STRIDED)
        path.write_text(text(desk))
        assert served.learner(path.parent, "submit", LESSON, *to).exit_code == 0
        judged(service, here)
    end_exam(here)
    assert ran(here, "autograde", LESSON).returncode == 0
    said = ran(here, "feedback", LESSON)
    assert said.returncode == 0, said.stderr
    page = (here.path("feedback", LESSON, "ada") / f"{LESSON}.html").read_text()
    assert "32 (8 per warp)" in page and "16 (4 per warp)" not in page
    assert "no line differs" in page  # from the solution of the variant
    assert "our solutions are left out" not in said.stdout


def test_a_variants_message_has_no_figures_of_the_exercise_itself(tmp_path):
    one = course.lesson(LESSON, varied(tmp_path)).exercise("scale")
    own = variants.vary(one, 0, tmp_path)
    (budget,) = own.cases[0].budgets
    assert budget.number == 32 and "4 for 32 threads" not in budget.why


# --- a homework with variants, through nbgrader's exchange ----------------------------------------


def of_course(root, *arguments):
    """A command about the course in `root`, given by ada."""
    line = [sys.executable, "-m", "grader", "--course", str(root), *map(str, arguments)]
    there = {**os.environ, "LOGNAME": "ada"}
    done = subprocess.run(line, env=there, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def built(home, write):
    """A course folder with the lesson that this writes, built; the folder of its kernels."""
    home.mkdir()
    of_course(home, "new", "02_own")  # makes the folder a course
    shutil.rmtree(home / "kernels/02_own")
    kernels = write(home / "kernels")
    of_course(home, "build")
    return kernels


def run_notebook(path, learner, root):
    """Run a notebook as this learner does, who has the course in `root`; all that it shows."""
    made = nbformat.read(path, as_version=4)
    there = {**os.environ, "WARPWISE_COURSE": str(root), "LOGNAME": learner}
    NotebookClient(made, resources={"metadata": {"path": str(path.parent)}}).execute(env=there)
    return json.dumps(made)


@pytest.mark.slow
def test_the_notebook_that_all_fetch_writes_each_learners_variants_into_itself(tmp_path):
    """One notebook is released. Run for the first time, it gets the learner's variant; checked and
    marked is the variant, also by formgrader's button."""
    public, kernels = tmp_path / "public", built(home := tmp_path / "home", varied)
    of_course(home, "publish", public)
    here = course_of(tmp_path / "course", kernels, f"[lessons.{LESSON}.serve]\nvary = true\n")
    path = tmp_path / "desk" / f"{LESSON}.ipynb"
    path.parent.mkdir()
    shutil.copy(here.notebook("release", LESSON), path)
    handed_out = path.read_text()
    assert "as they lie" not in handed_out and "at most 4 sectors" in handed_out

    said = run_notebook(path, "ada", public)
    assert "You have your own variant of `scale`" in said and "Reload Notebook from Disk" in said
    own = path.read_text()
    assert "at most 8 sectors loaded from global memory per warp" in own
    assert "at most 4 sectors" not in own

    desk = nbformat.reads(own, as_version=4)
    cell_of(desk, "scale").source = learners_cell("scale", STRIDED)
    path.write_text(text(desk))
    said = run_notebook(path, "ada", public)
    assert "scale: passed" in said and "Reload Notebook" not in said
    assert cell_of(nbformat.read(path, 4), "scale").source == learners_cell("scale", STRIDED)
    of_course(public, "check", path, "--exercise", f"{LESSON}/scale")

    for learner, source in {"ada": STRIDED, "ben": SCALED}.items():
        cell_of(desk, "scale").source = learners_cell("scale", source)
        handed_in = here.notebook("submitted", LESSON, learner)
        handed_in.parent.mkdir(parents=True)
        handed_in.write_text(text(desk))
    assert ran(here, "autograde", LESSON).returncode == 0
    first = {who: verdicts.read(here.path("autograded", LESSON, who)) for who in ("ada", "ben")}
    assert verdicts.points(first["ada"]["scale"]) == 2
    assert verdicts.points(first["ben"]["scale"]) < 1
    by_button = subprocess.run(
        [sys.executable, "-m", "nbgrader", "autograde", LESSON, "--student", "ada", "--force"],
        cwd=here.root,
        capture_output=True,
        text=True,
    )
    assert by_button.returncode == 0, by_button.stderr
    again = verdicts.read(here.path("autograded", LESSON, "ada"))
    assert verdicts.points(again["scale"]) == 2
    with pytest.raises(ClassroomError, match="learners have different kernels"):
        names = export.ShownNames(here, coursefile.read(here))
        export.leaderboard(here, course.lesson(LESSON, kernels), Contest("scale", 1, 1), names)


def test_the_service_refuses_a_homework_whose_variants_the_exchange_gives_out(tmp_path):
    (tmp_path / "kernels").mkdir()
    toml = f"[lessons.{LESSON}.serve]\nvary = true\n"
    here = course_of(tmp_path / "course", varied(tmp_path / "kernels"), toml)
    service = HandInService(here, HandInQueue(tmp_path / "handins.db", b"key"), None, print)
    with pytest.raises(NotTaken, match="is handed in through nbgrader's exchange"):
        service.take("ada", b"{}", LESSON, "0" * 32)


# --- what feedback tells before a lesson is closed, and after -------------------------------------


@pytest.mark.slow
def test_a_page_names_the_one_fault_only_when_the_lesson_is_closed(tmp_path):
    """While it is open, others could mend the fault by that sentence."""
    name, fault = "02_tree_reduction", "only the lower threads come to the barrier"
    about = course.lesson(name)
    here = course_of(tmp_path / "course", course.KERNELS, lesson=name)
    (wrong,) = [one for one in about.wrong_kernels if one.mistake == fault]
    notebook = nbformat.read(here.notebook("release", name), as_version=4)
    cell_of(notebook, wrong.exercise).source = learners_cell(wrong.exercise, wrong.source)
    handed_in = here.notebook("submitted", name, "ada")
    handed_in.parent.mkdir(parents=True)
    handed_in.write_text(text(notebook))
    assert ran(here, "autograde", name).returncode == 0
    assert ran(here, "feedback", name).returncode == 0
    page = here.path("feedback", name, "ada") / f"{name}.html"
    assert "One fault (barrier divergence" in page.read_text()
    assert fault not in page.read_text()
    with coursefile.changed(here) as document:
        coursefile.table(document, "lessons", name)["due"] = "2026-01-01 00:00"
    assert ran(here, "feedback", name).returncode == 0
    assert f"The fault: {fault}." in page.read_text()
