"""`grader report`: the page, the rows beside it, and which answers it calls similar."""

import csv
import json
import re
import subprocess
import sys
from html.parser import HTMLParser

import pytest
import small_class
from nbgrader.plugins import CsvExportPlugin
from small_class import LESSON, NO_GUARD, SCALED, UNGUARDED_SCALE, grader, hand_in
from small_lesson import SOLUTION, instead

from grader import course
from grader.classroom import batch, feedback, report
from grader.classroom.coursefile import CourseFile
from grader.classroom.export import ShownNames
from grader.classroom.folder import new_course
from grader.classroom.handing_out import release
from grader.classroom.report import alike

pytestmark = pytest.mark.slow

# What compiles, though it hides; and what no source may have.
HOSTILE = NO_GUARD + "\n// <script>alert(1)</script> \u200b \u2028"
REFUSED = SCALED + "\n// \x1b[2J \u202e"
LONG = """\
    float best = 0.0f;
    for (int k = 0; k < 3; ++k) {
        best = best > x[i] ? best : x[i] - k * y[i] / 2;
        if (best == y[k] || i % 7 == 3) continue;
        while (best > 1.5f) best /= 2, ++i;
    }
    total[i] = i < n ? best + x[n - i] : y[0];"""


def renamed(source):
    """`source` as somebody hides where it comes from."""
    changed = re.sub(r"\bbest\b", "largest_so_far", source).replace("\n", " // mine\n\n")
    return re.sub(r"\bk\b", "counter", changed).replace("1.5f", "1.5F")


@pytest.fixture(scope="module")
def here(tmp_path_factory, grading):
    kernels = small_class.write_lesson(tmp_path_factory.mktemp("kernels"))
    here = new_course(tmp_path_factory.mktemp("course"), kernels)
    release(here, course.lesson(LESSON, kernels))
    answers = {
        "ada": {"add": SOLUTION, "scale": SCALED},
        "ben": {"add": NO_GUARD, "scale": UNGUARDED_SCALE},
        "cem": {"add": HOSTILE, "scale": REFUSED},
        "<i>dora": {"add": instead(LONG), "scale": SCALED},
        "eve": {"add": renamed(instead(LONG)), "scale": SCALED},
        "blank": {},
    }
    for day, (learner, given) in enumerate(answers.items(), start=10):
        hand_in(here, learner, **given)
        when = here.path("submitted", LESSON, learner) / "timestamp.txt"
        when.write_text(f"2026-11-{day} 12:00:00 UTC")
    with here.gradebook() as gradebook:
        gradebook.add_student("absent")
    batch.autograde(here, LESSON, list(answers))  # not by collection, which refuses <i>dora
    with here.gradebook() as gradebook:
        gradebook.find_grade("check-add", LESSON, LESSON, "ben").manual_score = 3.5
        gradebook.find_submission_notebook(LESSON, LESSON, "ada").late_submission_penalty = 1.0
        gradebook.db.commit()
    return here


@pytest.fixture(scope="module")
def page(here):
    assert grader(here, "report", LESSON).exit_code == 0
    return (here.root / f"report/{LESSON}.html").read_text()


@pytest.fixture(scope="module")
def group(here):
    return report.read(here, course.lesson(LESSON, here.kernels), ShownNames(here, CourseFile()))


