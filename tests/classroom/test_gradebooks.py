"""Rosters from the learning platforms, and marks as their gradebooks import them."""

import contextlib
import csv
import io
import json
import shutil
import subprocess

import openpyxl
import pytest
import small_class
from nbgrader.plugins import CsvExportPlugin
from small_class import LESSON, NO_GUARD, SCALED, hand_in
from small_lesson import SOLUTION
from typer.testing import CliRunner

from grader.classroom import coursefile
from grader.classroom.folder import new_course
from grader.cli.app import app

# Each as the system writes it: encodings, delimiters, rows that are no learner's, other columns.
CANVAS = """\
Student,ID,SIS User ID,SIS Login ID,Section,01_add (4711),Current Score
,,,,,Manual Posting,
    Points Possible,,,,,6,(read only)
"Lovelace, Ada",101,S-1,ada,Evening,,
"Müller, Ben",102,S-2,ben,Morning and Evening,,
"Student, Test",999,,abc999,Morning,,
"Doe, Dora",104,S-4,dora,Morning,,
"""
MOODLE = """\
First name,Last name,ID number,Email address,Username,Groups
Ada,Lovelace,S-1,ada@uni.example,ada,blue
Ben,Müller,S-2,ben@uni.example,ben,blue
Dora,Doe,S-4,dora@uni.example,dora,
"""
BLACKBOARD = (
    '"Last Name"\t"First Name"\t"Username"\t"Student ID"\t"Last Access"\t"Availability"'
    '\t"01_add [Total Pts: 6 Score] |88123"\n'
    '"Lovelace"\t"Ada"\t"ada"\t"S-1"\t"2026-11-01"\t"Yes"\t""\n'
    '"Müller"\t"Ben"\t"ben"\t"S-2"\t""\t"Yes"\t""\n'
    '"Doe"\t"Dora"\t"dora"\t"S-4"\t""\t"Yes"\t""\n'
)
BRIGHTSPACE = """\
OrgDefinedId,Username,Last Name,First Name,Email,Sections,01_add Points Grade,End-of-Line Indicator
#S-1,#ada,Lovelace,Ada,ada@uni.example,Evening,,#
#S-2,#ben,Müller,Ben,ben@uni.example,Morning,,#
#S-4,#dora,Doe,Dora,dora@uni.example,Morning,,#
"""
PLAIN = "id;name;e-mail;section;group\nada;Ada Lovelace;ada@uni.example;Evening;blue\n"
ROSTERS = {
    "canvas": CANVAS.encode(),
    "moodle": MOODLE.encode("utf-8-sig"),
    "blackboard": BLACKBOARD.encode("utf-16"),
    "brightspace": BRIGHTSPACE.encode("cp1252"),
    "csv": PLAIN.encode(),
}


def run(here, *arguments):
    with contextlib.chdir(here.root):
        return CliRunner().invoke(app, list(arguments), env={"COLUMNS": "200"})


@pytest.fixture(scope="module")
def graded(tmp_path_factory, grading):
    """Ada is right, ben's guard is missing, dora has handed in nothing."""
    kernels = small_class.write_lesson(tmp_path_factory.mktemp("kernels"))
    here = new_course(tmp_path_factory.mktemp("course"), kernels)
    assert run(here, "release", LESSON).exit_code == 0
    hand_in(here, "ada", add=SOLUTION, scale=SCALED)
    hand_in(here, "ben", add=NO_GUARD, scale=SCALED)
    assert run(here, "autograde", LESSON).exit_code == 0
    with here.gradebook() as gradebook:
        gradebook.add_student("dora")
        gradebook.find_grade("check-scale", LESSON, LESSON, "ben").manual_score = 1.25
        gradebook.db.commit()
    return here


@pytest.fixture
def here(graded, tmp_path):
    return new_course(shutil.copytree(graded.root, tmp_path / "course"), graded.kernels)


def import_roster(here, system, *options):
    (here.root / "roster.txt").write_bytes(ROSTERS[system])
    said = run(here, "roster", "roster.txt", *options)
    assert said.exit_code == 0, said.stderr
    return said.stdout


def exported(here, system, *options):
    """The file's bytes."""
    said = run(here, "export", LESSON, "--for", system, *options)
    assert said.exit_code == 0, said.stderr
    (path,) = (here.root / "export").iterdir()
    return path.read_bytes()


