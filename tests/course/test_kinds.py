"""Each kind of exercise hands out what it should, wants what it says, and is told as what it is."""

import pytest
import small_lesson
from rich.console import Console

from grader import compilers
from grader.cli import terminal
from grader.course import Break, Bug, Cheaper, Order, Place, Write, catalogue, lesson
from grader.course.weave import weave
from grader.errors import AuthorError
from grader.judge import judge, steps
from grader.judge.verdict import Verdict
from grader.notebook import verdict_card

ID = small_lesson.ID

RACE = """\
// BEGIN and END of what is the learner's are below; x and y have 64 elements.
extern "C" __global__ void add(const float* x, const float* y, float* total, int n) {
    __shared__ float tile[64];
    const int i = threadIdx.x;
    tile[i] = x[i] + y[i];
    // BEGIN SOLUTION
    // END SOLUTION
    total[i] = tile[63 - i];
}
"""
RACE_CASES = """
from grader.course import Break, Hazard

def reversed_sum(rng):
    x, y = rng.integers(1, 9, (2, 64)).astype(np.float32)
    total = Expected((x + y)[::-1].astype(np.float64), np.float32)
    launch = Launch("add", 1, 64, ("x", "y", "total", np.int32(64)))
    return Problem({"x": x, "y": y}, {"total": total}, (launch,))

between = Hazard("data_race", ("tile[i] =", "total[i] ="))
exercise = Exercise(
    name="add", title="Race", source="1_add.cu", kind=Break(given="    __syncthreads();\\n"),
    cases=(Case("races", reversed_sum, 1, hazard=between),),
)
"""


def course_of(folder, solution, kind, cases=small_lesson.EXERCISES):
    """A course of the small lesson with another solution and kind."""
    root = small_lesson.write(folder)
    (root / "01_add/1_add.cu").write_text(solution)
    text = cases.replace('    source="1_add.cu",', f'    source="1_add.cu", kind={kind},')
    text = text.replace("import Budget,", "import Break, Bug, Cheaper, Order, Place, Budget,")
    (root / "01_add/exercises.py").write_text(text)
    (root / "01_add/lesson.md").write_text("# Adding\n\n```{exercise} add\n```\n")
    return root


def handed_out(root):
    found = lesson("01_add", root)
    return found.handed_out(found.exercises[0])


@pytest.fixture
def race(tmp_path):
    root = small_lesson.write(tmp_path)
    (root / "01_add/1_add.cu").write_text(RACE)
    (root / "01_add/exercises.py").write_text(
        small_lesson.EXERCISES.split("sectors =")[0] + RACE_CASES
    )
    (root / "01_add/lesson.md").write_text("# Adding\n\n```{exercise} add\n```\n")
    return root


def test_write_hands_out_a_comment_in_place_of_the_answer():
    lines = Write().handed_out(small_lesson.SOLUTION).splitlines()
    assert lines == [*small_lesson.SOLUTION.splitlines()[:3], "    // YOUR CODE HERE", "}"]


def test_order_hands_out_all_lines_and_the_distractors_in_a_comment_in_another_order():
    given = Order(("if (i > n)",)).handed_out(small_lesson.SOLUTION)
    lines = [line.strip().removeprefix("//").strip() for line in given.splitlines()[3:-2]]
    assert sorted(lines) == sorted(["if (i < n) {", "total[i] = x[i] + y[i];", "}", "if (i > n)"])
    assert [line for line in lines if "> n" not in line] != [
        "if (i < n) {",
        "total[i] = x[i] + y[i];",
        "}",
    ]


def test_place_leaves_no_trace_of_what_is_missing():
    assert Place().handed_out(RACE.replace("// END S", "__syncthreads();\n    // END S")) == (
        RACE.replace("    // BEGIN SOLUTION\n    // END SOLUTION\n", "")
    )


@pytest.mark.parametrize("kind", [Bug, Cheaper, Break])
def test_lines_that_are_given_stand_in_place_of_the_answer(kind):
    given = kind(given="    total[i] = x[i];\n").handed_out(small_lesson.SOLUTION)
    assert "    total[i] = x[i];\n}" in given
    assert "SOLUTION" not in given


def test_what_is_handed_out_is_not_attempted_whatever_its_kind(tmp_path):
    kind = 'Bug(given="    total[i] = x[i] + y[i];\\n")'
    root = course_of(tmp_path, small_lesson.SOLUTION, kind)
    assert judge(ID, handed_out(root), root=root).status == "not_attempted"
    touched = handed_out(root).replace("x[i] + y[i]", "y[i] + x[i]")
    assert judge(ID, touched, root=root).status == "out_of_bounds"


