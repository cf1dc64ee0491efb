"""Questions: how an answer is read, what is right, and what learners get of it."""

import re
from pathlib import Path

import pytest
import small_class
import small_questions
from small_questions import KEYS, LESSON, RIGHT, WRONG

from grader import course
from grader.course import Choose, Explain, Number, catalogue
from grader.course.kinds import NO_KEY, AnswerKey
from grader.course.weave import text, weave
from grader.errors import AuthorError, LearnerError
from grader.judge import judge, steps
from grader.judge.verdict import Verdict

PAGE = (Path(__file__).parents[2] / "docs/authoring.md").read_text()
BLOCK = re.compile(r"<!-- questions: (\S+) -->\n```\w+\n(.*?)```", re.DOTALL)


@pytest.fixture
def root(tmp_path):
    return small_questions.write_lesson(tmp_path)


def verdict_of(root, name, answer, **how):
    return judge(f"{LESSON}/{name}", answer, root=root, **how)


@pytest.mark.parametrize("answer", ["4", "4.0", "4 sectors", "4sectors", "+4", "4e0", "128 bytes"])
def test_a_number_is_right_in_every_unit_and_form_that_the_question_takes(root, answer):
    verdict = verdict_of(root, "how_many", f"\n{answer}\n")
    assert (verdict.status, verdict.points, verdict.kind) == ("passed", 1, "number")
    assert verdict.cases[0].note == "32 floats have 128 bytes."
    assert Verdict.from_dict(verdict.to_dict()) == verdict


@pytest.mark.parametrize("answer", ["50 %", "50%", "0.5", ".5", "0.519", "48.1 %"])
def test_a_percentage_is_a_fraction_where_the_units_say_so_and_a_tolerance_counts(root, answer):
    assert verdict_of(root, "share", answer).points == 2


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("50", "The answer is not right."),
        ("0.53", "The answer is not right."),
        ("0,5", "`0,5` is not a number. Write it like `1024` or `0.5`, without commas."),
        ("half", "`half` is not a number. Write it like `1024` or `0.5`, without commas."),
        ("0.5\n0.6", "is not a number"),
        ("0.5 sectors", "The unit `sectors` does not fit. The question takes `%`."),
    ],
)
def test_a_wrong_unit_or_no_number_is_told(root, answer, said):
    verdict = verdict_of(root, "share", answer)
    assert (verdict.status, verdict.points) == ("wrong_answer", 0)
    assert said in verdict.message


def test_one_of_a_thing_has_the_unit_without_its_s():
    assert Number(units={"sectors": 1}).read("1 sector") == 1


def test_a_wrong_answer_is_told_in_the_authors_own_sentence(root):
    assert verdict_of(root, "how_many", "32 sectors").message == (
        "Neighbouring threads share a sector."
    )
    assert verdict_of(root, "waits", "`grid`").message == "Blocks do not wait for each other."
    assert verdict_of(root, "waits", "warp").message == "The answer is not right."


def test_an_option_that_is_not_there_and_one_too_many_are_told(root):
    said = "There is no option `wrap`. The options are: `warp`, `block`, `grid`."
    assert verdict_of(root, "waits", "wrap").message == said
    assert "has 2 options" in verdict_of(root, "waits", "block, warp").message


def test_all_options_must_be_in_the_right_order(root):
    assert verdict_of(root, "steps", "load, wait, add").status == "passed"
    assert verdict_of(root, "steps", "add\nload\nwait").status == "wrong_answer"
    assert "has 2 of 3 options" in verdict_of(root, "steps", "load\nwait").message


def test_of_several_right_options_all_are_needed_and_each_wrong_one_is_told():
    key = AnswerKey("a, c", wrong={"b": "b is slow.", "d": "d is wrong."})
    kind = Choose(options=dict.fromkeys("abcd", ""), choose="several", key=key)
    assert kind.marked(kind.read("c a"))[0] == "passed"
    assert kind.marked(kind.read("a"))[0] == "wrong_answer"
    assert kind.marked(kind.read("a b d"))[1] == "b is slow. d is wrong."