class Tags(HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.tags, self.attributes, self.ids, self.text = [], [], set(), ""
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes
        self.ids |= {value for name, value in attributes if name == "id"}

    def handle_data(self, text):
        self.text += text


def test_the_page_needs_nothing_but_itself(page):
    tags = Tags(page)
    assert {"script", "link", "img", "iframe"}.isdisjoint(tags.tags)
    assert "http:" not in page
    assert "https:" not in page
    assert "url(" not in page
    assert "@import" not in page


def test_links_lead_to_places_in_the_page_or_to_feedback(page):
    tags = Tags(page)
    for link in [value for name, value in tags.attributes if name == "href"]:
        assert link.removeprefix("#") in tags.ids or link.startswith("../feedback/")


def test_what_learners_wrote_is_text_and_nothing_is_hidden_in_it(page):
    assert "&lt;i&gt;dora" in page
    assert "<i>dora" not in page
    assert not any(unseen in page for unseen in "\x1b\u202e\u200b\u2028")


def test_the_page_says_who_failed_what_and_where(page):
    said = " ".join(Tags(page).text.split())
    assert "2 learners in add Out of bounds" in said  # ben and cem, on the same line
    assert "ben, cem" in said
    assert "> 6 | total[i] = x[i] + y[i];" in said
    assert "6 learners; 1 more handed in nothing" in said


def test_what_a_terminal_would_obey_is_marked(here, tmp_path):
    kernel = tmp_path / "add.cu"
    kernel.write_text(SOLUTION.replace("x[i] +", "x[i] \x1b]0;owned\x07 \u202e +"))
    said = grader(here, "check", str(kernel), "--exercise", "02_tree_reduction/max").stdout
    assert "owned" in said
    assert "\x1b]" not in said
    assert "\u202e" not in said


def test_exercises_list_each_diagnosis_with_passed_first_and_not_attempted_last(group):
    names = [status for status, _ in report.statuses(group.answers["scale"])]
    assert names == ["passed", "compile_error", "out_of_bounds", "not_attempted"]


def test_scores_have_marks_given_by_hand_and_lateness_in_them(group):
    scores = report.scores(group)
    assert scores.by_learner["ada"] == 6 - 1
    assert scores.by_learner["ben"] == 3.5 + 1
    assert sum(column.count for column in scores.columns()) == 6


def test_submissions_are_counted_over_the_days_on_which_they_came(group):
    columns = report.handed_in(group)
    assert sum(column.count for column in columns) == 6
    assert columns[0].name == "10 Nov 12:00"
    assert columns[-1].name == "15 Nov 12:00"


def test_a_copy_with_other_names_is_named_and_shown_side_by_side(page):
    said = " ".join(Tags(page).text.split())
    assert "<i>dora and eve" in said
    assert "The same text, names and layout aside." in said
    assert 'id="add-1"' in page
    assert '<span class="shared">    float largest_so_far = 0.0f; // mine</span>' in page
    assert "cheat" not in said.lower()


def test_every_learner_and_exercise_has_a_row_in_csv_and_json(here, page):
    with (here.root / f"report/{LESSON}.csv").open() as file:
        rows = {(row["learner"], row["exercise"]): row for row in csv.DictReader(file)}
    listed = json.loads((here.root / f"report/{LESSON}.json").read_text())
    assert len(rows) == len(listed) == 14
    ben = rows["ben", "add"]
    assert (ben["score"], ben["max_score"], ben["status"], ben["line"]) == (
        "3.5",
        "4.0",
        "out_of_bounds",
        "6",  # of the cell, whose first line is the magic
    )
    assert rows["ada", "scale"]["late_penalty"] == "1.0"
    assert rows["ada", "scale"]["timestamp"] == "2026-11-10T12:00:00"
    assert rows["absent", "add"]["status"] == "not_handed_in"


@pytest.mark.parametrize("name", ["rows.csv", "rows.json"])
def test_nbgrader_exports_the_same_rows(here, page, name):
    exporter = "--exporter=grader.classroom.export.WarpwiseExporter"
    command = [sys.executable, "-m", "nbgrader", "export", exporter, f"--to={name}"]
    subprocess.run(command, cwd=here.root, check=True, capture_output=True)
    ours = here.root / f"report/{LESSON}.{name.partition('.')[2]}"
    assert (here.root / name).read_text() == ours.read_text()


def test_nbgraders_own_export_has_the_same_sums(here, group):
    path = here.root / "sums.csv"
    with here.gradebook() as gradebook:
        CsvExportPlugin(config=here.config, to=str(path)).export(gradebook)
    with path.open() as file:
        sums = {row["student_id"]: float(row["score"]) for row in csv.DictReader(file)}
    assert report.scores(group).by_learner == {
        name: sums[name] for name in sums if name != "absent"
    }


def test_without_a_lesson_the_report_is_about_the_course(here):
    said = grader(here, "report")
    assert (said.exit_code, said.stderr) == (0, "")
    page = (here.root / "report/course.html").read_text()
    assert f'<a href="{LESSON}.html">' in page
    assert (here.root / "report/course.csv").is_file()


def test_a_course_without_grades_is_told_what_to_do_first(tmp_path, here):
    said = grader(new_course(tmp_path, here.kernels), "report")
    assert "Nothing is graded yet" in said.stderr
    assert said.exit_code == 2


# --- feedback: which pages are made --------------------------------------------------------------


def no_track(steps, **_):
    return steps


def test_only_pages_that_show_something_new_are_made_again(here):
    learners = ["ada", "blank"]
    feedback.write_all(here, LESSON, learners, no_track)
    assert feedback.write_all(here, LESSON, learners, no_track) == 0
    with here.gradebook() as gradebook:
        comment = gradebook.find_comment("scale", LESSON, LESSON, "ada")
        comment.manual_comment = "Look at the guard again."
        gradebook.db.commit()
    assert feedback.write_all(here, LESSON, learners, no_track) == 1
    page = here.path("feedback", LESSON, "ada") / f"{LESSON}.html"
    assert "Look at the guard again." in page.read_text()


# --- what is similar -----------------------------------------------------------------------------


def plain(source):
    return [token.plain for token in alike.tokens(source) if token.plain]


def test_names_numbers_layout_and_comments_leave_the_same_text():
    assert plain(instead(LONG)) == plain(renamed(instead(LONG)))


def test_what_cuda_calls_something_is_no_name():
    assert plain("int i = threadIdx.x;") != plain("int i = blockIdx.x;")


def test_a_shared_passage_is_found_between_others():
    passage = (
        "if (a[i] > b) { c = d * 2 + e; } else { return; } while (c > 1.5f) { c /= 2; i += 3; } "
    )
    answers = {
        "one": f"int x = 1; {passage} while (x) x--;",
        "other": f"float f[3]; for (;;) f[0]++; {passage} do {{}} while (0);",
    }
    (pair,) = alike.compare_answers(answers, []).pairs
    assert pair.tokens >= len(plain(passage)) and not pair.same


def test_the_skeleton_does_not_count():
    answers = {"one": instead(LONG), "other": renamed(instead(LONG))}
    assert alike.compare_answers(answers, [SOLUTION]).pairs
    assert not alike.compare_answers(answers, [instead(LONG)]).pairs


def test_what_many_have_does_not_count():
    answers = {f"learner {k}": instead(LONG) for k in range(20)}
    found = alike.compare_answers(answers, [])
    assert (found.same, found.pairs) == (20, ())


def test_short_answers_are_never_named():
    answers = dict.fromkeys(["one", "other"], instead("    if (i < n) total[i] = x[i] + y[i];"))
    assert not alike.compare_answers(answers, [SOLUTION]).pairs


def test_learners_with_the_same_text_make_one_pair():
    answers = dict.fromkeys(["one", "two", "three"], instead(LONG))
    (pair,) = alike.compare_answers(answers, [SOLUTION]).pairs
    assert pair.learners == (("one",), ("three", "two"))
    assert pair.same


def test_nobody_and_one_alone_are_like_no_one():
    assert alike.compare_answers({}, []).pairs == ()
    assert alike.compare_answers({"one": instead(LONG)}, []).pairs == ()
