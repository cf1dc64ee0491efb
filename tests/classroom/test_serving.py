"""`grader serve`: hand-ins over real HTTP, real kernels, a real gradebook, and kill -9."""

import contextlib
import json
import random
import re
import signal
import sqlite3
import stat
import threading
import time

import httpx
import pytest
import served
from served import LESSON, Service, course_of, folder_of, give_tokens, notebook, put, ran, result
from small_class import NO_GUARD, SCALED, WRONG_SUM
from small_lesson import SOLUTION

from grader.classroom import verdicts
from grader.learner import editions

pytestmark = pytest.mark.slow

ID = "0123456789abcdef" * 2


@pytest.fixture(scope="module")
def here(tmp_path_factory, kernels):
    return course_of(tmp_path_factory.mktemp("served"), kernels)


@pytest.fixture(scope="module")
def tokens(here):
    return give_tokens(here)


@pytest.fixture(scope="module")
def service(here, tokens):
    with Service(here) as running:
        yield running


def test_a_hand_in_is_received_judged_and_found_by_autograde(here, tokens, service, tmp_path):
    own = folder_of(tmp_path / "own", notebook(here, add=SOLUTION, scale=SCALED))
    to = ("--to", service.url, "--token-file", str(tokens["ada"]))
    said = served.learner(own, "submit", LESSON, *to)
    assert said.exit_code == 0, said.output
    assert f"{LESSON} is received from ada: try 1, 20" in said.stdout
    assert "--hint" not in said.stdout
    assert "3 learners: 1 handed in" in ran(here, "status", LESSON).stdout  # not graded yet
    assert re.search(f"{LESSON}/add +✓ passed", said.stdout)
    assert said.stdout.endswith("In all 6 of 6 points.\n")
    (kept,) = (own / "handed_in").iterdir()
    receipt = json.loads((kept / "receipt.json").read_text())
    known = {path.name for path in (here.root / "verdicts").iterdir()}
    graded = ran(here, "autograde", LESSON)
    assert graded.returncode == 0, graded.stderr
    assert {path.name for path in (here.root / "verdicts").iterdir()} == known
    folder = here.path("submitted", LESSON, "ada")
    assert (folder / "timestamp.txt").read_text() == receipt["at"]
    exercises = verdicts.read(here.path("autograded", LESSON, "ada"))
    assert {name: verdicts.points(each) for name, each in exercises.items()} == {
        "add": 4.0,
        "scale": 2.0,
    }


def test_a_wrong_answer_is_explained_and_a_hidden_case_is_not(here, tokens, service, tmp_path):
    own = folder_of(tmp_path / "own", notebook(here, add=WRONG_SUM, scale=SCALED))
    to = ("--to", service.url, "--token-file", str(tokens["ben"]))
    said = served.learner(own, "submit", LESSON, *to)
    assert said.exit_code == 0, said.output
    assert "wrong_answer" in said.stdout
    (kept,) = (own / "handed_in").iterdir()
    answered = result(service, tokens["ben"], json.loads((kept / "receipt.json").read_text())["id"])
    for one in answered["report"]["checked"]:
        for case in one["verdict"]["cases"]:
            assert case["visible"] or not case["mismatches"]


def test_what_is_as_it_was_handed_out_is_named_once_and_did_not_fail(
    here, tokens, service, tmp_path
):
    own = folder_of(tmp_path / "own", notebook(here, scale=SCALED))
    to = ("--to", service.url, "--token-file", str(tokens["ben"]))
    said = served.learner(own, "submit", LESSON, *to)
    assert said.exit_code == 0, said.output
    assert "not_attempted" not in said.stdout and "hidden case failed" not in said.stdout
    ending = "As they were handed out: add.\nIn all 2 of 6 points.\n"
    assert said.stdout.endswith(ending)
    (kept,) = (own / "handed_in").iterdir()
    (own / f"{LESSON}.ipynb").write_bytes(notebook(here, add=SOLUTION, scale=SCALED))
    again = served.learner(own, "submit", LESSON, "--results", *to)
    assert again.exit_code == 0 and again.stdout.endswith(ending)
    assert list((own / "handed_in").iterdir()) == [kept]  # nothing was handed in


