"""What an instructor meets in a week: dates that move, work that cannot be read, marks by hand,
solutions, grading again. No mark changes in silence, and none is made up."""

import csv
import json
import re
import shutil
import tracemalloc

import nbformat
import pytest
import small_class
from nbgrader.apps import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from small_class import LESSON, NO_GUARD, SCALED, UNGUARDED_SCALE, grader, hand_in
from small_lesson import SOLUTION
from typer.testing import CliRunner

from grader import course
from grader.classroom import feedback, planning
from grader.classroom.folder import new_course
from grader.cli import terminal
from grader.cli.app import app
from grader.learner import folder as learners_folder
from grader.submissions import intake

pytestmark = pytest.mark.slow

MEGABYTE = 1 << 20
OURS = "Compare with ours"
HANDED_IN = "2026-11-20 12:00:00 UTC"


def said(here, *arguments):
    """What a command prints, as one line, and what it complains of."""
    done = grader(here, *arguments)
    return done.exit_code, " ".join(done.stdout.split()), " ".join(done.stderr.split())


def printed(size):
    """Damage: so many bytes of output in the cell of `add`."""

    def damage(notebook):
        output = nbformat.v4.new_output("stream", text="x" * size)
        small_class.cell_of(notebook, "add").outputs = [output]

    return damage


def tear(here, learner):
    path = here.notebook("submitted", LESSON, learner)
    path.write_text(path.read_text()[:-200])


def stamp(here, *learners, when=HANDED_IN):
    for learner in learners:
        (here.path("submitted", LESSON, learner) / "timestamp.txt").write_text(when)


@pytest.fixture(scope="module")
def graded(tmp_path_factory, kernels, grading):
    """ada and dan are right, ben forgot two guards, cleo did nothing, ivy printed much, and of
    kim's file there is half; what the first autograde said."""
    here = new_course(tmp_path_factory.mktemp("course"), kernels)
    assert (
        grader(here, "release", LESSON, "--due", "2098-12-01", "--late", "10%/day").exit_code == 0
    )
    for learner in ("ada", "dan", "kim"):
        hand_in(here, learner, add=SOLUTION, scale=SCALED)
    hand_in(here, "ben", add=NO_GUARD, scale=UNGUARDED_SCALE)
    hand_in(here, "cleo")
    hand_in(here, "ivy", printed(60 * MEGABYTE), add=SOLUTION, scale=SCALED)
    tear(here, "kim")
    dan = here.notebook("submitted", LESSON, "dan")
    dan.rename(dan.with_name("My lab (final) - Kopie.ipynb"))
    stamp(here, "ada", "ben", "cleo", "dan", "ivy", "kim")
    return here, said(here, "autograde", LESSON)


@pytest.fixture
def here(graded, tmp_path):
    root = shutil.copytree(graded[0].root, tmp_path / "course")
    return new_course(root, shutil.copytree(graded[0].kernels, tmp_path / "kernels"))


def page(here, learner, *options):
    code, told, _ = said(here, "feedback", LESSON, *options)
    assert code == 0
    return (here.path("feedback", LESSON, learner) / f"{LESSON}.html").read_text(), told


def history(html):
    """The rows of a page's history, each without the time: what, from, to, why."""
    told = html.partition("Changes of your marks")[2].partition("</table>")[0]
    rows = re.findall(r"<tr><td>[^<]*</td>(.*?)</tr>", told)
    return [re.findall(r"<td[^>]*>([^<]*)</td>", row) for row in rows]


# --- 1: a date ----------------------------------------------------------------------------------


def test_a_due_date_in_the_past_is_refused_and_says_whom_it_makes_late(here):
    before = (here.root / "course.toml").read_text()
    code, _, told = said(here, "release", LESSON, "--due", "2026-01-01")
    assert code == 2
    assert told == (
        "01_add would be due 2026-01-01 23:59 UTC, which is past and earlier than it was "
        "(2098-12-01 23:59): 6 of 6 would be late (ada, ben, cleo, dan, ivy and 1 more). "
        "Give --yes if that is meant."
    )
    assert (here.root / "course.toml").read_text() == before


