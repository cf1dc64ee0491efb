"""What an author gets wrong is one sentence with file and line, when the lesson is built.

The lesson is the tutorial's of docs/authoring.md; each test breaks one place of it.
"""

import re

import pytest
from test_authoring import BLOCK, PAGE, TUTORIAL

from grader import course
from grader.course import authors
from grader.course.weave import weave
from grader.errors import AuthorError
from grader.judge import steps

EXERCISES, KERNEL, MISTAKES = "exercises.py", "1_histogram.cu", "mistakes.toml"
RULE = """from grader.course import Rule

histogram = Rule(
    exercise="histogram",
    kernel="histogram",
    parameters=("unsigned char values[n]", "int bins[256]", "int n"),
    blocks=(256,),
)
clear = Rule(
    exercise="histogram", kernel="clear", parameters=("out int bins[256]",), blocks=(256,)
)
"""
STEPS = """from grader.course import WritingStep

histogram = Exercise(
    steps=(
        WritingStep("the counts", "Count.", cases=("bins",)),
        WritingStep("all", "Add."),
    ),
"""
# What is wrong, in which file, what stands there and what instead; the line it is about, by words
# of the broken file; words of the sentence.
WRONG = [
    ("a quote is missing", EXERCISES, 'name="histogram",', 'name="histogram,', 'name="', "string"),
    ("no such field", EXERCISES, "title=", "titel=", "titel=", "'title' is like it."),
    ("no such class", EXERCISES, "= Exercise(", "= Exercice(", "Exercice(", "Exercice"),
    ("no such file", EXERCISES, "1_hist", "1_hits", "1_hits", "no file 1_hitsogram.cu"),
    ("no such kernel", EXERCISES, 'Launch("hist', 'Launch("hits', "four full", "hitsogram"),
    ("no such buffer", EXERCISES, '("values", "b', '("value", "b', "four full", "passes 'value'"),
    ("another dtype", EXERCISES, "np.int32(n)", "np.float32(n)", "four full", "wants int32"),
    ("no dtype", EXERCISES, "np.int32(n)", "n", "four full", "args must be"),
    ("a reference that raises", EXERCISES, "minlength", "minlenght", "bincount", "minlenght"),
    ("a wrong reference", EXERCISES, "h=256)", "h=256) + 1", "four full", "the solution fails"),
    (
        "random by itself",
        EXERCISES,
        "rng.integers(0",
        "np.random.default_rng().integers(0",
        "four full",
        "draws other numbers each time",
    ),
    ("a tuple of one", EXERCISES, '("bins",)', '("bins")', "four full", "with a comma: (one,)"),
    ("an empty name", MISTAKES, '"no_first_barrier"', '""', "[[histogram]]", "name is empty"),
    ("no points", EXERCISES, "            points=2,\n", "", "Case(", "'points'"),
    (
        "negative points",
        EXERCISES,
        "points=2",
        "points=-2",
        "four full",
        "is worth -2: points are 0 or more",
    ),
    (
        "no function",
        EXERCISES,
        "lambda rng: counted(rng, 3",
        "(lambda rng: 1, 3",
        "",
        "problem must",
    ),
    (
        "no kind",
        EXERCISES,
        "    minutes=",
        '    kind="write",\n    minutes=',
        'name="',
        "kind must be",
    ),
    ("no such counter", EXERCISES, "_sectors", "_sector", "_sector", "there are: "),
    ("a budget nobody keeps", EXERCISES, "// 32", "// 64", "four full", "the solution fails"),
    ("no cases", EXERCISES, "    cases=(", "    cases=() and (", 'name="', "has no cases"),
    ("a case twice", EXERCISES, "a last block that is not full", "four full blocks", "four", "two"),
    ("no such status", EXERCISES, '"data_race"', '"datarace"', "datarace", "hints_on"),
    ("no number", EXERCISES, "minutes=10", 'minutes="ten"', 'name="', "minutes must be int"),
    (
        "a step of no case",
        EXERCISES,
        "histogram = Exercise(\n",
        STEPS.replace("bins", "four blocks"),
        "the counts",
        "step 'the counts': no visible case is called 'four blocks'.",
    ),
    (
        "a step of a hidden case",
        EXERCISES,
        "histogram = Exercise(\n",
        STEPS.replace("bins", "few values"),
        "the counts",
        "no visible case is called 'few values'.",
    ),
    (
        "a step of no output",
        EXERCISES,
        "histogram = Exercise(\n",
        STEPS.replace("cases", "outputs").replace("bins", "bin"),
        "",
        "step 'the counts': KeyError: 'bin'.",
    ),
    (
        "a kernel that is no C++",
        KERNEL,
        "atomicAdd(&mine",
        "atomicAd(&mine",
        "atomicAd(",
        "atomicAd",
    ),
    ("no begin", KERNEL, "    // BEGIN SOLUTION\n", "", "", "has no // BEGIN SOLUTION"),
    ("a race", KERNEL, "    __syncthreads();  // nobody c", "    // c", "atomicAdd(&m", "barrier"),
    ("no TOML", MISTAKES, '"data_race"', "data_race", "", "this is not TOML"),
    ("nothing to replace", MISTAKES, "&mine[values", "&mine[value", "plain_a", "stands nowhere"),
    ("a mistake in nothing", MISTAKES, "[[histogram]]", "[[hist]]", "[[hist]]", "no exercise"),
    ("a diagnosis of none", MISTAKES, '"out_of_bounds"', '"oob"', "no_guard", "must_get is 'oob'"),
    ("a mistake twice", MISTAKES, '"no_guard"', '"not_cleared"', "not_cleared", "two mistakes"),
    (
        "no words",
        MISTAKES,
        'mistake = "the last',
        'why = "the last',
        "no_guard",
        "nobody reads why",
    ),
    (
        "no such exercise",
        "lesson.md",
        "```{exercise} histogram",
        "```{exercise} hits",
        "```{exercise} hits",
        "no exercise",
    ),
    ("no file to show", "lesson.md", "", "\n```{kernel} 7.cu\n```\n", "7.cu", "no file 7.cu"),
    (
        "a fence twice",
        "lesson.md",
        "",
        "\n```{exercise} histogram\n```\n\nend\n",
        "",
        "may stand once",
    ),
    (
        "no fence",
        "lesson.md",
        "```{exercise} histogram",
        "```text",
        "",
        "no fence of lesson.md has",
    ),
    ("no Python", "lesson.md", "", "\n```python\nx = = 1\n```\n", "x = =", "invalid syntax"),
    ("an open fence", "lesson.md", "", "\n```python\nx = 1\n", "```python\nx", "never closed"),
    (
        "a fence open at the next",
        "lesson.md",
        "",
        "\n```python\nx = 1\n\n```python\ny = 1\n```\n",
        "```python\nx",
        "never closed",
    ),
    (
        "an exercise's open fence",
        "lesson.md",
        "histogram\n```",
        "histogram\n\n```python\nx = 1\n```",
        "```{exercise}",
        "never closed",
    ),
    (
        "an open fence of another kind",
        "lesson.md",
        "",
        "\n```text\nx = 1\n\n```python\ny = 1\n```\n",
        "```text",
        "never closed",
    ),
    ("a field of nothing", EXERCISES, "minutes=", "weeks=", "weeks=", "has no field 'weeks'."),
    ("a stray file", "2_stray.cu", "", "// nobody's\n", "", "no exercise has this kernel"),
    ("a rule for nothing", "rules.py", 'exercise="h', 'exercise="H', 'e="Hist', "no exercise"),
    ("a rule's kernel", "rules.py", 'kernel="h', 'kernel="H', 'l="Hist', "launches no kernel"),
    ("a rule's parameter", "rules.py", '"int n"', '"integer n"', 'exercise="', "is no parameter"),
    ("a rule's field", "rules.py", "blocks=", "block=", "block=", "'blocks' is like it."),
]