def test_a_text_is_kept_for_a_person_and_has_no_case(root):
    verdict = verdict_of(root, "why", "\nBecause it's // needed.\n")
    assert (verdict.status, verdict.points, verdict.max_points) == ("kept", 0, 3)
    assert verdict.cases == ()


@pytest.mark.parametrize("name", list(RIGHT))
def test_what_is_handed_out_and_an_empty_answer_are_not_attempted(root, name):
    given = course.lesson(LESSON, root)
    for answer in (given.handed_out(given.exercise(name)), "", "\n\n"):
        assert verdict_of(root, name, answer).status == "not_attempted"


def test_before_the_marks_only_a_lesson_that_gives_feedback_tells_whether_it_is_right(root):
    assert verdict_of(root, "how_many", "32", hidden=False).status == "wrong_answer"
    for answer in (RIGHT["waits"], WRONG["waits"]):
        verdict = verdict_of(root, "waits", answer, hidden=False)
        assert (verdict.status, verdict.cases) == ("kept", ())
        assert "Blocks" not in verdict.message
    assert "no option" in verdict_of(root, "waits", "wrap", hidden=False).message


def test_the_page_has_the_question_its_options_and_an_answer_cell(root):
    cells = weave(course.lesson(LESSON, root)).cells
    at = next(n for n, cell in enumerate(cells) if cell.source.startswith("%%answer steps"))
    question, answer, check = cells[at - 1 : at + 2]
    assert question.source.startswith("**Question**: What comes first?")
    assert "- `load`: load" in question.source
    assert (answer.source, check.source) == ("%%answer steps\nload wait add", 'check("steps")')
    assert check.metadata.nbgrader["points"] == 1
    assert "magics_language" not in answer.metadata


def test_each_learner_has_an_order_of_options_that_stays(root):
    kind = course.lesson(LESSON, root).exercise("waits").kind
    assert kind.listed("ada") == kind.listed("ada")
    orders = {kind.listed(f"learner {number}") for number in range(40)}
    assert len(orders) == 6
    assert {tuple(sorted(one.splitlines())) for one in orders} == {
        ("- `block`: those of the block", "- `grid`: all", "- `warp`: those of the warp")
    }
    assert "warp" not in kind.asked()


def test_what_is_published_has_no_right_answer_and_says_that_it_cannot_check(root, tmp_path):
    given = dict(catalogue.handed_out(course.lesson(LESSON, root)))
    assert "answers.toml" not in given and "exercises_questions.py" in given
    assert not any(b"Neighbouring threads share" in content for content in given.values())
    copy = tmp_path / "copy"
    for name, content in given.items():
        (copy / LESSON / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / LESSON / name).write_bytes(content)
    for answer in ("32", RIGHT["how_many"]):
        verdict = verdict_of(copy, "how_many", answer)
        assert (verdict.status, verdict.message) == ("kept", NO_KEY)
    assert verdict_of(copy, "how_many", "4 threads").status == "wrong_answer"


def test_no_file_of_counts_has_a_hash_of_a_right_answer(root):
    before = steps.text(course.lesson(LESSON, root), "nvrtc")
    (root / LESSON / "answers.toml").write_text(KEYS.replace("load wait add", "add load wait"))
    assert steps.text(course.lesson(LESSON, root), "nvrtc") == before
    assert "how_many" not in before and "scale" in before


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("[share]", "[shore]"), "answers.toml has no right answer to it."),
        (("50 %", "50 percent"), "cannot be read: The unit `percent` does not fit."),
        (('right = "block"', 'right = "blocks"'), "There is no option `blocks`."),
        (("grid = ", "gird = "), "There is no option `gird`."),
        (('right = "block"', "right = 3"), "Expected `str`, got `int`"),
        (("because", "becuase"), "unknown field `becuase`"),
        (('right = "block"', "right ="), "answers.toml: "),
    ],
)
def test_a_mistake_in_the_answers_is_one_sentence_for_the_author(root, change, said):
    (root / LESSON / "answers.toml").write_text(KEYS.replace(*change))
    with pytest.raises(AuthorError) as error:
        weave(course.lesson(LESSON, root))
    assert said in str(error.value) and "\n" not in str(error.value)


