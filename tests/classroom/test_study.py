"""A study of the course: what a learner agrees to, what travels, and what the table shows."""

from __future__ import annotations

import csv
import json
import shutil
from datetime import UTC, datetime, timedelta

import pytest
from IPython.core.interactiveshell import InteractiveShell
from small_class import grader as in_course
from typer.testing import CliRunner

from grader import course, notebook
from grader.classroom.folder import new_course
from grader.cli.app import app
from grader.learner import folder, progress, study
from grader.notebook import cards

LESSON = "00_first_kernel"
START = datetime(2026, 9, 1, 10, tzinfo=UTC)


@pytest.fixture
def clock(monkeypatch):
    """Moved by its `time`."""

    class Clock:
        time = START

    monkeypatch.setattr(progress, "now", lambda: Clock.time)
    return Clock


@pytest.fixture
def learner(tmp_path, monkeypatch, clock):
    """Makes the folder of a learner, who checked saxpy wrongly as `said`, took a hint, passed it,
    and did it again two days later, and goes there."""

    def make(name, said="out_of_bounds", exercise="saxpy"):
        root = tmp_path / "learners" / name
        root.mkdir(parents=True)
        folder.make(root)
        monkeypatch.chdir(root)
        clock.time = START
        progress.tried(LESSON, exercise, False, said)
        clock.time += timedelta(minutes=4)
        progress.tried(LESSON, exercise, None)
        clock.time += timedelta(minutes=60)  # a pause
        progress.tried(LESSON, exercise, False, "data_race")
        clock.time += timedelta(minutes=3)
        progress.tried(LESSON, exercise, True, "passed")
        progress.passed(LESSON, exercise)
        clock.time += timedelta(days=2)
        progress.tried(LESSON, exercise, True, "passed")
        return root

    return make


@pytest.fixture
def here(tmp_path):
    return new_course(tmp_path / "course", course.KERNELS)


def run(*arguments):
    ran = CliRunner().invoke(app, list(arguments))
    assert ran.exit_code == 0, ran.output
    return ran.stdout


def submit(root):
    """The file that was made to be handed in."""
    run("submit", "00")
    return max((root / "handed_in").glob("*/*.ipynb"))


def carried(path):
    return json.loads(path.read_text())["metadata"].get("warpwise", {}).get("study")


def give(here, name, path):
    """Put the file where collecting puts it."""
    to = here.notebook("submitted", LESSON, name)
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, to)


def table(here):
    """The lines of the class's table, and the codebook."""
    ran = in_course(here, "study")
    assert ran.exit_code == 0, ran.output
    with (here.root / "study" / "study.csv").open(newline="") as file:
        return list(csv.DictReader(file)), (here.root / "study" / "codebook.md").read_text()


def test_nothing_travels_with_a_learner_who_did_not_agree(learner):
    root = learner("ada")
    assert "You do not take part" in run("study")
    assert submit(root).read_bytes() == (root / f"{LESSON}.ipynb").read_bytes()


def test_an_agreement_is_of_one_folder_and_shows_what_travels(learner):
    root = learner("ada")
    shown = run("study", "--agree")
    own = (root / f"{LESSON}.ipynb").read_bytes()
    (row,) = carried(submit(root))["rows"]
    assert json.dumps(row) in shown
    assert row == {
        "piece": f"{LESSON}/saxpy",
        "tries": 3,
        "right": True,
        "first_message": "out_of_bounds",
        "helps": 1,
        "minutes": 7,
        "day": 0,
        "retained": "yes",
        "retained_after": 2,
        "group": "",
    }
    assert (root / f"{LESSON}.ipynb").read_bytes() == own, "the learner's own file is as it was"
    learner("ben")
    assert "You do not take part" in run("study")


def test_a_log_that_was_joined_with_its_own_copy_gives_the_same_row(learner):
    root = learner("ada")
    before = run("study", "--agree")
    log = root / progress.FILE
    log.write_text(log.read_text() * 2)
    assert run("study") == before


def test_agree_and_withdraw_together_are_refused_and_so_is_another_folder(learner, tmp_path):
    root = learner("ada")
    ran = CliRunner().invoke(app, ["study", "--agree", "--withdraw"])
    assert ran.exit_code == 2 and "Choose one" in ran.stderr
    assert not (root / ".warpwise" / "study").exists()
    (root / ".warpwise" / "lessons").rename(tmp_path / "lessons")
    (root / ".warpwise").rmdir()
    ran = CliRunner().invoke(app, ["study", "--agree"])
    assert ran.exit_code == 2 and "no learner's folder" in ran.stderr


def test_after_a_withdrawal_no_row_travels_and_those_of_before_are_left_out(learner, here):
    for number in range(6):
        root = learner(f"n{number}")
        run("study", "--agree")
        give(here, f"n{number}", submit(root))
    assert len(table(here)[0]) == 6
    run("study", "--withdraw")  # the last learner
    shutil.rmtree(root / "handed_in")
    path = submit(root)
    assert carried(path)["rows"] == []
    give(here, "n5", path)
    assert len(table(here)[0]) == 5


def test_the_table_has_no_names_and_leaves_out_what_fewer_than_five_share(learner, here):
    for number in range(6):
        name = f"grace{number}"
        root = learner(name, said="data_race" if number == 0 else "out_of_bounds")
        if number < 4:
            progress.tried(LESSON, "add_bias", True, "passed")
        run("study", "--agree")
        give(here, name, submit(root))
    lines, codebook = table(here)
    assert {line["piece"] for line in lines} == {f"{LESSON}/saxpy"}
    assert sorted(line["first_message"] for line in lines) == ["other"] + ["out_of_bounds"] * 5
    assert "such pieces is 1." in codebook
    assert all(f"| {column} |" in codebook for column in lines[0])
    assert "grace" not in (here.root / "study" / "study.csv").read_text()
    assert "2026" not in (here.root / "study" / "study.csv").read_text()