def table(content, delimiter=","):
    return list(csv.reader(io.StringIO(content, newline=""), delimiter=delimiter))


def students(here):
    with here.gradebook() as gradebook:
        return {one.id: (one.first_name, one.last_name, one.email) for one in gradebook.students}


# --- in ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("system", ["canvas", "moodle", "blackboard", "brightspace"])
def test_a_platform_s_own_file_is_known_and_names_everybody(here, system):
    assert f"3 learners from a file of {system}" in import_roster(here, system)
    found = students(here)
    assert sorted(found) == ["ada", "ben", "dora"]
    assert found["ben"][:2] == ("Ben", "Müller")


def test_sections_and_teams_are_kept_in_the_course_file(here):
    import_roster(here, "canvas")
    import_roster(here, "moodle")
    people = coursefile.read(here).learners
    assert {name: who.section for name, who in people.items()} == {
        "ada": "Evening",
        "ben": "Morning",
        "dora": "Morning",
    }
    assert {name: who.team for name, who in people.items()} == {
        "ada": "blue",
        "ben": "blue",
        "dora": "",
    }
    assert set(people["ada"].systems) == {"canvas", "moodle"}


def test_a_section_of_a_plain_file_may_have_a_comma_or_an_and(here):
    (here.root / "plain.csv").write_text('id,section,team\nada,"Monday, late",salt and pepper\n')
    assert run(here, "roster", "plain.csv").exit_code == 0
    ada = coursefile.read(here).learners["ada"]
    assert (ada.section, ada.team) == ("Monday, late", "salt and pepper")
    rows = table(exported(here, "csv").decode("utf-8-sig"))
    assert ["Monday, late", "salt and pepper"] in [row[4:6] for row in rows]


@pytest.mark.parametrize(
    ("first", "last"),
    [
        ('=HYPERLINK("x")', "+1"),
        ("@SUM(A1)", " -2+3"),
        ("a,b", 'c"d\ne,"'),
        ("\uff1dcmd", "mallory,,,6.0\r\nben"),
    ],
)
def test_no_name_of_a_roster_is_a_formula_or_a_cell_for_nbgraders_own_exporter(here, first, last):
    """It writes names as they are, and quotes nothing."""
    rows = io.StringIO(newline="")
    csv.writer(rows).writerows([("id", "first_name", "last_name"), ("ada", first, last)])
    (here.root / "names.csv").write_text(rows.getvalue(), newline="")
    assert run(here, "roster", "names.csv").exit_code == 0
    with here.gradebook() as gradebook:
        CsvExportPlugin(config=here.config, to=str(here.root / "own.csv")).export(gradebook)
    head, *rest = table((here.root / "own.csv").read_text())
    assert {len(row) for row in rest} == {len(head)}
    for row in rest:
        assert not any(cell[:1] in ("=", "+", "-", "@", "\uff1d") for cell in row)


def test_a_plain_file_needs_an_id_and_who_is_not_in_it_is_named_and_stays(here):
    said = import_roster(here, "csv")
    assert "In the gradebook and not in roster.txt: ben, dora. Nobody was removed." in said
    assert students(here)["ada"] == ("Ada Lovelace", None, "ada@uni.example")
    assert set(students(here)) == {"ada", "ben", "dora"}


def test_a_name_in_one_piece_takes_the_place_of_one_in_two(here):
    import_roster(here, "moodle")
    import_roster(here, "csv")
    assert students(here)["ada"][:2] == ("Ada Lovelace", None)
    (here.root / "ids.csv").write_text("id,section\nada,Evening\n")
    assert run(here, "roster", "ids.csv").exit_code == 0
    assert students(here)["ada"][:2] == ("Ada Lovelace", None)  # no name says nothing of names


