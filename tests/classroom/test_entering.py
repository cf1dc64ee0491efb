"""Marks as `grader autograde` enters them, beside nbgrader's own autograde step, which formgrader's
button goes: the same files and the same rows."""

import nbformat
import pytest
import small_class
from nbgrader.api import Comment, Grade, SubmittedAssignment, SubmittedNotebook
from nbgrader.converters import Autograde
from small_class import LESSON, NO_GUARD, SCALED, UNGUARDED_SCALE, grader, hand_in
from small_lesson import SOLUTION

from grader.classroom import plugin, verdicts
from grader.classroom.folder import new_course

pytestmark = pytest.mark.slow

STAMP = "2026-12-01 12:00:00.000000 UTC\n"


def prose(notebook):
    """Cells of a learner's own: Markdown with HTML in it, outputs, a raw cell."""
    own = nbformat.v4.new_code_cell("print('mine')", metadata={"tags": ["x"]})
    own.outputs = [nbformat.v4.new_output("stream", text="mine\n")]
    said = nbformat.v4.new_markdown_cell("**Mine** <script>alert(1)</script> é")
    notebook.cells += [own, said, nbformat.v4.new_raw_cell("raw")]
    notebook.metadata.kernelspec = {"name": "cuda", "display_name": "Mine", "language": "c"}


CLASS = {
    "ada": (None, {"add": SOLUTION, "scale": SCALED}),
    "attacker": (small_class.attack, {"add": SOLUTION, "scale": SCALED}),
    "ben": (None, {"add": NO_GUARD, "scale": UNGUARDED_SCALE}),
    "blank": (None, {}),
    "copied": (small_class.copy, {"add": SOLUTION}),
    "copied_and_changed": (small_class.copy_changed, {"add": SOLUTION, "scale": SCALED}),
    "deleted": (small_class.delete, {"scale": SCALED}),
    "emptied": (small_class.empty, {"scale": SCALED}),
    "poet": (prose, {"add": SOLUTION, "scale": SCALED}),
}


@pytest.fixture(scope="module")
def both(tmp_path_factory, kernels, grading):
    """Two courses alike, graded by nbgrader's own step and by `grader autograde`."""
    stock = new_course(tmp_path_factory.mktemp("stock"), kernels)
    assert grader(stock, "release", LESSON).exit_code == 0
    for learner, (damage, answers) in CLASS.items():
        hand_in(stock, learner, damage, **answers)
        (stock.path("submitted", LESSON, learner) / "timestamp.txt").write_text(STAMP)
    ours = new_course(tmp_path_factory.mktemp("ours"), kernels)
    (ours.root / "secret").write_bytes((stock.root / "secret").read_bytes())
    assert grader(ours, "release", LESSON).exit_code == 0
    for learner in CLASS:
        place = ours.path("submitted", LESSON, learner)
        place.mkdir(parents=True)
        for file in stock.path("submitted", LESSON, learner).iterdir():
            (place / file.name).write_bytes(file.read_bytes())
    stock.run(Autograde, LESSON)
    assert grader(ours, "autograde", LESSON).exit_code == 1  # some notebooks are damaged
    return stock, ours


@pytest.mark.parametrize("learner", CLASS)
def test_the_graded_notebook_is_nbgrader_s_to_the_byte(both, learner):
    there, here = (one.path("autograded", LESSON, learner) for one in both)
    names = {path.name: path.stat().st_mode for path in there.iterdir()}
    assert names == {path.name: path.stat().st_mode for path in here.iterdir()}
    for name in names.keys() - {verdicts.FILE}:
        assert (there / name).read_bytes() == (here / name).read_bytes()
    assert verdicts.read(there) == verdicts.read(here)


def rows(course):
    """Everything that the gradebook says of who handed in what, by name."""
    found = {}
    with course.gradebook() as gradebook:
        for one in gradebook.db.query(SubmittedAssignment).all():
            found[one.student.id] = (one.timestamp, one.extension, one.score, one.max_score)
        for one in gradebook.db.query(SubmittedNotebook).all():
            late = one.late_submission_penalty
            found[one.student.id, one.name] = (one.score, one.written_score, one.code_score, late)
        for one in gradebook.db.query(Grade).all():
            scores = (one.auto_score, one.manual_score, one.extra_credit, one.needs_manual_grade)
            found[one.student.id, one.cell.name, "grade"] = scores
        for one in gradebook.db.query(Comment).all():
            found[one.student.id, one.cell.name, "comment"] = one.comment
    return found


def test_the_gradebook_has_nbgrader_s_rows(both):
    there, here = map(rows, both)
    assert there == here
    assert here["ada"][2:] == (6, 6)
    assert here["blank", "add", "comment"] == "No response."


def test_a_mark_by_hand_stays_and_waits_for_a_look_as_in_nbgrader(both):
    for course in both:
        with course.gradebook() as gradebook:
            gradebook.find_grade("check-add", LESSON, LESSON, "ben").manual_score = 1.5
            gradebook.db.commit()
    there, here = both
    there.run(Autograde, LESSON, "ben", force=True)
    grader(here, "autograde", LESSON, "--force")
    assert rows(there)["ben", "check-add", "grade"] == rows(here)["ben", "check-add", "grade"]
    assert rows(here)["ben", "check-add", "grade"] == (3, 1.5, None, True)


def test_a_style_that_stands_in_a_card_many_times_becomes_one_rule():
    cell = '<td style="color: red">{}</td>'
    (rule,), body = plugin.apart(plugin.shared(cell.format(1) + cell.format(2)))
    name = rule.partition(".")[2].partition(".")[0]
    assert rule == f".{name}.{name}.{name}{{color: red}}"
    assert body == f'<td class="{name}">1</td><td class="{name}">2</td>'
    assert plugin.shared("<td>1</td>") == "<td>1</td>"
