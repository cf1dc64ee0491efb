"""What a learner meets in a notebook: %%cuda, check, hint, predict, watch and the pictures."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from datetime import timedelta

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.pylabtools import select_figure_formats
from IPython.utils.capture import capture_output
from traitlets.config import Config

from grader import course
from grader.course import kinds, variants
from grader.learner import folder as learners_folder, progress, recall
from grader.notebook import Kernel, checking, diff, session

pytestmark = pytest.mark.slow

LESSON = course.lesson("02_tree_reduction")
SOLUTION = LESSON.solution(LESSON.exercise("interleaved"))
BARRIERS = [number for number, line in enumerate(SOLUTION.splitlines(), 1) if "__sync" in line]
SET_UP = f"""
from grader.notebook import *
import numpy as np
lesson("{LESSON.name}")
"""
ADD_ONE = """// x[i] becomes x[i] + 1
extern "C" __global__ void add_one(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += 1.0f;
}
"""
REDUCE = """
def reduce(kernel, n):
    partial = np.zeros(1, np.float32)
    x = np.arange(1, n + 1, dtype=np.float32)
    return watch(kernel, (1,), (n,), (x, partial, np.int32(n))), partial
"""


@dataclass
class Ran:
    """A cell that was run: what it showed, as plain text and as HTML, the outputs' metadata, and
    its error if any."""

    text: str
    html: str
    outputs: list
    notes: list
    error: Exception | None

    @property
    def failed(self) -> bool:
        return self.error is not None


class Notebook:
    """Cells run one by one in a real IPython shell."""

    def __init__(self, shell: InteractiveShell):
        self.shell = shell

    def run(self, cell: str) -> Ran:
        with capture_output() as seen:
            result = self.shell.run_cell(cell)
        shown = [output.data for output in seen.outputs]
        text = "\n".join(data.get("text/plain", "") for data in shown)
        html = "\n".join(data.get("text/html", "") for data in shown)
        notes = [output.metadata or {} for output in seen.outputs]
        return Ran(seen.stdout + seen.stderr + text, html, shown, notes, result.error_in_exec)

    def __getitem__(self, name: str):
        return self.shell.user_ns[name]


@pytest.fixture(scope="module")
def shell():
    yield InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
    InteractiveShell.clear_instance()


@pytest.fixture
def notebook(shell, monkeypatch):
    """A notebook in which nothing has been run yet."""
    monkeypatch.setattr(session, "_session", None)
    kept = dict(shell.user_ns)
    yield Notebook(shell)
    shell.user_ns.clear()
    shell.user_ns.update(kept)


@pytest.fixture
def opened(notebook):
    assert not notebook.run(SET_UP + REDUCE).failed
    return notebook


def without_line(source: str, number: int) -> str:
    lines = source.splitlines()
    lines[number - 1] = "//"
    return "\n".join(lines) + "\n"


# --- the set-up cell -------------------------------------------------------------------------


def test_the_set_up_cell_says_which_device_kernels_run_on(notebook):
    shown = notebook.run(SET_UP)
    assert LESSON.title in shown.text
    assert "GPU" in shown.text


def test_a_lesson_that_does_not_exist_is_one_sentence(opened):
    shown = opened.run('lesson("99_nothing")')
    assert shown.failed
    names = ", ".join(lesson.name for lesson in course.lessons())
    assert shown.text == f"There is no lesson '99_nothing'; there are: {names}."


# --- %%cuda ------------------------------------------------------------------------------------


def test_a_kernel_becomes_a_variable_that_is_called_like_a_cupy_kernel(opened):
    assert not opened.run("%%cuda adding\n" + ADD_ONE).failed
    assert opened["add_one"].source == "\n" + ADD_ONE
    opened.run("x = np.zeros(40, np.float32); add_one((2,), (32,), (x, np.int32(39)))")
    assert opened["x"].tolist() == [1] * 39 + [0]


# In either compiler's words.
UNKNOWN = re.compile(
    r"""^      \|             \^ (identifier "m" is undefined|use of undeclared identifier 'm')""",
    re.M,
)


def test_a_compile_error_stands_under_its_line_with_a_caret(opened):
    shown = opened.run("%%cuda adding\n" + ADD_ONE.replace("i < n", "i < m"))
    assert shown.failed
    assert ">   5 |     if (i < m) x[i] += 1.0f;" in shown.text
    assert UNKNOWN.search(shown.text)
    assert "Traceback" not in shown.text


def test_a_tab_does_not_move_the_caret(opened):
    shown = opened.run("%%cuda adding\n" + ADD_ONE.replace("    if (i < n)", "\tif (i < m)"))
    assert UNKNOWN.search(shown.text)


def test_source_text_is_escaped_in_html(opened):
    shown = opened.run('%%cuda k\nextern "C" __global__ void k() { <script>; }')
    assert "<script>" not in shown.html
    assert "&lt;script&gt;" in shown.html


@pytest.mark.parametrize("name", ["", "two words", "3d", "größe"])
def test_a_cell_without_a_usable_name_is_told_to_have_one(opened, name):
    shown = opened.run(f"%%cuda {name}\n{ADD_ONE}")
    assert shown.failed
    assert "for example `%%cuda my_kernel`" in shown.text
    assert len(shown.text.splitlines()) == 1


def test_a_kernel_without_extern_c_is_named_as_the_reason(opened):
    shown = opened.run("%%cuda adding\n" + ADD_ONE.replace('extern "C" ', ""))
    assert 'write `extern "C"` before `__global__`' in shown.text


def test_a_failing_launch_shows_a_card_and_no_traceback(opened):
    opened.run("%%cuda adding\n" + ADD_ONE.replace("if (i < n) ", ""))
    shown = opened.run("add_one((1,), (32,), (np.zeros(31, np.float32), np.int32(31)))")
    assert shown.failed
    assert "Out of bounds" in shown.text
    assert ">   5 |     x[i] += 1.0f;" in shown.text
    assert "Traceback" not in shown.text


def test_what_a_real_gpu_reports_sends_the_learner_to_watch():
    runtime = pytest.importorskip("cupy.cuda.runtime", reason="NO CUPY HERE: it was not tried")

    from grader.notebook import cards

    shown = cards.crash(runtime.CUDARuntimeError(700))
    assert shown.text.startswith("cudaErrorIllegalAddress")
    assert "`watch`" in shown.text


# --- check and hint ----------------------------------------------------------------------------


def test_the_solution_passes_and_shows_its_counters_beside_the_budget(opened):
    opened.run("%%cuda interleaved\n" + SOLUTION)
    shown = opened.run('check("interleaved")')
    assert not shown.failed
    assert "interleaved: passed" in shown.text
    last = shown.text.rpartition("interleaved: passed")[2]  # what was looked for comes later
    assert last.count("✓ passed") == 1 + sum(
        case.visible for case in LESSON.exercise("interleaved").cases
    )
    assert "✓ Proved for every size" in last
    assert re.search(r"shared_load_wavefronts: \d+ of \d+ .*allowed, ours \d+", shown.text)
    assert re.search(r"longest_path: ([\d,]+) of .* allowed, ours \1\n", shown.text)
    assert "hidden cases, 3 points" in shown.text


def test_our_solution_is_held_back_in_a_folder_that_the_exchange_made(
    opened, tmp_path, monkeypatch
):
    opened.run("%%cuda interleaved\n" + SOLUTION)
    for folder, shown in (("mine", True), (LESSON.name, False)):
        (tmp_path / folder).mkdir()
        monkeypatch.chdir(tmp_path / folder)
        told = opened.run('check("interleaved")').text
        assert "interleaved: passed" in told and ("Compare with ours" in told) is shown


def test_hidden_cases_are_told_by_their_kind_alone(opened):
    only_256 = SOLUTION.replace("blockDim.x / 2; stride", "128; stride")
    assert only_256 != SOLUTION
    opened.run("%%cuda interleaved\n" + only_256)
    assert "interleaved: passed" in opened.run('check("interleaved")').text
    shown = opened.run('check("interleaved", hidden=True)').text
    assert "of 32 to 256 threads (hidden)" in shown
    assert "A hidden case failed" in shown
    assert "line" not in shown.split("A hidden case failed")[1].split("\n")[0]
    hints = [opened.run('hint("interleaved")').text for _ in range(3)]
    (example,) = [one for one in hints if "An example of such a case" in one]
    assert "line 19: thread 0 of block 0 reads `tile[128]`" in example


def test_a_missing_barrier_is_shown_under_the_line_that_races(opened):
    opened.run("%%cuda interleaved\n" + without_line(SOLUTION, BARRIERS[-1]))
    shown = opened.run('check("interleaved")')
    assert not shown.failed
    assert "✗ data race" in shown.text
    assert re.search(r"^> +\d+ \| +tile\[thread\] \+=", shown.text, re.MULTILINE)
    assert '`hint("interleaved")`' in shown.text


def test_a_wrong_sum_shows_what_was_expected_and_found(opened):
    opened.run("%%cuda interleaved\n" + SOLUTION.replace("= tile[0]", "= tile[0] + blockIdx.x"))
    shown = opened.run('check("interleaved")')
    assert "✗ wrong answer" in shown.text
    told = r"partial\[1\] (should be| +expected) [\d.]+ (and is| +found) [\d.]+"
    assert re.search(told, shown.text)


def test_a_cell_that_does_not_compile_is_checked_as_such(opened):
    opened.run("%%cuda interleaved\n" + SOLUTION)
    opened.run("%%cuda interleaved\n" + SOLUTION.replace("threadIdx.x", "threadIdx.w"))
    assert "Does not compile" in opened.run('check("interleaved")').text


def test_after_a_failed_compilation_no_old_kernel_runs(opened):
    opened.run(f"%%cuda one\n{ADD_ONE}")
    opened.run(f"%%cuda one\n{ADD_ONE.replace('1.0f;', '2.0f')}")
    opened.run("x = np.zeros(4, np.float32)")
    for launch in (
        "add_one((1,), (4,), (x, np.int32(4)))",
        "watch(add_one, (1,), (4,), (x, np.int32(4)))",
    ):
        shown = opened.run(launch)
        assert "Does not compile" in shown.text
        assert not opened["x"].any()


def test_a_kernel_that_its_cell_no_longer_defines_does_not_run(opened):
    opened.run(f"%%cuda one\n{ADD_ONE}")
    opened.run(f"%%cuda one\n{ADD_ONE.replace('add_one', 'add_two')}")
    shown = opened.run("add_one((1,), (4,), (np.zeros(4, np.float32), np.int32(4)))")
    assert "add_two" in shown.text
    assert shown.failed


def test_points_and_cases_are_shown_before_the_cause_is_looked_for(opened):
    """The card is shown once and then changed: its cause comes last, its points do not change."""
    wrong = SOLUTION.replace("tile[thread] += tile", "tile[thread] = tile")
    assert wrong != SOLUTION
    opened.run("%%cuda interleaved\n" + wrong)
    first, *_, last = (one["text/plain"] for one in opened.run('check("interleaved")').outputs)
    assert first.splitlines()[0] == last.splitlines()[0]
    assert "Now looking for the cause" in first and "Now looking" not in last
    assert "gives `tile[thread]` a new value" in last and "a new value" not in first


def test_what_a_kernel_prints_shows_in_check(opened):
    for source in (SOLUTION, without_line(SOLUTION, BARRIERS[-1])):
        talking = source.replace(
            "const int thread", 'printf("I am %d\\n", threadIdx.x);\n const int thread'
        )
        opened.run(f"%%cuda interleaved\n{talking}")
        shown = opened.run('check("interleaved")')
        assert "I am 7\n" in shown.text


def test_a_failing_check_can_be_stepped_through_from_the_hazard(opened):
    opened.run(f"%%cuda interleaved\n{without_line(SOLUTION, BARRIERS[-1])}")
    shown = opened.run('check("interleaved")')
    assert "Step through it" in shown.text
    assert shown.html.count("<iframe") == 1
    assert "✗ Data race" in shown.text.partition("Step through it")[2]


def test_an_untouched_exercise_is_not_called_wrong(opened):
    blank = re.sub(r"// BEGIN SOLUTION.*// END SOLUTION", "// YOUR CODE HERE", SOLUTION, flags=re.S)
    opened.run("%%cuda interleaved\n" + blank)
    shown = opened.run('check("interleaved")')
    assert "still as it was handed out" in shown.text
    assert "✗" not in shown.text


def test_a_cell_that_is_called_otherwise_than_its_exercise_is_said_not_to_be_judged(opened):
    shown = opened.run(f"%%cuda interleavd\n{SOLUTION}")
    assert 'but `check("interleaved")` does not see it' in shown.text
    assert "not see it" not in opened.run(f"%%cuda interleaved\n{SOLUTION}").text


def test_checking_a_cell_that_was_not_run_says_which_to_run(opened):
    shown = opened.run('check("dot")')
    assert shown.failed
    assert shown.text.startswith("Run the cell that begins with `%%cuda dot` first")
    assert 'href="#run=dot"' in shown.html


@pytest.mark.parametrize("ask", ["check", "hint"])
def test_an_unknown_exercise_names_those_there_are(opened, ask):
    shown = opened.run(f'{ask}("interleafed")')
    assert shown.failed
    assert all(f"`{exercise.name}`" in shown.text for exercise in LESSON.exercises)


def test_each_hint_is_the_next_one_until_the_last(opened):
    hints = LESSON.exercise("interleaved").hints
    for number in [*range(1, len(hints) + 1), len(hints)]:
        shown = opened.run('hint("interleaved")').text
        shown, _, more = shown.partition(" If this does not help, ")
        assert shown == f"Hint {number} of {len(hints)}: {hints[number - 1]}"
        assert ('`from grader.notebook import puzzle; puzzle("interleaved")`' in more) == (
            number == len(hints)
        )


def test_a_hint_knows_what_the_check_ended_in_and_says_it_once(opened):
    exercise = LESSON.exercise("interleaved")
    opened.run("%%cuda interleaved\n" + without_line(SOLUTION, BARRIERS[-1]))
    opened.run('check("interleaved")')
    asked, remedy, change, first, second = (
        opened.run('hint("interleaved")').text for _ in range(5)
    )
    assert asked.startswith("A question first: Which of the two threads comes first?")
    assert remedy.startswith("What to look at next: Put a `__syncthreads()` ")
    assert "One small change: It is enough to add one line after line" in change
    assert first == f"A hint for: data race: {exercise.hints_on['data_race']}"
    assert second == f"Hint 1 of {len(exercise.hints)}: {exercise.hints[0]}"


def test_a_check_keeps_the_remedy_for_a_hint(opened):
    opened.run("%%cuda interleaved\n" + without_line(SOLUTION, BARRIERS[-1]))
    checked = opened.run('check("interleaved")')
    opened.run('hint("interleaved")')  # a question
    remedy = opened.run('hint("interleaved")').text.removeprefix("What to look at next: ")
    assert remedy not in checked.text and "Put a" not in checked.html
    assert "Either thread may come first." in checked.text
    assert "No barrier is between these accesses." in checked.html


def test_a_cell_that_is_launched_is_told_the_remedy_at_once(opened):
    opened.run("%%cuda interleaved\n" + without_line(SOLUTION, BARRIERS[-1]))
    opened.run("x, partial = np.ones(256, np.float32), np.zeros(1, np.float32)")
    shown = opened.run("watch(interleaved, (1,), (256,), (x, partial, np.int32(256)))")
    assert "Put a `__syncthreads()` " in shown.text


def test_what_our_kernel_does_is_a_hint_of_its_own(opened):
    solution = LESSON.solution(LESSON.exercise("max"))
    opened.run("%%cuda max\n" + solution.replace("fmaxf(", "fminf("))
    checked = opened.run('check("max")')
    _, remedy, _, ours = (opened.run('hint("max")').text for _ in range(4))
    assert re.fullmatch(
        r"What to look at next: (Which step chooses|Should line \d+ choose) x\[\d+\].*", remedy
    )
    assert ours.startswith("What our kernel does: Our kernel takes the larger of ")
    assert ours.removeprefix("What our kernel does: ") not in checked.text


def test_the_reason_is_behind_a_fold(opened):
    opened.run("%%cuda interleaved\n" + without_line(SOLUTION, BARRIERS[-1]))
    html = opened.run('check("interleaved")').html
    fold = re.search(r"<details[^>]*><summary>[^/]*Why.*?</details>", html, re.S)
    assert fold and "Either thread may come first." in fold[0]
    assert "Either thread may come first." not in html.replace(fold[0], "").partition("<iframe")[0]


def test_the_button_of_a_card_adds_the_hint_to_it(opened):
    opened.run("%%cuda interleaved\n" + without_line(SOLUTION, BARRIERS[-1]))
    assert 'href="#hint=interleaved"' in opened.run('check("interleaved")').html
    opened.run("from grader.notebook import checking")
    shown = opened.run('checking.hint_on_card("interleaved")')
    assert "#predict=" in shown.html and "Which of the two threads comes first?" in shown.text
    (key,) = (key for key, one in checking._asked.items() if one.card == "interleaved")
    first, *_, right = checking._asked[key].prediction.choices
    for number, said in ((0, f"It is not “{first}”."), (1, f"✓ {right}")):
        shown = opened.run(f'checking.answer("{key}", {number})')
        assert said in shown.text
    shown = opened.run('checking.hint_on_card("interleaved")')
    order = ("Data race", "✓ Right.", "What to look at next", "Step through it")
    assert [shown.text.index(one) for one in order] == sorted(map(shown.text.index, order))
    for _ in range(10):
        shown = opened.run('checking.hint_on_card("interleaved")')
    assert shown.text.count("One small change: It is enough to add one line after line") == 1
    assert shown.text.count("Hint 4 of 4") == 1
    assert shown.text.count("A worked step, 1 of 1: In our kernel, this line comes after `") == 1


def test_the_hints_of_every_exercise_come_to_their_end_whatever_was_written(notebook):
    for one in course.lessons():
        assert not notebook.run(f'from grader.notebook import *; lesson("{one.name}")').failed
        for exercise in one.exercises:
            if isinstance(exercise.kind, kinds.Write):
                notebook.run(f'%%cuda {exercise.name}\nextern "C" __global__ void other() {{}}')
                shown = notebook.run(f'for _ in range(40): hint("{exercise.name}")')
                assert shown.error is None and shown.text, exercise.id


def test_a_hint_knows_what_was_seen_of_the_making_of_a_wrong_element(opened):
    exercise = LESSON.exercise("max")
    solution = LESSON.solution(exercise)
    opened.run("%%cuda max\n" + solution.replace("x[i] : -INFINITY;", "x[i] : 0.0f;"))
    opened.run('check("max")')
    _, remedy, change, *more = (opened.run('hint("max")').text for _ in range(6))
    first, second = [one for one in more if not one.startswith("What our kernel does")][:2]
    assert "One small change: It is enough to replace `0.0f` on line" in change
    assert remedy == "What to look at next: What should a search for the largest start from?"
    assert first == f"A hint for: constant won: {exercise.hints_on['constant_won']}"
    assert second == f"A hint for: wrong answer: {exercise.hints_on['wrong_answer']}"


# --- predict -----------------------------------------------------------------------------------

QUESTION = """
predict("How many steps?", choices=["8", "16", "255"], answer="8", because="Halving.")
"""


@pytest.mark.filterwarnings("ignore:Widget.widgets is deprecated")
def test_a_question_hides_its_answer_until_a_choice_is_clicked(opened):
    from ipywidgets import Widget

    before = set(Widget.widgets)
    shown = opened.run(QUESTION)
    asked = [Widget.widgets[key] for key in set(Widget.widgets) - before]
    assert "How many steps?" in shown.text
    assert "Halving" not in repr([widget.get_state() for widget in asked]) + repr(shown.outputs)
    wrong = next(widget for widget in asked if getattr(widget, "description", "") == "16")
    with capture_output() as seen:
        wrong.click()
    (instead,) = seen.outputs
    assert instead.metadata == {"warpwise": instead.metadata["warpwise"] | {"answered": True}}
    assert "It is not “16”" in instead.data["text/plain"]
    assert "Halving" in instead.data["text/plain"]


def key_of(question):
    asked = checking._asked.items()
    (key,) = [key for key, one in asked if one.prediction.text == question]
    return key


@pytest.fixture
def own_folder(tmp_path, monkeypatch):
    """The current folder is a learner's own, in which nothing was done yet."""
    (tmp_path / progress.MARK).mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_question_that_was_answered_is_shown_with_its_answer_after_a_restart(opened, own_folder):
    opened.run(QUESTION)
    (key,) = [
        key for key, asked in checking._asked.items() if asked.prediction.text == "How many steps?"
    ]
    checking.answer(key, 1)
    checking.answer(key, 0)  # too late to count
    again = opened.run(QUESTION)
    assert "It is not “16”" in again.text
    assert all("widget" not in mime for data in again.outputs for mime in data)