def test_a_class_of_four_gets_no_table(learner, here):
    for number in range(4):
        root = learner(f"n{number}")
        run("study", "--agree")
        give(here, f"n{number}", submit(root))
    ran = in_course(here, "study")
    assert ran.exit_code == 2
    assert "Fewer than 5 learners" in ran.stderr
    assert not (here.root / "study").exists()


@pytest.mark.parametrize("metadata", [[], {"study": []}, {"study": {"rows": 1}}, "none"])
def test_metadata_of_another_form_is_passed_over(learner, here, metadata):
    for number in range(6):
        root = learner(f"n{number}")
        run("study", "--agree")
        path = submit(root)
        if number == 0:
            notebook = json.loads(path.read_text())
            notebook["metadata"]["warpwise"] = metadata
            path.write_text(json.dumps(notebook))
        give(here, f"n{number}", path)
    assert len(table(here)[0]) == 5


def change(path, **row):
    notebook = json.loads(path.read_text())
    notebook["metadata"]["warpwise"]["study"]["rows"][0] |= row
    path.write_text(json.dumps(notebook))


@pytest.mark.parametrize(
    "row", [{"first_message": "=1+1"}, {"tries": -1}, {"piece": "my name"}, {"helps": "many"}]
)
def test_a_row_of_another_form_is_not_exported(learner, here, row):
    for number in range(6):
        root = learner(f"n{number}")
        run("study", "--agree")
        path = submit(root)
        if number == 0:
            change(path, **row)
        give(here, f"n{number}", path)
    assert len(table(here)[0]) == 5


def test_a_learner_who_repeats_a_row_counts_once(learner, here):
    for number in range(5):
        root = learner(f"n{number}")
        run("study", "--agree")
        path = submit(root)
        if number == 0:
            notebook = json.loads(path.read_text())
            notebook["metadata"]["warpwise"]["study"]["rows"] *= 7
            path.write_text(json.dumps(notebook))
        give(here, f"n{number}", path)
    assert len(table(here)[0]) == 5


def codes(here, feature):
    """By learner, the code that was drawn."""
    ran = in_course(here, "study", "--without", feature)
    assert ran.exit_code == 0, ran.output
    with (here.root / "study" / f"{feature}.csv").open(newline="") as file:
        return {row["learner"]: row["code"] for row in csv.DictReader(file)}


def on_the_roster(here, names):
    path = here.root / "course.toml"
    text = path.read_text() if path.exists() else "version = 1\n"
    path.write_text(text + "".join(f"\n[learners.{name}]\n" for name in names))


def odd(code):
    return int(code[-1], 16) % 2


def test_half_of_the_roster_is_drawn_and_who_has_a_code_keeps_it(here):
    on_the_roster(here, [f"n{number}" for number in range(9)])
    first = codes(here, "player")
    assert sum(map(odd, first.values())) in (4, 5)
    on_the_roster(here, ["late"])
    again = codes(here, "player")
    assert again.items() > first.items()
    assert sum(map(odd, again.values())) == 5


def test_a_feature_that_does_not_exist_and_a_course_without_roster_are_refused(here):
    ran = in_course(here, "study", "--without", "coffee")
    assert ran.exit_code and "player, puzzle, warm_up" in ran.stderr
    ran = in_course(here, "study", "--without", "player")
    assert ran.exit_code and "no roster" in ran.stderr


@pytest.mark.parametrize(
    ("code", "group"), [("player-00000f", "no_player"), ("player-0000fe", "player")]
)
def test_a_code_says_the_half_and_withdrawing_ends_it(learner, code, group):
    root = learner("ada")
    how = "without" if group == "no_player" else "with"
    assert f"Your half of the class works {how} the player." in run("study", "--code", code)
    assert {row["group"] for row in carried(submit(root))["rows"]} == {group}
    assert study.has("player", root) == (group == "player") and study.has("puzzle", root)
    run("study", "--withdraw")
    assert study.has("player", root)


@pytest.mark.parametrize(
    ("feature", "used"),
    [
        ("player", lambda: notebook.play(None)),
        ("puzzle", lambda: notebook.puzzle("saxpy")),
        ("warm_up", notebook.warmup),
    ],
)
def test_who_works_without_a_feature_is_told_so_where_it_would_be(
    learner, monkeypatch, feature, used
):
    learner("ada")
    run("study", "--code", f"{feature}-000001")
    monkeypatch.setattr(cards, "shell", InteractiveShell.instance)
    with pytest.raises(cards.Notice, match=f"without .*{feature.replace('_', '-')}"):
        used()


def test_a_code_of_nothing_is_refused(learner):
    learner("ada")
    ran = CliRunner().invoke(app, ["study", "--code", "coffee-123456"])
    assert ran.exit_code == 2 and "is no code" in ran.stderr


def test_groups_of_fewer_than_five_are_not_told(learner, here, monkeypatch):
    for number in range(7):
        root = learner(f"n{number}")
        run("study", "--code", f"player-00000{number % 7 and 2}" if number else "player-000001")
        give(here, f"n{number}", submit(root))
    monkeypatch.chdir(here.root)
    lines, _ = table(here)
    assert sorted(line["group"] for line in lines) == ["other"] + ["player"] * 6