def test_a_workbook_is_read_and_columns_can_be_named(here):
    book = openpyxl.Workbook()
    for row in (["Kennung", "name", "Kurs", "id"], ["ada", "Ada", "B", 1], ["ben", "Ben", "B", 2]):
        book.active.append(row)
    book.save(here.root / "roster.xlsx")
    said = run(here, "roster", "roster.xlsx", "--id", "Kennung", "--section", "Kurs")
    assert "sections: B (2)" in said.stdout


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "has no rows"),
        (b"id\n", "has no rows"),
        (b"who,what\nada,x\n", "a plain CSV file needs one called id"),
        (b"id,name\nada,A\nada,B\n", "row 3: ada is there twice"),
        (b"id,name\n=cmd(),A\n", "row 2: '=cmd()' is no learner's id"),
        (b"\x00\x01\x02,id\n,1\n", "neither CSV nor an Excel workbook"),
        (b"PK\x03\x04nonsense", "no Excel workbook"),
    ],
)
def test_what_is_no_roster_is_said_in_one_sentence_and_changes_nothing(here, content, sentence):
    before = students(here)
    (here.root / "roster.csv").write_bytes(content)
    said = run(here, "roster", "roster.csv")
    assert (said.exit_code, said.stderr.count("\n")) == (2, 1)
    assert sentence in said.stderr
    assert students(here) == before


# --- out -----------------------------------------------------------------------------------------


def test_canvas_gets_its_own_columns_its_own_assignment_and_the_points_possible(here):
    import_roster(here, "canvas")
    rows = table(exported(here, "canvas").decode())
    assert rows[0] == [
        *("Student", "ID", "SIS User ID", "SIS Login ID", "Section", "01_add (4711)")
    ]
    assert rows[1] == ["    Points Possible", "", "", "", "", "6"]
    assert rows[2:] == [
        ["Doe, Dora", "104", "S-4", "dora", "Morning", ""],
        ["Lovelace, Ada", "101", "S-1", "ada", "Evening", "6"],
        ["Müller, Ben", "102", "S-2", "ben", "Morning and Evening", "4.25"],
    ]


def test_moodle_gets_points_and_a_feedback_text_for_each_lesson(here):
    import_roster(here, "moodle")
    rows = table(exported(here, "moodle", "--decimal", ",").decode(), ";")
    assert rows[0] == ["Username", "ID number", "Email address", LESSON, f"{LESSON} (Feedback)"]
    found = {row[0]: row[1:] for row in rows[1:]}
    assert found["ben"] == [
        *("S-2", "ben@uni.example", "4,25"),
        "add: 3 of 4 (out of bounds, line 6); scale: 1.25 of 2.",
    ]
    assert found["dora"][2:] == ["-", ""]


def test_blackboard_gets_utf_16_with_tabs_and_its_own_column_number(here):
    import_roster(here, "blackboard")
    content = exported(here, "blackboard")
    assert content[:2] in (b"\xff\xfe", b"\xfe\xff")
    rows = table(content.decode("utf-16"), "\t")
    assert rows[0][4:] == ["01_add [Total Pts: 6 Score] |88123"]
    assert ["Müller", "Ben", "ben", "S-2", "4.25"] in rows


def test_brightspace_gets_its_keys_a_points_grade_and_the_end_of_each_line(here):
    import_roster(here, "brightspace")
    rows = table(exported(here, "brightspace").decode())
    assert rows[0] == [
        *("OrgDefinedId", "Username", f"{LESSON} Points Grade", "End-of-Line Indicator")
    ]
    assert ["#S-2", "#ben", "4.25", "#"] in rows
    assert {len(row) for row in rows} == {4}


@pytest.mark.parametrize("system", ["canvas", "moodle", "blackboard", "brightspace"])
def test_what_is_written_for_a_system_is_read_back_as_that_system_s(here, system):
    import_roster(here, system)
    before, known = coursefile.read(here), students(here)
    (here.root / "again.txt").write_bytes(exported(here, system))
    said = run(here, "roster", "again.txt")
    assert f"3 learners from a file of {system}" in said.stdout, said.stderr
    assert coursefile.read(here).learners == before.learners
    assert students(here) == known


@pytest.mark.parametrize("system", ["canvas", "moodle", "blackboard", "brightspace"])
def test_without_a_roster_learners_go_by_their_ids(here, system):
    content = exported(here, system)
    assert "ben" in content.decode("utf-16" if system == "blackboard" else "utf-8")