def test_another_right_order_of_the_lines_is_right(tmp_path):
    solution = small_lesson.SOLUTION.replace(
        "    if (i < n) {\n        total[i] = x[i] + y[i];\n    }\n",
        "    if (i >= n) return;\n    const float a = x[i];\n    const float b = y[i];\n"
        "    total[i] = a + b;\n",
    )
    root = course_of(tmp_path, solution, "Order()")
    other = solution.replace("    const float a = x[i];\n    const float b = y[i];\n", "@").replace(
        "@", "    const float b = y[i];\n    const float a = x[i];\n"
    )
    assert judge(ID, other, root=root).status == "passed"


LINES = small_lesson.SOLUTION.replace(
    "    if (i < n) {\n        total[i] = x[i] + y[i];\n    }\n",
    "    if (i >= n) return;\n    const float a = x[i];\n    total[i] = a + y[i];\n",
)
ORDERED = 'Order(("if (i > n) return;",))'
KEPT = "do not count."


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("const float a = x[i];", "const float a = x[i]; // mine"), None),
        (("    const float a = x[i];\n", "const float\na=x[i] ;"), None),
        (("a + y[i]", "y[i] + a"), "line 7, `total[i] = y[i] + a;`, is none of the given lines."),
        (("float a =", "auto a ="), "line 6, `const auto a = x[i];`, is none of the given lines."),
        (
            ("    total[i]", "    if (i >= n) return;\n    total[i]"),
            "line 7, `if (i >= n) return;`, is there more often than the exercise has it.",
        ),
        (("int i = ", "long i = "), "line 3, `long i = "),
        (("    if (i >=", "#define more\n    if (i >="), "line 5, `#define more`, is none of"),
        (("    if (i >= n) return;\n", "    if (i > n - 1) return;\n"), "line 5, `if (i > n - 1)"),
    ],
)
def test_only_the_given_lines_may_be_put_in_order_and_the_changed_line_is_named(
    tmp_path, change, said
):
    root = course_of(tmp_path, LINES, ORDERED)
    source = LINES.replace(*change)
    assert source != LINES
    verdict = judge(ID, source, root=root)
    if said is None:
        assert verdict.status == "passed", verdict.message
        return
    assert (verdict.status, verdict.points) == ("over_budget", 0)
    assert said in verdict.message
    assert KEPT in verdict.message
    assert f"line {verdict.line}, " in verdict.message


PLACED = """\
extern "C" __global__ void add(const float* x, const float* y, float* total, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    // BEGIN SOLUTION
    if (i >= n) return;
    // END SOLUTION
    if (blockIdx.x > 0) {
        total[i] = x[i] + y[i];
    } else {
        total[i] = y[i] + x[i];
    }
}
"""
GUARD = "    if (i >= n) return;\n"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (((GUARD, "    // a guard\n if (i < n)\n"),), None),
        (((GUARD, "    __syncthreads();\n    if (!(i < n)) { return; }\n"),), None),
        (
            ((GUARD, ""), ("if (b", "if (i < n && b"), ("else {", "else if (i < n) {")),
            None,
        ),
        ((("x[i] + y[i]", "y[i] + x[i]"),), "line 7, `total[i] = y[i] + x[i];`, was given as"),
        ((("x[i] + y[i]", "x[i] + 0 + y[i]"),), "line 7, `total[i] = x[i] + 0 + y[i];`, was given"),
        (
            ((GUARD, "    if (i < n) total[i] = x[i] + y[i];\n    if (i < n || n) return;\n"),),
            "line 4, `if (i < n) total[i] = x[i] + y[i];`, adds `=`.",
        ),
        (((GUARD, GUARD + "    __stcg(total + i, 0.0f);\n"),), "adds `__stcg`."),
    ],
)
def test_what_was_given_must_stay_where_something_is_to_be_placed(tmp_path, changes, said):
    root = course_of(tmp_path, PLACED, "Place()")
    source = PLACED
    for change in changes:
        source = source.replace(*change)
    assert source != PLACED
    verdict = judge(ID, source, root=root)
    if said is None:
        assert verdict.status == "passed", verdict.message
        return
    assert (verdict.status, verdict.points) == ("over_budget", 0)
    assert said in verdict.message
    assert KEPT in verdict.message


def test_a_kernel_that_goes_wrong_is_told_so_whatever_was_changed(tmp_path):
    root = course_of(tmp_path, LINES, ORDERED)
    verdict = judge(ID, LINES.replace("if (i >= n)", "if (i > n + 0)"), root=root)
    assert "out_of_bounds" in {case.status for case in verdict.cases}


def test_a_right_kernel_that_is_to_break_is_not_called_a_wrong_answer(race):
    found = lesson("01_add", race)
    source = RACE.replace("    // END", "    __syncthreads();\n    int more;\n    // END")
    verdict = judge(ID, source, root=race)
    console = Console(width=200, record=True)
    terminal.show_verdict(console, verdict, source)
    card = verdict_card.page(verdict, source, found.exercises[0]).text
    for text in (card, console.export_text()):
        assert "requirement not met" in text.lower()
        assert "wrong answer" not in text.lower().replace("_", " ")
        assert "ran to its end without it" in text