def test_an_earlier_date_that_makes_nobody_late_is_asked_about_too(here):
    _, _, told = said(here, "release", LESSON, "--due", "2090-01-01")
    assert "earlier than it was (2098-12-01 23:59): 0 of 6 would be late. Give --yes" in told
    assert said(here, "release", LESSON, "--due", "2099-01-01")[0] == 0


@pytest.mark.parametrize(("answer", "kept"), [("y\n", "2026-01-01"), ("n\n", "2098-12-01")])
def test_on_a_terminal_it_is_asked(here, monkeypatch, answer, kept):
    class Terminal:
        def isatty(self):
            return True

    monkeypatch.setattr(terminal, "sys", type("Sys", (), {"stdin": Terminal()}))
    monkeypatch.chdir(here.root)
    done = CliRunner().invoke(app, ["release", LESSON, "--due", "2026-01-01"], input=answer)
    assert "6 of 6 would be late" in done.output and "Is that meant?" in done.output
    assert kept in (here.root / "course.toml").read_text()


def test_a_first_release_in_the_past_is_refused_and_one_in_the_future_is_not(tmp_path, kernels):
    here = new_course(tmp_path, kernels)
    _, _, told = said(here, "release", LESSON, "--due", "2026-01-01")
    assert "which is past: nobody has handed in yet" in told
    assert not (here.root / "course.toml").exists()
    assert said(here, "release", LESSON, "--due", "2098-01-01")[0] == 0


def test_releasing_what_is_released_says_so(here):
    _, told, _ = said(here, "release", LESSON)
    assert "It was released before; the marks of 6 learners stay." in told


def test_an_extension_that_takes_days_away_is_refused(here):
    assert said(here, "extend", LESSON, "ada", "--until", "2099-12-01")[0] == 0
    code, _, told = said(here, "extend", LESSON, "ada", "--until", "2026-11-01")
    assert code == 2
    assert "for ada, which is past and earlier than it was (2099-12-01 23:59): 1 of 1" in told
    assert said(here, "extend", LESSON, "ada", "--until", "2026-11-01", "--yes")[0] == 0


def test_a_section_with_a_date_of_its_own_is_not_made_late(here):
    with (here.root / "course.toml").open("a") as file:
        file.write(f'[lessons.{LESSON}.sections]\nB = "2098-12-01"\n')
        file.write('[learners]\nada = { section = "B" }\n')
    told = planning.objection(here, LESSON, "2026-01-01")
    assert "5 of 6 would be late (ben, cleo, dan, ivy, kim)" in told


def test_autograde_ends_with_how_many_marks_changed_and_why(here):
    said(here, "release", LESSON, "--due", "2026-01-01", "--yes")
    _, told, _ = said(here, "autograde", LESSON)
    assert told.endswith(
        "marks of 4 learners changed: lateness; largest 6 to 0 (ada); changes.jsonl has them all"
    )
    said(here, "release", LESSON, "--due", "2098-12-01")
    assert (
        "marks of 4 learners changed: lateness; largest 0 to 6 (ada)"
        in (said(here, "autograde", LESSON)[1])
    )
    assert "changed" not in said(here, "autograde", LESSON)[1]
    told = history(page(here, "dan")[0])
    why = "due date, policy or extension changed"
    assert told == [["lateness", "0", "-6", why], ["lateness", "-6", "0", why]]


# --- 2: what cannot be read ---------------------------------------------------------------------


def test_a_notebook_with_60_mb_of_output_is_graded_and_half_a_file_has_no_mark(graded):
    here, (code, told, complained) = graded
    assert code == 1
    assert "graded: 6 submissions, 1 unreadable (kim), in" in told
    assert "kim: 01_add.ipynb is not a notebook" in complained and "ivy" not in complained
    _, told, _ = said(here, "status", LESSON)
    table = grader(here, "status", LESSON).stdout.splitlines()
    rows = {line.split()[0]: line.split() for line in table if line.strip()}
    assert rows["ivy"][-1] == "6" and rows["cleo"][-1] == "0"
    assert rows["kim"][-1] == "unreadable" and "0" not in rows["kim"]
    assert told.endswith("1 waits for a mark by hand; 1 unreadable")