@pytest.fixture(scope="module")
def right(tmp_path_factory):
    """The tutorial's lesson, built, as its files by name."""
    folder = authors.write_lesson(TUTORIAL, tmp_path_factory.mktemp("kernels"))
    for what, name, text in BLOCK.findall(PAGE):
        path = folder / name
        path.write_text(text if what == "file" else text + path.read_text())
    (folder / "rules.py").write_text(RULE)
    build(folder)
    return {path.name: path.read_text() for path in folder.iterdir() if path.is_file()}


def build(folder):
    """As `grader build` does, but for nbgrader's part."""
    lesson = course.lesson(folder.name, folder.parent)
    weave(lesson)
    steps.write(lesson)
    steps.require_no_oversight(lesson)


@pytest.mark.parametrize(
    ("file", "old", "new", "line", "said"),
    [one[1:] for one in WRONG],
    ids=[one[0] for one in WRONG],
)
def test_a_mistake_of_an_author_s_is_one_sentence_with_file_and_line(
    right, tmp_path, file, old, new, line, said
):
    folder = tmp_path / "kernels" / TUTORIAL
    folder.mkdir(parents=True)
    before = right.get(file, "")
    broken = before.replace(old, new, 1) if old else before + new
    assert broken != before
    for name, text in (right | {file: broken}).items():
        (folder / name).write_text(text)
    with pytest.raises(AuthorError) as error:
        build(folder)
    told = str(error.value)
    assert said in told and "\n" not in told and told.endswith(".")
    number = re.search(rf"{re.escape(file)}(?:, |: .*?\bat )line (\d+)", told)
    where = broken[: broken.index(line)].count("\n") + 1
    assert number or not line, told
    assert not line or int(number[1]) == where, told
    assert folder.name in told