REFUSED = {
    "another's name": ("ben", 401, "This is no token of ben's here."),
    "nobody's name": ("zoe", 401, "This is no token of zoe's here."),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_token_is_for_one_learner(here, tokens, service, case):
    name, status, sentence = REFUSED[case]
    answer = put(service, tokens["ada"], notebook(here), ID, name=name)
    assert (answer.status_code, answer.json()["error"][: len(sentence)]) == (status, sentence)


def test_a_hand_in_that_is_sent_again_is_refused_and_gets_its_receipt(here, tokens, service):
    content, id = notebook(here, add=NO_GUARD), "ab" * 16
    first = put(service, tokens["cem"], content, id)
    again = put(service, tokens["cem"], notebook(here), id)
    assert first.status_code == 200
    assert again.status_code == 409
    assert "was received before, on 20" in again.json()["error"]
    assert again.json()["receipt"] == first.json()["receipt"]
    result(service, tokens["cem"], id)


def test_nobody_sees_a_hand_in_of_somebody_else(here, tokens, service):
    id = "cd" * 16
    put(service, tokens["cem"], notebook(here), id)
    assert result(service, tokens["ada"], id) == {
        "error": "There is no such hand-in of yours here."
    }


STRANGE = {
    "no lesson": ("PUT", "handins/02_nothing/" + ID, 404, "There is no lesson 02_nothing"),
    "no exam": ("POST", f"exams/{LESSON}", 404, f"{LESSON} is no exam"),
}


@pytest.mark.parametrize("case", STRANGE)
def test_what_is_asked_in_vain_is_answered_by_a_sentence(tokens, service, case):
    method, path, status, sentence = STRANGE[case]
    known = served.bearer(tokens["ada"])
    answer = httpx.request(method, f"{service.url}/{path}", headers=known)
    assert (answer.status_code, sentence in answer.text) == (status, True)


def test_a_second_service_in_a_course_is_refused(here, service):
    said = ran(here, "serve", "--port", "0")
    assert said.returncode == 2
    assert (
        said.stderr.strip()
        == "Another `grader serve` is at work in this course; wait until it is done."
    )


def test_a_notebook_that_cannot_be_read_gets_a_sentence(tokens, service):
    id = "ef" * 16
    assert put(service, tokens["ada"], b"no JSON", id).status_code == 200
    (one,) = result(service, tokens["ada"], id)["report"]["checked"]
    assert one["verdict"] is None
    assert "is not a notebook" in one["problem"]


def test_tokens_are_private_and_a_new_one_replaces_the_old(here, tokens, service):
    old = tokens["ben"].read_text()
    assert stat.S_IMODE(tokens["ben"].stat().st_mode) == 0o600
    with sqlite3.connect(here.root / "serve" / "handins.db") as db:
        kept = "\n".join(db.iterdump())
    assert all(path.read_text().partition(":")[2].strip() not in kept for path in tokens.values())
    assert "0 new tokens" in ran(here, "serve", "--tokens").stdout
    assert "1 new token" in ran(here, "serve", "--again", "ben").stdout
    assert tokens["ben"].read_text() != old
    known = served.bearer(old)
    answer = httpx.get(f"{service.url}/handins/{LESSON}/{ID}", headers=known)
    assert "a newer one replaces it" in answer.json()["error"]


def test_a_token_that_others_can_read_is_refused(here, tokens, service, tmp_path):
    token = tmp_path / "token"
    token.write_text(tokens["ada"].read_text())
    token.chmod(0o644)
    own = folder_of(tmp_path / "own", notebook(here))
    to = ("--to", service.url, "--token-file", str(token))
    said = served.learner(own, "submit", LESSON, *to)
    assert said.exit_code == 2
    assert f"Others can read {token}" in said.stderr


def test_the_address_of_the_course_is_taken_where_none_is_given(
    here, tokens, service, tmp_path, monkeypatch
):
    from grader.cli import learner_commands
    from grader.learner import sending

    setting = tmp_path / "service.txt"
    setting.write_text(f"{service.url}\n")
    for module in (learner_commands, sending):
        monkeypatch.setattr(module, "SERVICE", setting)
    own = folder_of(tmp_path / "own", notebook(here))
    said = served.learner(own, "submit", "01", "--no-wait", "--token-file", str(tokens["cem"]))
    assert f"{LESSON} is received" in said.stdout
    # A try that was handed in with the token of somebody else does not hide one's own.
    served.learner(own, "submit", "01", "--no-wait", "--token-file", str(tokens["ada"]))
    said = served.learner(own, "submit", "01", "--results", "--token-file", str(tokens["ada"]))
    assert said.exit_code == 0 and "is received from ada" in said.stdout
    assert "cem can ask for the result of this try, and nobody else." in said.stderr


def test_whoever_is_away_is_asked_again(here, tokens, tmp_path, monkeypatch):
    from grader.learner import sending

    monkeypatch.setattr(sending, "PATIENCE", 0.3)
    monkeypatch.setattr(sending, "PAUSE", 0.1)
    own = folder_of(tmp_path / "own", notebook(here))
    to = ("--to", "http://127.0.0.1:9", "--token-file", str(tokens["cem"]))
    said = served.learner(own, "submit", LESSON, *to)
    assert said.exit_code == 2
    assert "What has a receipt is kept: try again later." in said.stderr


def test_two_hand_ins_within_a_second_are_both_kept(tmp_path):
    (tmp_path / "lesson.ipynb").write_text("{}")
    copies = [editions.kept_copy(tmp_path, tmp_path / "lesson.ipynb") for _ in range(2)]
    assert copies[0] != copies[1] and all(path.is_file() for path in copies)


# --- kill -9 -------------------------------------------------------------------------------------


def test_whenever_the_service_is_killed_nothing_that_has_a_receipt_is_lost(tmp_path, kernels):
    here = course_of(tmp_path, kernels)
    tokens, chance, receipts = give_tokens(here), random.Random(7), {}

    def hand_in_for_ever(service, learner, stop):
        number = len(receipts) * 100
        while not stop.is_set():
            number += 1
            id = f"{learner}{number}".encode().hex().rjust(32, "0")
            content = notebook(here, add=f"{SOLUTION}\n// {learner} {number}")
            try:
                answer = put(service, tokens[learner], content, id)
            except httpx.TransportError:
                return
            if answer.status_code == 200:
                receipts[learner, id] = answer.json()["receipt"]

    for _ in range(4):
        with Service(here) as service:
            stop = threading.Event()
            threads = [
                threading.Thread(target=hand_in_for_ever, args=(service, name, stop))
                for name in tokens
            ]
            for one in threads:
                one.start()
            time.sleep(chance.uniform(0.05, 2.5))
            service.kill()
            stop.set()
            for one in threads:
                one.join()
    assert len(receipts) > 3
    with Service(here) as service:
        for learner, id in receipts:
            answered = result(service, tokens[learner], id)
            assert answered["report"]["checked"][0]["verdict"]["status"] == "passed", answered
    inbound = [path.name for path in (here.shelves / "inbound").iterdir()]
    assert len(inbound) == len(set(inbound))
    filed = {name.rpartition("+")[2] for name in inbound if not name.startswith(".")}
    assert {id for _, id in receipts} <= filed
    codes = {line["code"] for line in served.log(here)}
    assert {one["code"] for one in receipts.values()} <= codes
    assert ran(here, "autograde", LESSON).returncode == 0
    for learner in {name for name, _ in receipts}:
        newest = max(one["at"] for (name, _), one in receipts.items() if name == learner)
        stamp = here.path("submitted", LESSON, learner) / "timestamp.txt"
        assert stamp.read_text() >= newest


SERVING = "grader.classroom.serving:"
RECEIVING = f"{SERVING}HandInQueue."
KILLED = {  # where the service is killed, and whether the hand-in was received then
    "before it is looked at": (f"{RECEIVING}receive", "before", False),
    "while its line of the log is signed": (f"{RECEIVING}_log", "before", False),
    "when all is written but not kept": (f"{RECEIVING}_log", "after", False),
    "before the receipt is sent": (f"{RECEIVING}receive", "after", True),
    "before it is filed": (f"{SERVING}_filed", "before", True),
    "while it is filed": (f"{SERVING}filed", "after", True),
    "after it is filed": (f"{SERVING}_filed", "after", True),
    "while it is judged": ("grader.classroom.judges:answer", "after", True),
    "before the verdict is written": (f"{RECEIVING}settle", "before", True),
    "after the verdict is written": (f"{RECEIVING}settle", "after", True),
}


@pytest.fixture(scope="module")
def fragile(tmp_path_factory, kernels):
    """A course whose services are killed, and its tokens."""
    here = course_of(tmp_path_factory.mktemp("fragile"), kernels)
    return here, give_tokens(here)


@pytest.mark.parametrize("case", KILLED)
def test_a_service_that_is_killed_goes_on_where_it_was(fragile, case):
    (here, tokens), (*broken, is_received) = fragile, KILLED[case]
    inbound = here.shelves / "inbound"
    before = len(list(inbound.glob("ada+*")))
    id, content = f"{before:032x}", notebook(here, add=f"{SOLUTION}\n// {case}")
    receipts = []
    with Service(here, broken=broken) as service:
        with contextlib.suppress(httpx.TransportError):
            receipts.append(put(service, tokens["ada"], content, id).json()["receipt"])
        assert service.process.wait(60) == -signal.SIGKILL
    with Service(here) as service:
        again = put(service, tokens["ada"], content, id)
        assert again.status_code == (409 if is_received else 200)
        receipts.append(again.json()["receipt"])
        checked = result(service, tokens["ada"], id)["report"]["checked"]
        assert checked[0]["verdict"]["status"] == "passed"
    assert all(one == receipts[0] for one in receipts)
    assert receipts[0]["number"] == before + 1
    about = [line for line in served.log(here) if line["id"] == id]
    assert [line["what"] for line in about] == ["received", "judged"]
    assert about[0]["code"] == receipts[0]["code"]
    (filed,) = inbound.glob(f"*+{id}")
    assert (filed / f"{LESSON}.ipynb").read_bytes() == content
    assert (filed / "timestamp.txt").read_text() == receipts[0]["at"]


def test_autograde_that_is_killed_while_it_collects_begins_again(tmp_path, kernels):
    here = course_of(tmp_path, kernels)
    tokens = give_tokens(here)
    content = notebook(here, add=SOLUTION, scale=SCALED)
    with Service(here) as service:
        for name in ("ada", "ben"):
            put(service, tokens[name], content, ID)
            result(service, tokens[name], ID)
    broken = ("grader.classroom.collecting:_collect", "after")
    assert ran(here, "autograde", LESSON, broken=broken).returncode == -signal.SIGKILL
    graded = ran(here, "autograde", LESSON)
    assert graded.returncode == 0, graded.stderr
    for name in ("ada", "ben"):
        exercises = verdicts.read(here.path("autograded", LESSON, name))
        assert sum(map(verdicts.points, exercises.values())) == 6.0


def test_tokens_are_all_there_though_the_command_was_killed(tmp_path, kernels):
    here = course_of(tmp_path, kernels, released=False)
    for at in (("before", 2), ("after", 2)):
        broken = (f"{SERVING}filed", " ".join(map(str, at)))
        assert ran(here, "serve", "--tokens", broken=broken).returncode == -signal.SIGKILL
    assert sorted(give_tokens(here)) == sorted(served.LEARNERS)


def test_a_clock_that_is_wrong_after_a_crash_is_noticed(tmp_path, kernels):
    here = course_of(tmp_path, kernels)
    tokens, content = give_tokens(here), notebook(here)
    with Service(here) as service:
        assert put(service, tokens["ada"], content, "1" * 32).status_code == 200
        service.kill()
    with Service(here, broken=("clock", "-3600")) as service:
        refused = put(service, tokens["ada"], content, "2" * 32)
        assert (refused.status_code, "clock was set back by" in refused.text) == (503, True)
    with Service(here, "--clock-is-right", broken=("clock", "-3600")) as service:
        assert put(service, tokens["ada"], content, "2" * 32).status_code == 200
    assert "clock set" in [line["what"] for line in served.log(here)]


# --- the log -------------------------------------------------------------------------------------


def test_whoever_changes_the_log_is_found_out(tmp_path, kernels):
    here = course_of(tmp_path, kernels)
    tokens = give_tokens(here)
    with Service(here) as service:
        receipt = put(service, tokens["ada"], notebook(here), ID).json()["receipt"]
        result(service, tokens["ada"], ID)
    lines = served.log(here)
    assert [line["what"] for line in lines] == ["received", "judged"]
    assert lines[0]["code"] == receipt["code"]
    with sqlite3.connect(here.root / "serve" / "handins.db") as db:
        db.execute("UPDATE log SET line = replace(line, 'ada', 'ben') WHERE number = 1")
    said = ran(here, "serve", "--log")
    assert (said.returncode, "Line 1 of the log was changed" in said.stderr) == (2, True)