@pytest.mark.parametrize(
    ("system", "cell"),
    [("csv", ""), ("canvas", ""), ("moodle", "-"), ("brightspace", ""), ("blackboard", "")],
)
def test_no_export_has_a_mark_for_what_cannot_be_read(graded, system, cell, tmp_path):
    here, _ = graded
    path = tmp_path / "marks"
    _, told, _ = said(here, "export", LESSON, "--for", system, "--to", str(path))
    assert "6 learners, 1 of them without a mark, 1 to mark by hand" in told
    encoding = "utf-16" if system == "blackboard" else "utf-8-sig"
    with path.open(encoding=encoding, newline="") as file:
        table = list(csv.reader(file, delimiter="\t" if system == "blackboard" else ","))
    at = next(n for n, name in enumerate(table[0]) if LESSON in name)
    marks = {next(c for c in row if c in ("cleo", "kim")): row[at] for row in table if "kim" in row}
    assert marks == {"kim": cell}
    assert next(row[at] for row in table if "cleo" in row) == "0"


def test_grades_csv_has_no_mark_either_and_formgrader_waits_for_one(graded):
    here, _ = graded
    feedback.export(here)
    with (here.root / "grades.csv").open() as file:
        rows = {row["student_id"]: row for row in csv.DictReader(file)}
    assert rows["kim"]["score"] == "" and "is not a notebook" in rows["kim"]["note"]
    api = NbGraderAPI(coursedir=CourseDirectory(config=here.config), config=here.config)
    waits = {row["student"]: row["needs_manual_grade"] for row in api.get_submissions(LESSON)}
    assert waits == dict.fromkeys(waits, False) | {"kim": True}


def test_a_mark_by_hand_is_the_mark_of_what_cannot_be_read(here):
    with here.gradebook() as gradebook:
        for name in ("check-add", "check-scale"):
            grade = gradebook.find_grade(name, LESSON, LESSON, "kim")
            grade.manual_score, grade.needs_manual_grade = 1.5, False
        gradebook.db.commit()
    assert "unreadable" not in said(here, "status", LESSON)[1].partition("points")[2]
    assert "0 of them without a mark:" in said(here, "export", LESSON)[1]
    assert "<strong>3</strong> of 6 points" in page(here, "kim")[0]


def test_two_answers_to_one_exercise_leave_the_lesson_without_a_mark(here):
    hand_in(here, "ada", small_class.copy_changed, add=SOLUTION, scale=SCALED)
    stamp(here, "ada")
    _, told, _ = said(here, "autograde", LESSON)
    assert "2 unreadable (ada, kim)" in told
    assert "marks of 1 learner changed: could not be judged; largest 6 to no mark (ada)" in told
    html, _ = page(here, "ada")
    assert "<strong>no mark</strong> of 6 points" in html
    assert history(html) == [["add", "4", "no mark", "could not be judged"]]


def test_the_report_counts_nobody_s_missing_mark_as_0(graded):
    here, _ = graded
    assert said(here, "report", LESSON)[0] == 0
    html = (here.root / "report" / f"{LESSON}.html").read_text()
    assert "6 learners, 1 of them without a mark" in html
    assert "<strong>1</strong>with no points" in html  # cleo


def test_what_is_refused_is_refused_at_submit_with_the_same_sentence(here, tmp_path, monkeypatch):
    mine = tmp_path / "mine"
    learners_folder.make(mine)
    lesson = next(mine.glob("00*.ipynb"))
    lesson.write_text(lesson.read_text()[:-200])
    monkeypatch.chdir(mine)
    done = CliRunner().invoke(app, ["submit", lesson.stem])
    assert done.exit_code == 2
    torn = said(here, "autograde", LESSON, "--force")[2]
    sentence = torn.partition("kim: ")[2].replace(LESSON, lesson.stem)
    assert " ".join(done.stderr.split()) == sentence


