"""Similar notebooks: who is named in classes that are made for it, and with which reasons."""

import random
import re
from collections import Counter

import made_class
import pytest
import small_class
from made_class import LESSON as MADE_OF, made
from small_class import LESSON, NO_GUARD, SCALED, WRONG_SUM, grader, hand_in
from small_lesson import SOLUTION, instead
from test_report import Tags

from grader import course
from grader.classroom.folder import new_course
from grader.classroom.handing_out import release
from grader.classroom.report import alike
from grader.compilers.lexer import without_comments

pytestmark = pytest.mark.slow


def test_in_a_class_with_variants_translated_copies_are_named_and_who_has_the_same_variant_is_not():
    times, falsely = Counter(), 0
    for seed in range(6):
        depths, wrong, _, _ = made_class.tried(MADE_OF, 60, seed, vary=True)
        times.update(depth for depth, bits in depths.items() if bits)
        falsely += len(wrong)
    assert times["verbatim"] == 6 and times.total() >= 24, times
    assert falsely <= 1


def test_most_copies_that_nobody_translates_into_the_own_variant_fail():
    notebooks, pairs = made(MADE_OF, 60, 0)
    written = {
        learner: made_class.in_variants(
            MADE_OF, notebook, {b: a for a, b in pairs.values()}.get(learner, learner)
        )
        for learner, notebook in notebooks.items()
    }
    passed, copied = made_class.still_pay(MADE_OF, written, pairs)
    assert copied > 10 and passed < copied / 4


OWN = """\
    // every thread takes care of one element, the last ones of none
    const int where = i;
    // anything else is none of its business
    if (where < n) total[where] = x[where] - y[where];"""


def named(notebooks):
    return {
        pair.learners: pair for pair in alike.compare(notebooks, made_class.handed_out(MADE_OF))
    }


# Of 30 classes, in how many each depth is found. A notebook with one copied exercise often has
# nothing of its own in it.
FOUND = {"verbatim": 30, "renamed": 30, "reordered": 30, "reformatted": 22, "half": 22, "one": 15}


def test_copies_are_named_in_classes_of_60_and_nobody_else_is():
    times, falsely = Counter(), []
    for seed in range(30):
        notebooks, copies = made(MADE_OF, 60, seed)
        found = named(notebooks)
        times.update(depth for depth, pair in copies.items() if pair in found)
        falsely += found.keys() - copies.values()
    assert all(times[depth] >= least for depth, least in FOUND.items()), times
    assert len(falsely) <= 1


def test_of_a_class_without_copies_nobody_is_named():
    rng = random.Random(7)
    notebooks = {f"learner{at}": made_class.independent(MADE_OF, rng) for at in range(60)}
    assert named(notebooks) == {}


def class_of_14():
    """Finn and gus have the same file but for one name, and max wrong in the same way."""
    rng = random.Random(14)
    notebooks = {f"learner{at}": made_class.independent(MADE_OF, rng) for at in range(12)}
    skeletons = made_class.answers(MADE_OF)
    lesson = course.lesson(MADE_OF)
    finn = {name: (lesson.solution(lesson.exercise(name)), "") for name in skeletons}
    wrong = finn["max"][0].replace("x[i] : -INFINITY", "x[i] : 0.0f")
    assert wrong != finn["max"][0]
    finn["max"] = (wrong, "wrong_answer")
    finn["last_block"] = (finn["last_block"][0].replace("__threadfence();", "", 1), "data_race")
    finn.pop("left_waiting")
    finn = {name: (without_comments(source), status) for name, (source, status) in finn.items()}
    notebooks["finn"] = finn
    notebooks["gus"] = {
        name: (re.sub(r"\bstride\b", "step", source), status)
        for name, (source, status) in finn.items()
    }
    return notebooks


def test_the_same_file_but_for_one_name_is_named_with_the_reasons():
    notebooks = class_of_14()
    found = named(notebooks)
    assert set(found) == {("finn", "gus")}
    reasons = [*found["finn", "gus"].reasons()]
    assert "the same wrong answer in max (wrong answer)" in reasons
    assert any(reason.startswith("renamed stride to step") for reason in reasons)


def test_the_same_wrong_answer_counts_for_more_than_the_same_right_one():
    notebooks = class_of_14()
    bits = named(notebooks)["finn", "gus"].bits
    for learner in ("finn", "gus"):
        answers = notebooks[learner]
        notebooks[learner] = {name: (source, "") for name, (source, _) in answers.items()}
    right = named(notebooks).get(("finn", "gus"))
    assert right is None or right.bits < bits


def test_what_most_of_a_class_have_and_what_was_handed_out_counts_nothing():
    notebooks = class_of_14()
    everybody = {f"learner{at}": notebooks["finn"] for at in range(40)}
    assert named(everybody) == {}
    given = [source for source, _ in notebooks["finn"].values()]
    assert alike.compare(notebooks, given) == []


def test_one_learner_and_none_are_like_nobody():
    assert alike.compare({}, []) == []
    assert alike.compare({"ada": class_of_14()["finn"]}, []) == []


@pytest.fixture(scope="module")
def page(tmp_path_factory, grading):
    """The report on a class of 17, graded through nbgrader."""
    kernels = small_class.write_lesson(tmp_path_factory.mktemp("kernels"))
    here = new_course(tmp_path_factory.mktemp("course"), kernels)
    release(here, course.lesson(LESSON, kernels))
    copied = instead(OWN)
    turned = instead("    if (i < n) total[i] = y[i] + x[i];")
    early = instead("    if (i >= n) return;\n    total[i] = x[i] + y[i];")
    answers = {
        f"learner{at}": source
        for at, source in enumerate([SOLUTION, NO_GUARD, WRONG_SUM, turned, early] * 3)
    }
    answers |= {"finn": copied, "gus": copied.replace("where", "place")}
    for learner, source in answers.items():
        hand_in(here, learner, add=source, scale=SCALED)
    assert grader(here, "autograde", LESSON).exit_code == 0
    assert grader(here, "report", LESSON).exit_code == 0
    return (here.root / f"report/{LESSON}.html").read_text()


def test_the_page_says_why_two_notebooks_are_similar_and_shows_them(page):
    said = " ".join(Tags(page).text.split())
    assert "finn and gus" in said
    assert "the same wrong answer in add (wrong answer)" in said
    assert "the same comments in add: “" in said
    assert "“every thread takes care of one element, the last ones of none”" in said
    assert "renamed where to place in add" in said
    assert 'id="notebooks-1"' in page
    assert 'id="notebooks-2"' not in page
    assert '<span class="shared">    const int place = i;</span>' in page


def test_links_of_similar_notebooks_lead_to_places_in_the_page(page):
    tags = Tags(page)
    for link in [value for name, value in tags.attributes if name == "href"]:
        assert link.removeprefix("#") in tags.ids or link.startswith("../feedback/")
