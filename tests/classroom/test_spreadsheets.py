"""CSV files of marks, as Python's csv, pandas and a spreadsheet read them."""

import csv
import re

import pandas
import pytest

from grader.classroom import spreadsheets
from grader.submissions import intake

FORMULAS = ["=HYPERLINK(1)", "+1+1", "-1+1", "@SUM(1)", "\t=1", "\r=1", "\n=1", " =1", "\uff1d1"]
SPLIT = ["mallory,,,6.0", "a;=1+1", "a,=1", "a\tb", "a\rb", "a\nb", "a\r\nb", 'a"b', "a\x00b"]
PLAIN = ["ada", "Müller", "a-b@c.de", "-5", "-1.5e3", "it's 3 - 2 = 1", ""]


def as_spreadsheet(text):
    """Every cell that some program could see in a file, whatever it takes to part cells."""
    return re.split(r'[,;\t|\r\n]"?', text)


@pytest.fixture
def written(tmp_path):
    """One row a text, with a number beside it."""
    path = tmp_path / "marks.csv"
    texts = FORMULAS + SPLIT + PLAIN
    rows = [{"who": text, "points": -1.5, "line": None} for text in texts]
    spreadsheets.write(path, ["who", "points", "line"], rows)
    return path, texts


def test_a_row_stays_one_row_and_a_cell_one_cell(written):
    path, texts = written
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    assert len(rows) == 1 + len(texts) == len(path.read_text().splitlines())
    assert {len(row) for row in rows} == {3}


def test_no_cell_is_a_formula(written):
    path, _ = written
    for cell in as_spreadsheet(path.read_text()):
        text = cell.strip(" \"'") if cell.startswith('"') else cell.strip()
        number = re.fullmatch(r"[+-]?[\d.]+(e\d+)?\"?", cell.strip('"'))
        quoted = cell.lstrip(' "').startswith("'")
        assert number or quoted or not text.startswith(("=", "+", "-", "@", "\uff1d")), cell


def test_pandas_reads_numbers_as_numbers_and_nothing_as_missing(written):
    path, texts = written
    frame = pandas.read_csv(path)
    assert len(frame) == len(texts)
    assert frame["points"].tolist() == [-1.5] * len(texts)
    assert frame["line"].isna().all()


@pytest.mark.parametrize("text", PLAIN)
def test_what_is_no_formula_is_left_as_it_is(text):
    assert spreadsheets.cell(text) == text


@pytest.mark.parametrize(
    "name", ["ada", "Jörg_Müller", "s1234567", "a.b+c@uni.de", "anne-marie", "ada lovelace"]
)
def test_a_plausible_id_is_a_learner_s(name):
    assert intake.is_name(name)


@pytest.mark.parametrize(
    "name",
    ["", *FORMULAS, *SPLIT, "-rf", ".hidden", "*", "[a]", "a/b", "<i>ada", "a" * 200, "a\u202eb"],
)
def test_what_is_no_plausible_id_is_not(name):
    assert not intake.is_name(name)