def test_outputs_cost_no_memory_and_only_what_is_left_is_bounded(tmp_path):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("%%cuda add\nx")])
    printed_much = "".join(
        '["a \\"line\\" with { and ]\\n", [1, {"x": 2}]],' for _ in range(MEGABYTE)
    )
    text = nbformat.writes(notebook)
    path = tmp_path / "a.ipynb"
    path.write_text(text.replace('"outputs": []', f'"outputs": [{printed_much} 0]'))
    assert path.stat().st_size > 40 * MEGABYTE
    tracemalloc.start()
    (answer,) = intake.find(intake.read_answers(path), ["add"])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert answer.source == "\nx" and peak < 12 * MEGABYTE
    picture = {"a.png": {"image/png": "A" * (40 * MEGABYTE)}}
    notebook.cells.append(nbformat.v4.new_markdown_cell("", attachments=picture))
    path.write_text(nbformat.writes(notebook))
    assert intake.find(intake.read_answers(path), ["add"]) == (answer,)
    notebook.cells.append(nbformat.v4.new_markdown_cell("x" * (40 * MEGABYTE)))
    path.write_text(nbformat.writes(notebook))
    with pytest.raises(intake.UnreadableNotebook, match="more than 32 MB without its outputs"):
        intake.read_answers(path)


# --- 5: solutions -------------------------------------------------------------------------------


def test_feedback_holds_our_solution_back_while_work_can_be_handed_in(here):
    html, told = page(here, "ada")
    assert OURS not in html
    assert "01_add can be handed in until 2098-12-10 23:59 UTC; --solutions shows them" in told
    assert OURS not in here.notebook("autograded", LESSON, "ada").read_text()
    html, told = page(here, "ada", "--solutions")
    assert OURS in html and "left out" not in told
    assert OURS not in page(here, "ada")[0]
    assert OURS not in page(here, "ben", "--solutions")[0]  # who has not passed


@pytest.mark.parametrize(
    ("plan", "shown"),
    [
        ('due = "2026-01-01"\nlate = "none"', True),
        ('due = "2026-01-01"\nlate = "10%/day, at most 3 days"', True),
        ('due = "2026-01-01"\nlate = "0%/day"', False),  # for ever
        ('due = "2026-01-01"\nlate = "0.00001 points/hour"', False),
        ('due = "2026-01-01"\nlate = "none"\nextensions = { ben = "2098-01-01" }', False),
        ('due = "2026-01-01"\nlate = "none"\nsections = { B = "2098-01-01" }', False),
        ('due = "2098-01-01"\nsolutions = "passed"', True),
        ("teams = false", False),  # not due at any time
    ],
)
def test_our_solution_is_shown_once_nobody_can_hand_in_any_more(here, plan, shown):
    (here.root / "course.toml").write_text(f"version = 1\n[lessons.{LESSON}]\n{plan}\n")
    with here.gradebook() as gradebook:
        gradebook.find_assignment(LESSON).duedate = None
        gradebook.db.commit()
    assert (OURS in page(here, "ada")[0]) is shown
    closed = shown and "passed" not in plan
    assert (OURS in page(here, "ben")[0]) is closed  # who has not passed


def test_late_days_keep_a_lesson_open(here):
    text = (
        f'version = 1\nlate_days = 40000\n[lessons.{LESSON}]\ndue = "2026-01-01"\nlate = "none"\n'
    )
    (here.root / "course.toml").write_text(text)
    assert OURS not in page(here, "ada")[0]