def test_outside_a_learner_s_folder_nothing_is_kept(opened, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    opened.run(QUESTION)
    (key,) = [
        key for key, asked in checking._asked.items() if asked.prediction.text == "How many steps?"
    ]
    checking.answer(key, 0)
    assert list(tmp_path.iterdir()) == []
    assert "Halving" not in opened.run(QUESTION).text


def test_a_passed_exercise_is_remembered(opened, own_folder):
    opened.run(f"%%cuda interleaved\n{SOLUTION}")
    opened.run('check("interleaved")')
    assert progress.read(own_folder)[LESSON.name].passed == {"interleaved"}


def test_the_status_of_the_first_wrong_check_is_remembered_unless_a_right_one_came_before(
    opened, own_folder
):
    def checked(source):
        opened.run(f"%%cuda interleaved\n{source}")
        opened.run('check("interleaved")')
        return progress.read(own_folder)[LESSON.name].said

    assert checked(SOLUTION) == {}
    assert checked("int x = y;") == {}
    (own_folder / progress.FILE).unlink()
    assert checked("int x = y;") == {"interleaved": "compile_error"}


def test_the_first_cell_says_what_is_passed_and_links_to_the_lessons_beside_it(
    notebook, own_folder
):
    names = course.names()
    before, after = names[(at := names.index(LESSON.name)) - 1], names[at + 1]
    for name in (before, after):
        (own_folder / f"{name}.ipynb").touch()
    progress.passed(LESSON.name, "interleaved")
    shown = notebook.run(SET_UP)
    assert "Passed so far: ✓ `interleaved`." in shown.text
    assert f"Previous: {course.lesson(before).title}" in shown.text
    assert re.findall(r'href="([^"]+)"', shown.html) == [f"{before}.ipynb", f"{after}.ipynb"]


# --- warmup ------------------------------------------------------------------------------------


@pytest.fixture
def warm(notebook, tmp_path, monkeypatch):
    """A learner's folder in which all of the lesson was done a month ago, and a call that does a
    warm-up, with the cells that it puts below."""
    learners_folder.make(tmp_path)
    monkeypatch.chdir(tmp_path)
    now = progress.now()
    monkeypatch.setattr(progress, "now", lambda: now - timedelta(days=30))
    for exercise in LESSON.exercises:
        progress.passed(LESSON.name, exercise.name)
    monkeypatch.setattr(progress, "now", lambda: now)
    below: list[str] = []
    monkeypatch.setattr(notebook.shell, "set_next_input", below.append)
    return lambda: (notebook.run("from grader.notebook import *; warmup()"), below)


def lines_of_today(root):
    lines = (root / progress.FILE).read_text().splitlines()
    return [json.loads(line) for line in lines[len(LESSON.exercises) :]]


def test_a_warm_up_asks_a_question_again_and_a_wrong_choice_gets_a_second_try(warm, tmp_path):
    warm()
    key, asked = next(
        (key, one)
        for key, one in checking._asked.items()
        if one.prediction.title == "Predict" and one.again
    )
    choices, right = asked.prediction.choices, asked.prediction.answer
    wrong = next(number for number, choice in enumerate(choices) if choice != right)
    with capture_output() as seen:
        checking.answer(key, wrong)
    (second,) = [output.data["text/plain"] for output in seen.outputs]
    assert f"It is not “{choices[wrong]}”" in second
    assert asked.prediction.because not in second
    with capture_output() as seen:
        checking.answer(key, choices.index(right))
    assert asked.prediction.because in seen.outputs[0].data["text/plain"]
    assert [line["right"] for line in lines_of_today(tmp_path)] == [False, True]
    assert {line["predicted"] for line in lines_of_today(tmp_path)} == {asked.name}


def test_a_warm_up_asks_what_was_answered_in_the_lesson_with_other_numbers(
    warm, tmp_path, monkeypatch
):
    now = progress.now()
    monkeypatch.setattr(progress, "now", lambda: now - timedelta(days=20))
    [lesson] = [one for one in recall.handed_out(tmp_path) if one.name == LESSON.name]
    asked = [one for one in lesson.pieces if isinstance(one.task, recall.Prediction)]
    for one in asked:
        progress.predicted(LESSON.name, one.name, one.task.answer, right=True)
    monkeypatch.setattr(progress, "now", lambda: now)
    shown, _ = warm()
    again = [one.task.after(1).text for one in asked if one.task.after(1).text in shown.text]
    assert again
    assert not any(one.task.text in shown.text for one in asked)


def test_a_warm_up_puts_an_exercise_below_and_check_remembers_what_was_needed(
    notebook, warm, tmp_path
):
    shown, below = warm()
    (cell,) = below
    name = cell.partition("\n")[0].removeprefix("%%cuda ")
    assert f"In the new cell below:** `{name}`" in shown.text
    drawn = session.current().exercise(name)
    assert variants.asked(drawn) is drawn  # it comes back drawn anew, under its own name
    assert drawn.id == f"{LESSON.name}/{name}"
    assert cell == f"%%cuda {name}\n" + LESSON.handed_out(drawn).rstrip()
    notebook.run(cell)
    assert below[1:] == [f'check("{name}")']
    notebook.run(f'check("{name}")')
    assert lines_of_today(tmp_path) == []  # nothing was tried
    notebook.run(f'hint("{name}")')
    notebook.run(f"%%cuda {name}\n{drawn.solution}")
    notebook.run(f'check("{name}")')
    *hinted, checked = lines_of_today(tmp_path)
    assert len(hinted) == bool(drawn.hints)  # another bug has none
    for line in hinted:
        assert (line["lesson"], line["tried"], line["right"]) == (LESSON.name, name, None)
    assert (checked["lesson"], checked["tried"], checked["right"]) == (LESSON.name, name, True)


def test_a_warm_up_leaves_a_notebook_its_own_lesson(notebook, warm):
    notebook.run('from grader.notebook import *; lesson("00_first_kernel")')
    _, (cell,) = warm()
    assert session.current().lesson.name == "00_first_kernel"
    assert not notebook.run('%%cuda triple\nextern "C" __global__ void triple() {}').failed
    assert not notebook.run(cell).failed


def test_a_warm_up_in_its_own_lesson_leaves_the_exercise_as_it_is(notebook, warm):
    notebook.run(f'from grader.notebook import *; lesson("{LESSON.name}")')
    _, (cell,) = warm()
    name = cell.partition("\n")[0].removeprefix("%%cuda ")
    assert session.current().exercise(name) == LESSON.exercise(name)


def test_when_nothing_is_due_a_warm_up_says_so(notebook, own_folder):
    shown = notebook.run("from grader.notebook import warmup; warmup()")
    assert shown.text.startswith("Nothing is due: ")
    assert not shown.failed


def test_outside_a_learner_s_folder_a_warm_up_says_how_to_make_one(notebook, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shown = notebook.run("from grader.notebook import warmup; warmup()")
    assert shown.failed
    assert "`grader lab FOLDER` makes one" in shown.text


def test_a_question_with_other_numbers_must_have_its_answer_among_its_choices(opened):
    shown = opened.run(
        'predict("2 + 2?", ["4", "5"], "4", "A sum.", anew=[("2 + 3?", ["4", "6"], "5", "A sum.")])'
    )
    assert shown.failed
    assert "the answer '5' is not one of the choices ['4', '6']" in shown.text


# --- puzzle ------------------------------------------------------------------------------------


def test_a_puzzle_has_the_lines_of_our_kernel_among_those_of_mistakes_and_is_help(
    opened, monkeypatch, own_folder
):
    below: list[str] = []
    monkeypatch.setattr(opened.shell, "set_next_input", below.append)
    assert "In the new cell below:** `max`" in opened.run('puzzle("max")').text
    handed_out, wrong = below[0], LESSON.wrong_kernels
    (answer,) = kinds.answers(LESSON.solution(LESSON.exercise("max")))
    lines = [line.strip() for line in answer.splitlines() if line.strip()]
    given = kinds.Order().lines(handed_out)
    assert not Counter(lines) - Counter(given)
    strange = set(given) - set(lines)
    sources = [one.source for one in wrong if one.exercise == "max"]
    assert 1 <= len(strange) <= 4
    assert all(any(line in source for source in sources) for line in strange)
    log = (own_folder / progress.FILE).read_text().splitlines()
    assert [(one["tried"], one["right"]) for one in map(json.loads, log)] == [("max", None)]


def test_no_other_kind_of_exercise_is_a_puzzle(opened):
    shown = opened.run('puzzle("left_waiting")')
    assert shown.failed
    assert "is no exercise of the kind *write it*" in shown.text


# --- vary --------------------------------------------------------------------------------------


def test_vary_puts_an_exercise_drawn_anew_below_and_check_judges_that(opened, monkeypatch):
    below: list[str] = []
    monkeypatch.setattr(opened.shell, "set_next_input", below.append)
    variant = variants.vary(LESSON.exercise("max"), 3)
    shown = opened.run('vary("max", 3)')
    assert "In the new cell below:** `max_4`" in shown.text
    assert below[0] == f"%%cuda max_4\n{LESSON.handed_out(variant)}".rstrip()
    opened.run(f"%%cuda max_4\n{variant.solution}")
    assert "max_4: passed" in opened.run('check("max_4")').text
    opened.run(f"%%cuda max_4\n{LESSON.solution(LESSON.exercise('max'))}")
    assert "max_4: passed" not in opened.run('check("max_4")').text


def test_vary_says_of_what_there_is_no_variant(opened, monkeypatch):
    monkeypatch.setattr(variants, "variants", lambda *_: ())  # of another course, for example
    shown = opened.run('vary("ticket")')
    assert shown.failed
    assert "There are no variants of 02_tree_reduction/ticket." in shown.text


# --- what the editor is told --------------------------------------------------------------------


def told(ran: Ran) -> list[dict]:
    return [note["warpwise"] for note in ran.notes if note.get("warpwise")]


def test_a_compile_error_is_told_to_the_editor_with_its_column(opened):
    shown = opened.run("%%cuda adding\n" + ADD_ONE.replace("i < n", "i < m"))
    (note,) = told(shown)
    (mark,) = note["marks"]
    assert (note["cell"], mark["line"], mark["column"]) == ("adding", 5, 12)
    assert re.search("undefined|undeclared", mark["message"])  # NVRTC's word, clang's
    assert 'href="#cuda=adding:5"' in shown.html


def test_both_lines_of_a_race_are_told_to_the_editor(opened):
    opened.run("%%cuda interleaved\n" + without_line(SOLUTION, BARRIERS[-1]))
    notes = told(opened.run("run, partial = reduce(interleaved, 64)"))
    lines = [mark["line"] for note in notes for mark in note.get("marks", [])]
    race = opened["run"].hazards[0]
    assert lines == list(dict.fromkeys([race.line, race.other_line]))


def test_what_each_line_of_a_launch_cost_is_told_to_the_editor(opened):
    opened.run("%%cuda interleaved\n" + SOLUTION)
    (note,) = told(opened.run("run, partial = reduce(interleaved, 64)"))
    assert sum(note["counters"]["barriers"].values()) == opened["run"].counters.total["barriers"]


def test_a_verdict_tells_the_editor_whether_the_exercise_is_passed(opened):
    opened.run("%%cuda interleaved\n" + SOLUTION)
    (note,) = told(opened.run('check("interleaved")'))
    assert note["passed"]
    assert note["marks"] == []


# --- nothing lies -------------------------------------------------------------------------------


def test_a_check_that_is_not_passed_fails_its_cell_when_nbgrader_validates(opened, monkeypatch):
    monkeypatch.setenv("NBGRADER_EXECUTION", "validate")
    opened.run("%%cuda interleaved\n" + without_line(SOLUTION, BARRIERS[-1]))
    assert opened.run('check("interleaved")').failed
    opened.run("%%cuda interleaved\n" + SOLUTION)
    assert not opened.run('check("interleaved")').failed


# --- watch -------------------------------------------------------------------------------------


def test_watch_returns_the_run_and_changes_arrays_in_place(opened):
    opened.run("%%cuda interleaved\n" + SOLUTION)
    assert not opened.run("run, partial = reduce(interleaved, 16)").failed
    assert opened["partial"].tolist() == [136]
    assert opened["run"].counters.total["barriers"] == 5


def test_watch_shows_a_race_and_goes_on(opened):
    opened.run("%%cuda interleaved\n" + without_line(SOLUTION, BARRIERS[-1]))
    shown = opened.run("run, partial = reduce(interleaved, 64); after = 1")
    assert not shown.failed
    assert opened["after"] == 1
    assert "Data race" in shown.text
    assert re.search(r"^> +\d+ \| +tile\[thread\] \+=", shown.text, re.MULTILINE)
    assert opened["run"].hazards


def test_watch_shows_what_is_harmless_but_doubtful_too(opened):
    opened.run("""%%cuda same
extern "C" __global__ void same(float* out, float value) {
    __shared__ float cell;
    cell = value;
    __syncthreads();
    out[threadIdx.x] = cell;
}
""")
    shown = opened.run("run = watch(same, (1,), (32,), (np.zeros(32, np.float32), np.float32(2)))")
    assert not shown.failed
    assert shown.text.startswith("Worth a look")
    assert ">   4 |     cell = value;" in shown.text


def test_watch_shows_what_the_kernel_printed(opened):
    opened.run('%%cuda hello\nextern "C" __global__ void hello() { printf("I am %d\\n", 7); }')
    assert "I am 7\n" in opened.run("run = watch(hello, (1,), (1,), ())").text
    assert "I am 7\n" in opened.run("hello((1,), (1,), ())").text


def test_a_launch_gets_more_shared_memory_than_the_default_if_it_asks(opened):
    opened.run("%%cuda adding\n" + ADD_ONE)
    args = "(1,), (8,), (np.zeros(8, np.float32), np.int32(8)), shared_mem="
    assert not opened.run(f"watch(add_one, {args}100_000)").failed
    assert "up to 232,448" in opened.run(f"watch(add_one, {args}300_000)").text


def test_watching_something_else_than_a_kernel_is_one_sentence(opened):
    shown = opened.run("watch(print, (1,), (1,), ())")
    assert shown.failed
    assert shown.text.startswith("`watch` starts with a kernel")


# --- pictures ----------------------------------------------------------------------------------


def picture(ran: Ran):
    """The one picture a cell showed, as its words; it must be a PNG as well."""
    (data,) = (data for data in ran.outputs if "image/png" in data)
    assert data["image/png"].startswith(b"\x89PNG")
    return data["text/plain"]


@pytest.mark.parametrize("threads", [8, 32, 256])
def test_the_tree_halves_from_barrier_to_barrier(opened, threads):
    opened.run("%%cuda interleaved\n" + SOLUTION)
    words = picture(
        opened.run(f"run, partial = reduce(interleaved, {threads}); display(draw.tree(run))")
    )
    written = [int(count) for count in re.findall(r"wrote (\d+) cell", words)]
    assert written == [threads >> step for step in range(threads.bit_length())] + [0]


def test_the_trees_arrows_are_the_kernels_reads(opened):
    from grader.notebook.draw.reduction_tree import tree_of

    opened.run("%%cuda interleaved\n" + SOLUTION)
    opened.run("run, partial = reduce(interleaved, 8)")
    first_step = tree_of(opened["run"].trace.events).levels[1]
    ways = {(arrow.source, arrow.target, arrow.foreign) for arrow in first_step.arrows}
    assert ways == {(t, t, False) for t in range(4)} | {(t + 4, t, True) for t in range(4)}


def test_lanes_shows_how_many_threads_add_at_each_step(opened):
    opened.run("%%cuda interleaved\n" + SOLUTION)
    line = next(n for n, text in enumerate(SOLUTION.splitlines(), 2) if "tile[thread] +=" in text)
    words = picture(opened.run("run, partial = reduce(interleaved, 128); display(draw.lanes(run))"))
    adding = re.findall(rf"line {line}: (\d+) threads?, (\d+) warp", words)
    assert adding == [("64", "2"), ("32", "1"), *((str(n), "1") for n in (16, 8, 4, 2, 1))]


def test_banks_counts_the_words_that_collide(opened):
    source = """
extern "C" __global__ void stride(float* out, int step) {
    __shared__ float tile[32 * 8];
    tile[threadIdx.x * step] = 1.0f;
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x * step];
}
"""
    opened.run("%%cuda stride" + source)
    opened.run(
        "run = watch(stride, (1,), (32,), (np.zeros(32, np.float32), np.int32(8)))",
    )
    words = picture(opened.run("display(draw.banks(run))"))
    assert re.findall(r"(load|store), warp 0: (\d+) wavefronts", words) == [
        ("store", "8"),
        ("load", "8"),
    ]
    total = opened["run"].counters.total
    assert total["shared_store_wavefronts"] == total["shared_load_wavefronts"] == 8


def test_compare_gives_each_counter_of_each_run(opened):
    opened.run("%%cuda interleaved\n" + SOLUTION)
    opened.run("a, _ = reduce(interleaved, 8); b, _ = reduce(interleaved, 64)")
    words = picture(
        opened.run('display(draw.compare({"small": a, "large": b}, counters=["barriers"]))')
    )
    assert "small 4, large 14" in words


def test_comparing_an_unknown_counter_names_those_there_are(opened):
    shown = opened.run('draw.compare({}, counters=["speed"])')
    assert shown.failed
    assert "There is no counter `speed`" in shown.text
    assert "shared_load_wavefronts" in shown.text


def test_a_picture_of_a_run_without_shared_memory_says_so(opened):
    opened.run("%%cuda adding\n" + ADD_ONE)
    opened.run("run = watch(add_one, (1,), (8,), (np.zeros(8, np.float32), np.int32(8)))")
    assert "wrote nothing to shared memory" in picture(opened.run("display(draw.tree(run))"))
    assert "never touched" in picture(opened.run("display(draw.banks(run))"))


def test_a_picture_stays_sharp_where_pyplot_prints_figures_its_own_way(opened, shell):
    opened.run("%%cuda adding\n" + ADD_ONE)
    opened.run("run = watch(add_one, (1,), (8,), (np.zeros(8, np.float32), np.int32(8)))")
    select_figure_formats(shell, {"png"})  # what `import matplotlib.pyplot` does in a notebook
    try:
        ran = opened.run("display(draw.owners(run, 0))")
    finally:
        select_figure_formats(shell, set())
    assert "elements 0 to 7: block 0 threads 0 to 7" in picture(ran)
    width = int.from_bytes(ran.outputs[0]["image/png"][16:20])
    assert width == 2 * 960


# --- the same, as nbclient runs a notebook ---------------------------------------------------


def test_diff_shows_what_was_changed_from_one_kernel_to_the_next():
    before = Kernel("add_one", ADD_ONE)
    after = Kernel(
        "add_one", ADD_ONE.replace("// x", "// y").replace("x[i] += 1.0f", "x[i] += n<1")
    )
    shown = diff(before, after)
    assert shown.text.splitlines() == [
        "-     if (i < n) x[i] += 1.0f;",
        "+     if (i < n) x[i] += n<1;",
    ]
    assert "n&lt;1" in shown.html
    assert diff(before, before).text.strip() == "no line differs"


def test_nbclient_sees_a_failing_cell_and_its_card():
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError
    from nbformat import v4

    broken = "%%cuda adding\n" + ADD_ONE.replace("i < n", "i < m")
    cells = [SET_UP, QUESTION, "%%cuda adding\n" + ADD_ONE, broken, "print('not reached')"]
    notebook = v4.new_notebook(cells=[v4.new_code_cell(cell) for cell in cells])
    with pytest.raises(CellExecutionError, match=r"""identifier ("m" is undefined|'m')"""):
        NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
    _, question, compiled, failed, rest = (cell.outputs for cell in notebook.cells)
    assert "application/vnd.jupyter.widget-view+json" in question[0].data
    assert "Compiled" in compiled[0].data["text/plain"]
    assert [output.output_type for output in failed] == ["display_data"]
    assert {"text/html", "text/plain"} <= set(failed[0].data)
    assert not rest


# --- play, profile, compare, ptx --------------------------------------------------------------


def test_a_watched_run_a_launch_and_an_exercise_can_be_played(opened):
    opened.run(f"%%cuda one\n{ADD_ONE}")
    opened.run(f"%%cuda interleaved\n{SOLUTION}")
    opened.run("x = np.zeros(4, np.float32)")
    opened.run("run = watch(add_one, (1,), (4,), (x, np.int32(4)))")
    for cell in ("play(run)", "play(add_one, (1,), (4,), (x, np.int32(4)))", 'play("interleaved")'):
        shown = opened.run(cell)
        assert shown.html.count("<iframe") == 1, cell
        assert "steps of block 0" in shown.text
    assert opened["x"].tolist() == [1.0] * 4  # play() works on copies


@pytest.mark.parametrize(
    "cell", ["play(print)", "play(3)", "profile(3)", "compare(1, 2)", "ptx(4)"]
)
def test_what_cannot_be_shown_is_one_sentence(opened, cell):
    shown = opened.run(cell)
    assert shown.failed
    assert len(shown.text.splitlines()) == 1


def test_a_profile_names_the_line_that_wastes_most(opened):
    strided = ADD_ONE.replace("x[i] += 1.0f", "x[8 * i] += 1.0f")
    opened.run(f"%%cuda one\n{strided}")
    arguments = "(1,), (32,), (np.zeros(256, np.float32), np.int32(32))"
    shown = opened.run(f"profile(add_one, {arguments})")
    line = 2 + strided.splitlines().index("    if (i < n) x[8 * i] += 1.0f;")
    assert f"Line {line} wastes 56 of the 64 global-memory sectors" in shown.text
    assert "occupancy" in shown.text
    assert "64 \u00d78.0" in shown.html


def test_two_kernels_are_compared_counter_by_counter(opened):
    opened.run(f"%%cuda one\n{ADD_ONE}")
    opened.run(f"%%cuda two\n{ADD_ONE.replace('add_one', 'add_far').replace('x[i]', 'x[8 * i]')}")
    arguments = "(1,), (32,), (np.zeros(256, np.float32), np.int32(32))"
    shown = opened.run(f"compare(add_one, add_far, {arguments})")
    (row,) = (row for row in shown.text.splitlines() if "global_load_sectors" in row[:25])
    assert row.split()[1:] == ["4", "32", "8.00", "times"]


def test_every_instruction_stands_beside_the_line_that_it_stems_from(opened):
    opened.run(f"%%cuda one\n{ADD_ONE}")
    shown = opened.run("ptx(add_one)")
    stored = 2 + ADD_ONE.splitlines().index("    if (i < n) x[i] += 1.0f;")
    part = shown.text.partition(f"{stored} | if (i < n)")[2].partition("| }")[0]
    assert re.search("ld.global.[fb]32", part)
    assert re.search("st.global.[fb]32", part)


HALVES = """#include <cuda_fp16.h>
extern "C" __global__ void halves(const float* x, __half* y) {
    y[threadIdx.x] = __float2half(x[threadIdx.x]) + __float2half(1.0f);
}
"""  # which NVIDIA's headers write as assembly, in braces of its own


@pytest.mark.parametrize(
    "source",
    [HALVES, *(path.read_text() for path in sorted(LESSON.path.glob("*.cu")))],
    ids=["halves", *(path.stem for path in sorted(LESSON.path.glob("*.cu")))],
)
def test_ptx_has_as_many_statements_as_the_machine_has_instructions(source):
    from grader.cuda import simulator
    from grader.notebook.profiling import statements

    for name, function in simulator.RawModule(code=source).program.functions.items():
        if function.entry:
            assert len(statements(Kernel(name, source))) == len(function.instructions)