def test_a_mistake_in_the_answers_is_no_learners_and_told_to_none(root):
    """Also where it is made after the release."""
    for name, right in (("share", "50 percent"), ("how_many", "four"), ("waits", "blocks")):
        key = KEYS.replace(
            {"share": "50 %", "how_many": "4 sectors", "waits": "block"}[name], right
        )
        (root / LESSON / "answers.toml").write_text(key)
        with pytest.raises(AuthorError, match=f"{LESSON}/{name}: answers.toml has an answer"):
            verdict_of(root, name, RIGHT[name])


@pytest.mark.parametrize(
    "name",
    [
        *("answers.toml~", "answers.toml.bak", "answers.toml.orig", ".answers.toml.swp"),
        *("#answers.toml#", "answers (copy).toml", ".ipynb_checkpoints/answers-checkpoint.toml"),
        *(".ipynb_checkpoints/2_scale-checkpoint.cu", "2_scale.cu~", "mistakes.toml.rej"),
    ],
)
def test_what_an_editor_leaves_of_a_file_is_not_published(root, name):
    path = root / LESSON / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("right")
    assert b"right" not in dict(catalogue.handed_out(course.lesson(LESSON, root))).values()


def test_signs_that_nobody_sees_and_signs_that_look_alike_make_no_answer_wrong(root):
    for answer in (
        "\u200f4\u200b sectors\u200e",
        "\ufeff4\u00a0sectors",
        "\uff11\uff12\uff18 bytes",
    ):
        assert verdict_of(root, "how_many", answer).status == "passed"
    assert verdict_of(root, "waits", "\u202ablock\u202c").status == "passed"
    assert verdict_of(root, "share", "50\u202f\uff05").status == "passed"
    assert verdict_of(root, "why", "\u200b").status == "not_attempted"
    micro = Number(units={"\u00b5s": 1, "\u2126": 2})
    assert micro.read("3 \u03bcs") == micro.read("3 \u00b5s") == 3
    assert micro.read("\u22123 \u03a9") == -6
    with pytest.raises(LearnerError):
        micro.read("3\u00b2")  # no 32


def test_an_order_with_an_option_twice_is_none(root):
    said = verdict_of(root, "steps", "load wait add load").message
    assert said == "The answer has 4 of 3 options. Write each of them once."
    assert verdict_of(root, "steps", "load wait load").status == "wrong_answer"
    assert verdict_of(root, "waits", "block block").status == "passed"


def test_a_way_to_choose_that_is_not_there_is_one_sentence_for_the_author(root):
    asked = root / LESSON / "exercises_questions.py"
    asked.write_text(asked.read_text().replace('"order"', '"sorted"'))
    with pytest.raises(
        AuthorError, match="choose is 'sorted', and must be one of: one, several, order"
    ):
        weave(course.lesson(LESSON, root))


def test_points_below_0_are_an_authors_error(root):
    asked = root / LESSON / "exercises_questions.py"
    asked.write_text(asked.read_text().replace("points=3", "points=-3"))
    with pytest.raises(AuthorError, match="points are 0 or more"):
        course.lesson(LESSON, root)


def test_an_answer_that_is_no_answer_is_the_learners_to_fix():
    with pytest.raises(LearnerError):
        Number().read("4 sectors")
    assert Explain().read("anything") == "anything"


def test_the_solved_notebook_is_valid_and_the_same_each_time(root):
    assert text(weave(course.lesson(LESSON, root))) == text(weave(course.lesson(LESSON, root)))


def test_the_questions_of_the_page_for_authors_work_word_for_word(tmp_path):
    lesson = small_class.write_lesson(tmp_path) / LESSON
    for name, content in BLOCK.findall(PAGE):
        (lesson / name).write_text(content)
    fences = "".join(f"\n```{{exercise}} {name}\n```\n" for name in ("how_many", "waits", "why"))
    (lesson / "lesson.md").write_text(small_class.MARKDOWN + fences)
    assert weave(course.lesson(LESSON, tmp_path))
    said = "32 floats have 128 bytes, and a sector has 32 bytes."
    assert verdict_of(tmp_path, "how_many", "128 bytes").cases[0].note == said
    assert verdict_of(tmp_path, "waits", "grid").message == "Blocks do not wait for each other."
    assert verdict_of(tmp_path, "why", "So that").max_points == 3