def test_a_spreadsheet_opens_plain_csv_with_umlauts_and_decimal_commas(here):
    import_roster(here, "canvas")
    content = exported(here, "csv", "--decimal", ",")
    assert content.startswith(b"\xef\xbb\xbf")
    rows = table(content.decode("utf-8-sig"), ";")
    assert rows[0] == [
        *("id", "last_name", "first_name", "email", "section", "team", LESSON, "sum", "max")
    ]
    assert ["ben", "Müller", "Ben", "", "Morning", "", "4,25", "4,25", "6"] in rows
    assert ["dora", "Doe", "Dora", "", "Morning", "", "", "", "6"] in rows


def test_in_a_workbook_numbers_are_numbers_and_no_name_is_a_formula(here):
    with here.gradebook() as gradebook:
        gradebook.update_or_create_student("ben", first_name='=HYPERLINK("x")', last_name="+1")
    book = openpyxl.load_workbook(io.BytesIO(exported(here, "xlsx")))
    rows = {row[0].value: row for row in book["Marks"].iter_rows()}
    assert rows["ben"][2].data_type == "s"
    assert rows["ben"][6].value == 4.25
    assert rows["dora"][6].value is None
    assert ("ben", LESSON, "add", 3, 4, "out_of_bounds", 6) in {
        tuple(cell.value for cell in row[:7]) for row in book["Exercises"].iter_rows()
    }


@pytest.mark.skipif(not shutil.which("soffice"), reason="LibreOffice is not installed")
@pytest.mark.parametrize("system", ["csv", "xlsx"])
def test_libreoffice_opens_what_is_for_people(here, system, tmp_path):
    import_roster(here, "canvas")
    path = tmp_path / f"marks.{system}"
    path.write_bytes(exported(here, system))
    home = f"-env:UserInstallation=file://{tmp_path}/home"
    form = "csv:Text - txt - csv (StarCalc):59,34,76,1,,0,false,true,false,false,false,1"
    utf8 = ["--infilter=CSV:44,34,76,1"] if system == "csv" else []  # as its dialogue proposes
    command = ["soffice", home, "--headless", *utf8, "--convert-to", form]
    command += ["--outdir", tmp_path / "out", path]
    subprocess.run(command, check=True, capture_output=True)
    (made,) = (tmp_path / "out").iterdir()
    rows = table(made.read_text(), ";")
    assert ["ben", "Müller", "Ben", "", "Morning", "", "4.25", "4.25", "6"] in rows


def test_a_section_alone_is_exported_and_reported(here):
    import_roster(here, "canvas")
    rows = table(exported(here, "csv", "--section", "Evening").decode("utf-8-sig"))
    assert [row[0] for row in rows[1:]] == ["ada"]
    assert run(here, "report", LESSON, "--section", "Evening").exit_code == 0
    shown = json.loads((here.root / f"report/{LESSON}.json").read_text())
    assert {row["learner"] for row in shown} == {"ada"}
    assert "ben" not in (here.root / f"report/{LESSON}.html").read_text()
    said = run(here, "export", "--section", "Night")
    assert "there are: Evening, Morning." in said.stderr


def test_without_names_nothing_leads_to_anybody(here):
    import_roster(here, "moodle")
    assert run(here, "report", "--anonymous").exit_code == 0
    shown = [path.read_text() for path in (here.root / "report").iterdir()]
    shown.append(exported(here, "csv", "--anonymous").decode("utf-8-sig"))
    for text in shown:
        assert "anon-" in text
        for known in ("ada", "ben", "dora", "Lovelace", "Müller", "S-2", "uni.example"):
            assert f">{known}" not in text
            assert f"{known}," not in text
            assert f'"{known}"' not in text
            assert f"/{known}/" not in text


def test_names_stand_beside_ids_in_the_report(here):
    import_roster(here, "canvas")
    assert run(here, "report").exit_code == 0
    for name in (LESSON, "course"):
        assert "Ada Lovelace" in (here.root / f"report/{name}.html").read_text()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--for", "ilias"], "'ilias' is not one of 'canvas', 'moodle'"),
        (["--for", "canvas", "--anonymous"], "knows learners by their names"),
        (["--for", "brightspace", "--decimal", ","], "a decimal comma means nothing"),
        (["--decimal", "'"], "is not one of '.', ','"),
    ],
)
def test_what_a_system_cannot_have_is_said(here, options, sentence):
    said = run(here, "export", *options)
    assert (said.exit_code, sentence in said.stderr) == (2, True)