def test_grader_check_of_a_fetched_notebook_and_on_github_holds_it_back(here, monkeypatch):
    monkeypatch.setattr(course, "KERNELS", here.kernels)
    told = {}
    for name, *options in (("mine",), (LESSON,), ("theirs", "--github")):
        folder = here.root / "work" / name
        folder.mkdir(parents=True)
        shutil.copy(here.notebook("submitted", LESSON, "ada"), folder / f"{LESSON}.ipynb")
        path = str(folder / f"{LESSON}.ipynb")
        told[name] = grader(here, "check", path, *options).stdout
        assert "passed" in told[name]
    assert [name for name in told if OURS.lower() in told[name]] == ["mine"]


def test_a_demo_of_a_lesson_that_is_open_warns_in_one_line(here):
    warned = "The slides show our solutions, and 01_add can be handed in until 2098-12-10"
    assert warned in said(here, "demo", "--lesson", "01")[2]
    said(here, "release", LESSON, "--due", "2026-01-01", "--yes")
    assert said(here, "demo", "--lesson", "01")[2] == ""


# --- 9: grading again ---------------------------------------------------------------------------


def test_a_dry_run_lists_only_marks_that_change_and_sums_them_up(here, tmp_path):
    exercises = here.kernels / LESSON / "exercises.py"
    exercises.write_text(exercises.read_text().replace("add(128), 2)", "add(128), 3)"))
    path = tmp_path / "changes.csv"
    _, told, _ = said(here, "regrade", LESSON, "--dry-run", "--csv", str(path))
    assert "cleo" not in told and "kim add" not in told
    assert told.endswith("4 up, 0 down; largest 6 to 7 (ada) marks of 4 of 6 learners would change")
    with path.open() as file:
        rows = [tuple(row.values()) for row in csv.DictReader(file)]
    why = "points changed: 4 before, 5 now"
    assert rows == [
        ("ada", "add", "4", "5", why),
        ("ben", "add", "3", "4", why),
        ("dan", "add", "4", "5", why),
        ("ivy", "add", "4", "5", why),
    ]
    _, told, _ = said(here, "autograde", LESSON)
    assert "marks of 4 learners changed: points changed; largest 6 to 7 (ada)" in told
    assert history(page(here, "cleo")[0]) == []
    assert history(page(here, "ada")[0]) == [["add", "4", "5", why]]


# --- 10: a mark by hand -------------------------------------------------------------------------


def test_a_mark_by_hand_and_its_comment_have_a_heading_a_name_and_the_same_number(here):
    with here.gradebook() as gradebook:
        gradebook.find_grade("check-add", LESSON, LESSON, "ben").manual_score = 3.5
        gradebook.find_comment("add", LESSON, LESSON, "ben").manual_comment = "Nearly <b>there</b>."
        gradebook.find_comment("scale", LESSON, LESSON, "ben").manual_comment = "The same here."
        gradebook.db.commit()
    said(here, "autograde", LESSON)
    who = json.loads((here.root / "changes.jsonl").read_text().splitlines()[-1])["who"]
    html, _ = page(here, "ben")
    box = html.partition('id="check-add"')[2].partition("</section>")[0]
    assert f"Marked by hand by {who}: 3.5 of 4 points.</strong> The grader gave 3 points." in box
    assert f"<h3>Comment by {who}</h3>Nearly &lt;b&gt;there&lt;/b&gt;." in box
    assert box.index("Comment by") < box.index("not there yet")
    assert "3.5 of 4 points" in box.partition("not there yet")[2][:60]
    assert "· 3 of 4 points" not in box
    assert "<h3>Comment by your instructor</h3>The same here." in html


# --- 16: notes ----------------------------------------------------------------------------------


def test_a_note_is_said_once_a_submission(here, graded):
    assert "dan: My lab (final) - Kopie.ipynb counts" in graded[1][2]
    code, told, complained = said(here, "autograde", LESSON)
    assert complained == ""
    assert code == 1 and "1 unreadable (kim)" in told
    hand_in(here, "kim", add=SOLUTION, scale=SCALED)
    tear(here, "kim")
    path = here.notebook("submitted", LESSON, "kim")
    path.write_text(path.read_text() + " ")
    assert "kim: 01_add.ipynb is not a notebook" in said(here, "autograde", LESSON)[2]