def test_a_race_that_is_asked_for_passes_by_the_race_and_tells_it(race):
    verdict = judge(ID, RACE, root=race)
    assert (verdict.status, verdict.kind, verdict.device) == ("passed", "break", "simulator")
    assert "`tile[" in verdict.cases[0].note
    assert Verdict.from_dict(verdict.to_dict()) == verdict


def test_a_kernel_that_does_not_break_is_told_so(race):
    fixed = RACE.replace(
        "    // END", "    __syncthreads();  // still here\n    int unused;\n    // END"
    )
    verdict = judge(ID, fixed, root=race)
    assert verdict.status == "wrong_answer"
    assert "asks for a data race (between the lines with `tile[i] =` and `total[i] =`)" in (
        verdict.message
    )


def test_a_race_on_other_lines_does_not_count(race):
    other = RACE.replace("    // END", "    tile[0] = 1.0f;\n    __syncthreads();\n    // END")
    verdict = judge(ID, other, root=race)
    assert verdict.status == "wrong_answer"
    assert "It goes wrong on other lines" in verdict.message


def test_another_hazard_than_the_one_asked_for_keeps_its_own_status(race):
    verdict = judge(ID, RACE.replace("tile[63 - i]", "tile[64 + i]"), root=race)
    assert verdict.status == "out_of_bounds"
    assert "This case asks for a data race" in verdict.message


def test_a_line_that_is_gone_cannot_race(race):
    gone = RACE.replace("total[i] = tile[63 - i];", "float t = tile[63 - i]; total[i + 0] = t;")
    assert "The line with `total[i] =` is gone" in judge(ID, gone, root=race).message


def test_a_break_exercise_whose_solution_does_not_break_is_one_sentence_with_file_and_line(race):
    (race / "01_add/1_add.cu").write_text(
        RACE.replace("    // END", "    __syncthreads();\n    int i2;\n    // END")
    )
    with pytest.raises(AuthorError) as error:
        steps.text(lesson("01_add", race), compilers.chosen_name())
    said = str(error.value)
    assert said.startswith("kernels/01_add/exercises.py, line ".replace("kernels", race.name))
    assert "1_add.cu does not break as the case 'races' asks: This case asks" in said
    assert "\n" not in said


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ('Bug(given="    if (i < n) total[i] = x[i] + y[i];\\n")', None),
        (
            'Bug(given="    if (i < n) {\\n total[i] = x[i] + y[i]; }\\n")',
            "is handed out solved: nothing is left to find the bug",
        ),
        ("Order()", None),
    ],
)
def test_an_exercise_that_hands_out_its_solution_is_an_authors_error(tmp_path, kind, said):
    root = course_of(tmp_path, small_lesson.SOLUTION, kind)
    if said is None:
        assert weave(lesson("01_add", root))
        return
    with pytest.raises(AuthorError, match=said) as error:
        weave(lesson("01_add", root))
    assert "exercises.py, line " in str(error.value)


def test_make_it_cheaper_does_not_name_the_line(tmp_path):
    kind = 'Cheaper(given="    if (i < n) total[i] = x[(i * 7) % n] * 0 + x[i] + y[i];\\n")'
    root = course_of(tmp_path, small_lesson.SOLUTION, kind)
    verdict = judge(ID, handed_out(root) + "\nusing touched = int;\n", root=root)
    assert (verdict.status, verdict.line) == ("over_budget", None)
    assert "line" not in verdict.message


def test_exercises_come_in_the_order_of_the_page_from_all_files(tmp_path):
    root = small_lesson.write(tmp_path)
    here = root / "01_add"
    text = small_lesson.EXERCISES.replace('name="add"', 'name="first"')
    (here / "exercises_short.py").write_text(text)
    (here / "lesson.md").write_text("# A\n\n```{exercise} first\n```\n\n```{exercise} add\n```\n")
    assert [one.name for one in lesson("01_add", root).exercises] == ["first", "add"]
    assert len(catalogue.files_of(here, "exercises")) == 2


def test_the_card_and_the_terminal_say_which_kind_it_is_and_what_was_seen(race):
    found = lesson("01_add", race)
    verdict = judge(ID, RACE, root=race)
    card = verdict_card.page(verdict, RACE, found.exercises[0])
    console = Console(width=200, record=True)
    terminal.show_verdict(console, verdict, RACE)
    for text in (card.text, console.export_text()):
        assert "break it" in text
        assert "It goes wrong, just as the exercise asks." in text
        assert "`tile[" in text
    blank = judge(ID, handed_out(race), root=race)
    assert "Change the kernel until it goes wrong" in (
        verdict_card.page(blank, handed_out(race), found.exercises[0]).text
    )


def test_of_a_hidden_case_no_learner_is_told_what_was_seen(race):
    file = race / "01_add/exercises.py"
    file.write_text(file.read_text().replace("hazard=between", "visible=False, hazard=between"))
    verdict = judge(ID, RACE, root=race)
    assert verdict.cases[0].note
    assert not verdict.for_learner().cases[0].note
