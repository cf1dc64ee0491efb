"""docs/verdict.md and docs/verdict.schema.json say what `grader check --json` prints."""

import json
from dataclasses import replace

import jsonschema
import pytest
from small_lesson import ID, SOLUTION, instead

from grader.judge import judge
from grader.judge.verdict import Checked, Mismatch, Report, Verdict
from grader.status import Status
from tools import schema_page

FAULTY = {
    "passed": SOLUTION,
    "out of bounds": instead("    total[i] = x[i] + y[i];"),
    "does not compile": SOLUTION.replace("}", "", 1),
    "blank": "",
}


@pytest.fixture(scope="module")
def verdicts(root):
    return {name: judge(ID, source, root=root) for name, source in FAULTY.items()}


def valid(report):
    return jsonschema.validate(json.loads(json.dumps(report)), schema_page.json_schema())


def test_the_pages_are_those_that_the_code_makes():
    made = "run `python -m tools.schema_page`, and raise VERSION if a field has gone"
    assert (schema_page.FOLDER / "verdict.md").read_text() == schema_page.page(), made
    assert (schema_page.FOLDER / "verdict.schema.json").read_text() == schema_page.json_text(), made


@pytest.mark.parametrize("name", FAULTY)
def test_what_is_printed_is_as_the_schema_says(verdicts, name):
    valid(Report((Checked(ID, "", verdicts[name]),)).to_dict())
    valid(Report((Checked(ID, "Its cell is missing.", None),)).to_dict())


def test_numbers_that_json_lacks_are_words(verdicts):
    case = verdicts["passed"].cases[0]
    odd = Mismatch("y", (0,), float("nan"), float("-inf"))
    verdict = replace(verdicts["passed"], cases=(replace(case, mismatches=(odd,)),))
    (found,) = verdict.to_dict()["cases"][0]["mismatches"]
    assert (found["expected"], found["found"]) == ("nan", "-inf")
    valid(Report((Checked(ID, "", verdict),)).to_dict())


def test_a_field_that_is_missing_or_of_another_type_is_refused(verdicts):
    report = Report((Checked(ID, "", verdicts["passed"]),)).to_dict()
    for change in ({"status": "excellent"}, {"points": "4"}, {"line": 1.5}):
        wrong = report["checked"][0]["verdict"] | change
        with pytest.raises(jsonschema.ValidationError):
            valid(report | {"checked": [report["checked"][0] | {"verdict": wrong}]})
    del report["version"]
    with pytest.raises(jsonschema.ValidationError):
        valid(report)


@pytest.mark.parametrize("name", FAULTY)
def test_a_verdict_comes_back_from_json_as_it_was(verdicts, name):
    verdict = verdicts[name]
    assert Verdict.from_dict(json.loads(json.dumps(verdict.to_dict()))) == verdict


def test_every_status_is_its_word_and_has_a_meaning():
    assert all(f"{one}" == one.value and one.meaning.endswith(".") for one in Status)
