"""`grader push`: marks over the REST interfaces of Canvas and Moodle, as their documentation and
source give them, played by a server on this machine."""

import contextlib
import json
import os
import shutil
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pytest
import small_class
from small_class import LESSON, NO_GUARD, SCALED, hand_in
from small_lesson import SOLUTION
from typer.testing import CliRunner

from grader.classroom import pushing
from grader.classroom.folder import new_course
from grader.cli.app import app

TOKEN = "1030~Nobody0May1See2This"
PAGE = 2  # rows, however many are asked for
CANVAS_ROSTER = """\
Student,ID,SIS User ID,SIS Login ID,Section
    Points Possible,,,,
"Lovelace, Ada",101,S-1,ada,Evening
"Müller, Ben",102,S-2,ben,Morning
"Cem, Cem",103,,cem,Morning
"Doe, Dora",104,S-4,dora,Morning
"""
MOODLE_ROSTER = """\
First name,Last name,ID number,Email address,Username
Ada,Lovelace,S-1,ada@uni.example,ada
Ben,Müller,S-2,ben@uni.example,ben
Cem,Cem,,cem@uni.example,cem
Dora,Doe,S-4,dora@uni.example,dora
"""


class Platform(ThreadingHTTPServer):
    """Course 42 of a learning platform. `limited` are answers that a rate limit gives before
    anything else; after `lasts` more requests it answers with the status 503."""

    def __init__(self, handler):
        super().__init__(("127.0.0.1", 0), handler)
        self.people = [
            {"id": 900 + number, "login_id": login, "username": login, "sis_user_id": f"S-{number}"}
            | {"idnumber": "", "email": f"{login}@uni.example", "name": login}
            for number, login in enumerate(["Ada", "ben", "cem", "dora", "other"], 1)
        ]
        self.assignments = [
            {"id": 4710, "name": "Lab 00 Hello", "points_possible": 1, "grade": 1},
            {"id": 4711, "name": "Lab 01 Add", "points_possible": 6, "grade": 6},
            {"id": 4712, "name": "Quiz 1", "points_possible": 5, "grade": 5},
        ]
        self.scores, self.excused, self.refused = {}, set(), {}
        self.limited, self.lasts, self.asked, self.saved = [], 10**9, [], []
        self.elsewhere = ""  # where Canvas's next page is instead
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"

    def row(self, user):
        score = self.scores.get(user)
        return {"user_id": user, "entered_score": score, "score": score, "grade": str(score)} | {
            "excused": user in self.excused
        }


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def answer(self, status, content, **headers):
        body = content.encode() if isinstance(content, str) else json.dumps(content).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def form(self):
        text = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        return {name: values[-1] for name, values in parse_qs(text).items()}

    def goes_on(self):
        """False if the rate limit, or the end of the server, has answered."""
        server = self.server
        server.asked.append(f"{self.command} {self.path}")
        server.lasts -= 1
        if server.limited:
            status, content, headers = server.limited.pop(0)
            self.answer(status, content, **headers)
        elif server.lasts < 0:
            self.answer(503, "<html>down</html>")
        else:
            return True
        return False


class Canvas(Handler):
    def do_GET(self):
        if not self.allowed():
            return
        address = urlsplit(self.path)
        query, server = parse_qs(address.query), self.server
        lists = {
            "/api/v1/courses/42/assignments": server.assignments,
            "/api/v1/courses/42/users": server.people,
            "/api/v1/courses/42/assignments/4711/submissions": [
                server.row(each["id"]) for each in server.people
            ],
        }
        if address.path not in lists:
            missing = "The specified resource does not exist."
            return self.answer(404, {"errors": [{"message": missing}]})
        if address.path.endswith("/users"):
            assert query["enrollment_type[]"] == ["student"]
        page = int(query.get("page", ["1"])[0])
        rows = lists[address.path]
        links = [f'<{server.url}{self.path}>; rel="current"']
        if page * PAGE < len(rows):
            rest = self.path.partition("&page=")[0]
            links.append(f'<{server.elsewhere or server.url}{rest}&page={page + 1}>; rel="next"')
        self.answer(200, rows[(page - 1) * PAGE : page * PAGE], Link=", ".join(links))

    def do_PUT(self):
        form = self.form()
        if not self.allowed():
            return
        path, user = self.path.rsplit("/", 1)
        assert path == "/api/v1/courses/42/assignments/4711/submissions"
        if user in self.server.refused:
            message = self.server.refused[user]
            return self.answer(400, {"errors": [{"message": message}]})
        self.server.scores[int(user)] = float(form["submission[posted_grade]"])
        self.server.saved.append(int(user))
        self.answer(200, self.server.row(int(user)), X_Rate_Limit_Remaining="699.5")

    def allowed(self):
        if not self.goes_on():
            return False
        if self.headers["Authorization"] != f"Bearer {TOKEN}":
            self.answer(401, {"errors": [{"message": "Invalid access token."}]})
            return False
        return True


class Moodle(Handler):
    def do_POST(self):
        form, server = self.form(), self.server
        if not self.goes_on():
            return
        assert self.path == "/webservice/rest/server.php"
        assert form["moodlewsrestformat"] == "json"
        if form["wstoken"] != TOKEN:
            said = "Ungültiges Token"
            return self.error("invalidtoken", said)
        self.answer(200, getattr(self, form["wsfunction"])(form, server))

    def error(self, code, message):
        kind = "core\\exception\\moodle_exception"
        return self.answer(200, {"exception": kind, "errorcode": code, "message": message})

    def mod_assign_get_assignments(self, form, server):
        if form["courseids[0]"] != "42":
            warning = {"item": "course", "itemid": 1, "warningcode": "2", "message": "not enrolled"}
            return {"courses": [], "warnings": [warning]}
        hidden = {"item": "module", "itemid": 3, "warningcode": "1", "message": "no access"}
        return {"courses": [{"id": 42, "assignments": server.assignments}], "warnings": [hidden]}

    def core_enrol_get_enrolled_users(self, form, server):
        return server.people

    def mod_assign_get_grades(self, form, server):
        assert form["assignmentids[0]"] == "4711"
        if not server.scores:
            warning = {"item": "assignment", "itemid": 4711, "warningcode": "3", "message": "none"}
            return {"assignments": [], "warnings": [warning]}
        grades = [
            {"id": user, "userid": user, "attemptnumber": 0, "grade": f"{score:.5f}"}
            for user, score in server.scores.items()
        ]
        return {"assignments": [{"assignmentid": 4711, "grades": grades}], "warnings": []}

    def mod_assign_save_grades(self, form, server):
        assert form["assignmentid"] == "4711"
        user = form["grades[0][userid]"]
        assert form["grades[0][attemptnumber]"] == "-1"
        if user in server.refused:
            return {"exception": "x", "errorcode": "y", "message": server.refused[user]}
        server.scores[int(user)] = float(form["grades[0][grade]"])
        server.saved.append(int(user))
        return None


@pytest.fixture(params=["canvas", "moodle"])
def system(request):
    return request.param


@pytest.fixture
def platform(system):
    server = Platform({"canvas": Canvas, "moodle": Moodle}[system])
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def graded(tmp_path_factory, grading):
    """Ada is right, ben's guard is missing, cem did one of two, dora has handed in nothing."""
    kernels = small_class.write_lesson(tmp_path_factory.mktemp("kernels"))
    here = new_course(tmp_path_factory.mktemp("course"), kernels)
    assert small_class.grader(here, "release", LESSON).exit_code == 0
    hand_in(here, "ada", add=SOLUTION, scale=SCALED)
    hand_in(here, "ben", add=NO_GUARD, scale=SCALED)
    hand_in(here, "cem", add=SOLUTION)
    assert small_class.grader(here, "autograde", LESSON).exit_code == 0
    with here.gradebook() as gradebook:
        gradebook.add_student("dora")
        gradebook.find_grade("check-scale", LESSON, LESSON, "ben").manual_score = 1.25
        gradebook.db.commit()
    return here


@pytest.fixture
def here(graded, tmp_path, system):
    """The course, with the platform's roster and a token that only its owner can read."""
    here = new_course(shutil.copytree(graded.root, tmp_path / "course"), graded.kernels)
    roster = {"canvas": CANVAS_ROSTER, "moodle": MOODLE_ROSTER}[system]
    (here.root / "roster.csv").write_text(roster)
    assert small_class.grader(here, "roster", "roster.csv").exit_code == 0
    (here.root / "token").write_text(f"{TOKEN}\n")
    (here.root / "token").chmod(0o600)
    return here


@pytest.fixture(autouse=True)
def pauses(monkeypatch):
    """The seconds that a push waits, which no test does."""
    seconds = []
    monkeypatch.setattr(pushing.time, "sleep", seconds.append)
    monkeypatch.delenv("WARPWISE_TOKEN", raising=False)
    return seconds


def push(here, platform, *options, environment=None, file="token"):
    system = "canvas" if platform.RequestHandlerClass is Canvas else "moodle"
    command = ["push", LESSON, "--to", system, "--course", "42", "--url", platform.url, *options]
    command += ["--token-file", file] if file else []
    with contextlib.chdir(here.root):
        done = CliRunner().invoke(app, command, env={"COLUMNS": "200", **(environment or {})})
    assert TOKEN not in done.output
    assert not any(TOKEN in one for one in platform.asked), "addresses are written into logs"
    return done


def test_a_push_is_a_dry_run_that_lists_and_counts_what_would_change(here, platform):
    platform.scores = {901: 5.5, 903: 4.0}
    said = push(here, platform)
    assert said.exit_code == 0, said.output
    rows = [line.split() for line in said.stdout.splitlines()]
    assert ["ada", "Lovelace,", "Ada", "5.5", "6"] in rows
    assert ["ben", "Müller,", "Ben", "-", "4.25"] in rows
    assert "cem" not in said.stdout
    assert 'is the assignment "Lab 01 Add" in course 42' in said.stdout
    counts = "to send: 2 marks; not possible: 0; there already: 1; without a mark: dora"
    assert counts in said.stdout
    assert "Nothing was sent" in said.stdout
    assert platform.saved == []


def test_with_yes_what_differs_is_sent_and_is_not_sent_again(here, platform):
    platform.scores = {903: 4.0}
    said = push(here, platform, "--yes")
    assert said.exit_code == 0, said.output
    assert "sent: 2 marks" in said.stdout
    assert platform.scores == {901: 6.0, 902: 4.25, 903: 4.0}
    assert sorted(platform.saved) == [901, 902]
    again = push(here, platform, "--yes")
    assert "sent: 0 marks; not possible: 0; there already: 3" in again.stdout
    assert sorted(platform.saved) == [901, 902]


def test_a_push_that_was_interrupted_is_resumed_by_the_same_command(here, platform):
    push(here, platform)
    platform.lasts = len(platform.asked) + 1  # the lists, and one mark
    said = push(here, platform, "--yes")
    assert (said.exit_code, len(platform.saved)) == (2, 1)
    assert "answers 503" in said.stderr
    assert "the same command" in said.stderr
    platform.lasts = 10**9
    said = push(here, platform, "--yes")
    assert said.exit_code == 0
    assert sorted(platform.saved) == [901, 902, 903], "none is sent twice"


@pytest.mark.parametrize(
    ("answer", "waits"),
    [
        ((403, "403 Forbidden (Rate Limit Exceeded)\n", {"X_Rate_Limit_Remaining": "0.0"}), 5.0),
        ((403, "", {"X_Rate_Limit_Remaining": "-3.25"}), 5.0),
        ((429, "", {"Retry_After": "7"}), 7.0),
        ((429, "", {"Retry_After": "Wed, 21 Oct 2099 07:28:00 GMT"}), 5.0),
        ((429, "", {"Retry_After": "86400"}), 60.0),
    ],
)
def test_a_rate_limit_is_waited_for(here, platform, pauses, answer, waits):
    platform.limited = [answer] * 2
    said = push(here, platform, "--yes")
    assert said.exit_code == 0, said.output
    assert pauses == [waits, waits]
    assert "limits the rate of requests" in said.stderr
    assert len(platform.saved) == 3


def test_a_rate_limit_is_waited_for_only_so_long(here, platform, pauses):
    platform.limited = [(429, "", {"Retry_After": "30"})] * 100
    said = push(here, platform, "--yes")
    assert said.exit_code == 2
    assert "for too long" in said.stderr
    assert sum(pauses) == 300


def test_a_forbidden_request_is_no_rate_limit(here, platform, pauses):
    said = '{"errors":[{"message":"user not authorized to perform that action"}]}'
    platform.limited = [(403, said, {"X_Rate_Limit_Remaining": "699.1"})]
    said = push(here, platform)
    assert (said.exit_code, pauses) == (2, [])
    assert "answers 403: user not authorized to perform that action" in said.stderr


def test_a_refused_mark_is_named_and_the_others_are_sent(here, platform):
    platform.refused = {"902": "Die Abgabe ist gesperrt \u001b[2J, \u201ezu\u201c"}
    said = push(here, platform, "--yes")
    assert said.exit_code == 1
    assert "ben: 127.0.0.1 answers" in said.stderr
    assert "Die Abgabe ist gesperrt \ufffd[2J, \u201ezu\u201c" in said.stderr
    assert "sent: 2 marks; not possible: 1" in said.stdout
    assert sorted(platform.saved) == [901, 903]


def test_who_is_not_in_the_course_is_named(here, platform):
    platform.people = [each for each in platform.people if each["username"] != "ben"]
    said = push(here, platform, "--yes")
    assert said.exit_code == 1
    assert "ben is not in course 42 of" in said.stderr
    assert sorted(platform.saved) == [901, 903]


def test_nobody_gets_the_mark_of_another(here, platform):
    """Two keys of one learner lead to two people; and both to the same person."""
    platform.people[4] |= {"sis_user_id": "S-2", "email": "ben@uni.example"}
    said = push(here, platform, "--yes")
    assert "ben could be several people of course 42" in said.stderr
    assert said.exit_code == 1
    assert sorted(platform.saved) == [901, 903]


@pytest.mark.parametrize("system", ["canvas"], indirect=True)
def test_who_is_excused_stays_so(here, platform):
    platform.excused = {901}
    said = push(here, platform, "--yes")
    assert "ada is excused in course 42 of canvas" in said.stderr
    assert sorted(platform.saved) == [902, 903]


@pytest.mark.parametrize("system", ["canvas"], indirect=True)
def test_the_marks_are_those_before_the_platform_s_own_lateness(here, platform, monkeypatch):
    row = platform.row
    monkeypatch.setattr(
        platform, "row", lambda user: row(user) | {"entered_score": 6.0, "score": 3.0}
    )
    assert "ada" not in push(here, platform).stdout


@pytest.mark.parametrize("system", ["canvas"], indirect=True)
def test_no_page_on_another_host_gets_the_token(here, platform):
    other = Platform(Canvas)
    platform.elsewhere = other.url
    said = push(here, platform)
    assert (said.exit_code, "127.0.0.1 answers 404" in said.stderr) == (2, True)
    assert other.asked == []
    other.shutdown()
    other.server_close()


def test_learners_who_are_not_on_the_roster_are_named_and_not_sent(here, platform):
    with here.gradebook() as gradebook:
        gradebook.add_student("zed")
    said = push(here, platform)
    assert "zed is not on the roster" in said.stderr
    assert "to send: 3 marks" in said.stdout
    assert "not on the roster: zed" in said.stdout


def test_a_section_alone_is_pushed(here, platform, system):
    if system == "moodle":
        text = (here.root / "course.toml").read_text()
        (here.root / "course.toml").write_text(
            text.replace("ada = {", 'ada = { section = "Evening",')
        )
    push(here, platform, "--yes", "--section", "Evening")
    assert platform.saved == [901]


@pytest.mark.parametrize("wanted", ["4711", "Lab 01 Add", "Lab 01 Add (4711)"])
def test_an_assignment_can_be_named(here, platform, wanted):
    platform.assignments += [{"id": 4713, "name": "Lab 01 Add again", "points_possible": 6}]
    said = push(here, platform)
    assert said.exit_code == 2
    assert "Lab 01 Add (4711), Lab 01 Add again (4713)" in said.stderr
    assert push(here, platform, "--assignment", wanted).exit_code == 0


def test_the_column_of_the_roster_is_the_assignment(here, platform, system):
    platform.assignments += [{"id": 4713, "name": "Lab 01 Add again", "points_possible": 6}]
    text = (here.root / "course.toml").read_text()
    column = "Lab 01 Add (4711)" if system == "canvas" else "Lab 01 Add"
    (here.root / "course.toml").write_text(
        f'{text}\n[lessons.{LESSON}.columns]\n{system} = "{column}"\n'
    )
    assert "Lab 01 Add" in push(here, platform).stdout


def test_an_assignment_that_is_not_there_is_said_with_those_that_are(here, platform):
    platform.assignments = platform.assignments[:1]
    for options in ([], ["--assignment", "4711"]):
        said = push(here, platform, *options)
        assert said.exit_code == 2
        assert "No assignment of course 42 could be" in said.stderr
        assert "Lab 00 Hello (4710)" in said.stderr


def test_another_maximum_is_said(here, platform):
    platform.assignments[1] |= {"points_possible": 10, "grade": 10}
    said = push(here, platform)
    assert "It gives 10 points, and the lesson 6: marks are sent as they are." in said.stdout


@pytest.mark.parametrize("system", ["moodle"], indirect=True)
def test_a_warning_of_moodle_s_is_no_empty_list(here, platform):
    with contextlib.chdir(here.root):
        command = ["push", LESSON, "--to", "moodle", "--course", "7", "--url", platform.url]
        said = CliRunner().invoke(app, [*command, "--token-file", "token"])
    assert (said.exit_code, "not enrolled" in said.stderr) == (2, True)


# --- the token -----------------------------------------------------------------------------------


def test_the_token_is_nowhere_but_in_its_file(here, platform):
    """Also when the platform repeats it in an error."""
    platform.refused = {"901": f"no {TOKEN} here"}
    for options in ([], ["--yes"]):
        push(here, platform, *options)
    small_class.grader(here, "export", LESSON, "--for", "canvas")
    small_class.grader(here, "report")
    found = [
        path.relative_to(here.root).as_posix()
        for path in here.root.rglob("*")
        if path.is_file() and TOKEN.encode() in path.read_bytes()
    ]
    assert found == ["token"]


def test_the_environment_has_the_token_where_no_file_is_named(here, platform):
    said = push(here, platform, file=None, environment={"WARPWISE_TOKEN": TOKEN})
    assert said.exit_code == 0, said.output
    said = push(here, platform, file=None)
    assert (said.exit_code, said.stderr.count("\n")) == (2, 1)
    assert "WARPWISE_TOKEN has no token" in said.stderr


@pytest.mark.skipif(os.name == "nt", reason="Windows has other rights")
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660])
def test_a_token_that_others_can_read_is_refused(here, platform, mode):
    (here.root / "token").chmod(mode)
    said = push(here, platform)
    assert said.exit_code == 2
    assert "Others can read token: run `chmod 600 token`" in said.stderr
    assert platform.asked == []


@pytest.mark.parametrize("content", ["", "two words", "a\u200bb", "line\nline"])
def test_no_token_is_said_without_repeating_it(here, platform, content):
    (here.root / "token").write_text(content)
    said = push(here, platform)
    assert (said.exit_code, said.stderr.count("\n")) == (2, 1)
    assert "token has no token, which is one word" in said.stderr
    assert platform.asked == []


def test_a_token_that_the_platform_does_not_know_ends_the_push(here, platform):
    (here.root / "token").write_text("wrong")
    said = push(here, platform)
    assert said.exit_code == 2
    assert "oken" in said.stderr.partition("answers")[2]
    assert "wrong" not in said.stderr


@pytest.mark.parametrize(
    "url",
    [
        "http://canvas.example.edu",
        "https://user:word@canvas.example.edu",
        "https://canvas.example.edu/?wstoken=1",
        "ftp://canvas.example.edu",
        "canvas.example.edu",
        "http://127.0.0.1.example.edu",
    ],
)
def test_an_address_that_could_give_the_token_away_is_refused(here, platform, url):
    said = push(here, platform, "--url", url)
    assert said.exit_code == 2
    assert "--url should be an address like https://" in said.stderr


def test_a_platform_that_is_not_there_is_said(here, platform):
    said = push(here, platform, "--url", "http://127.0.0.1:9")
    assert said.exit_code == 2
    assert "127.0.0.1 could not be reached (ConnectError)" in said.stderr


def test_what_is_no_platform_is_said(here, platform):
    platform.limited = [(200, "<html>Log in</html>", {})]
    said = push(here, platform)
    assert (said.exit_code, "no JSON. See if --url is right." in said.stderr) == (2, True)
    assert push(here, platform, "--to", "ilias").exit_code == 2


# --- a platform that lies ------------------------------------------------------------------------

DEEP = "[" * 100_000


def one_sentence(said):
    """A push that ended with a sentence, and not with a failure of the grader's own."""
    assert (said.exit_code, said.stderr.count("\n")) == (2, 1), said.stderr
    assert "\x1b" not in said.output
    return said.stderr


def test_an_answer_that_is_not_as_documented_is_one_sentence(here, platform):
    for content in (
        *(DEEP, f'{{"message": {DEEP}', '{"message": "\\d"}', '{"message": "\\ud800 \\u001b[2J"}'),
        *("null", "7", '["x"]', "[null]", "[[]]", '[{"name": "Lab 01 Add"}]', '{"courses": [{}]}'),
        *('{"courses": [{"assignments": 3}]}', '{"warnings": [7]}', '{"warnings": 7}'),
        *('{"warnings": [{"warningcode": "1", "message": null}]}', f"[{'9' * 9999}]"),
        *('[{"id": [], "name": ["Lab 01 Add"]}]', '[{"id": 4711, "name": null}]'),
    ):
        for status in (200, 400):
            platform.limited = [(status, content, {})]
            one_sentence(push(here, platform))


def test_the_name_of_an_encoding_changes_nothing(here, platform):
    platform.limited = [
        (429, "", {"Content_Type": f"application/json; charset={encoding}"})
        for encoding in ("hex", "rot13", "undefined", "idna", "nothing")
    ]
    assert push(here, platform).exit_code == 0


@pytest.mark.parametrize("system", ["moodle"], indirect=True)
@pytest.mark.parametrize("person", [7, None, [], {"username": "ben"}])
def test_a_person_that_is_none_is_one_sentence(here, platform, person):
    platform.people.append(person)
    one_sentence(push(here, platform))
    assert platform.saved == []


@pytest.mark.parametrize("system", ["canvas"], indirect=True)
@pytest.mark.parametrize("score", ["A", [], {}, 10**400])
def test_a_score_that_is_no_number_is_one_sentence(here, platform, score):
    platform.scores = {901: score}
    one_sentence(push(here, platform, "--yes"))
    assert platform.saved == []


@pytest.mark.parametrize("most", [[6], "six", -3, float("nan")])
def test_a_maximum_that_is_none_is_one_sentence(here, platform, most):
    """A negative one is Moodle's number of a scale."""
    platform.assignments[1] |= {"points_possible": most, "grade": most}
    one_sentence(push(here, platform, "--yes"))
    assert platform.saved == []


@pytest.mark.parametrize("system", ["canvas"], indirect=True)
def test_a_list_without_an_end_is_one_sentence(here, platform, monkeypatch):
    monkeypatch.setattr(pushing, "MOST_PAGES", 20)
    monkeypatch.setitem(pushing._CANVAS_LISTS, "assignments", "assignments?page=1&per_page=1")
    platform.assignments *= 1000
    assert "more than 20 pages" in one_sentence(push(here, platform))


def test_what_a_platform_says_is_shown_without_escapes_and_without_the_token(here, platform):
    platform.assignments[1]["name"] = f"Lab 01 Add \x1b]0;{TOKEN}\x07 \u202e"
    said = push(here, platform, "--assignment", "4711")
    assert said.exit_code == 0
    assert "\x1b" not in said.output and "\u202e" not in said.output


@pytest.mark.parametrize("system", ["moodle"], indirect=True)
def test_a_warning_that_repeats_the_token_is_shown_without_it(here, platform):
    warning = {"warningcode": "1", "message": f"no course for {TOKEN}"}
    platform.limited = [(200, {"courses": [], "warnings": [warning]}, {})]
    assert "no course for (token)" in one_sentence(push(here, platform))


def test_who_takes_the_key_of_somebody_who_is_not_there_gets_no_mark_of_theirs(here, platform):
    """Dora, who has no mark, has the address of ben, who left that course."""
    platform.people = [each for each in platform.people if each["username"] != "ben"]
    dora = next(each for each in platform.people if each["username"] == "dora")
    dora |= {"sis_user_id": "S-2", "email": "ben@uni.example"}
    said = push(here, platform, "--yes")
    assert "ben could be several people of course 42" in said.stderr
    assert sorted(platform.saved) == [901, 903]


@pytest.mark.parametrize("url", ["https://xn--", f"https://{'a' * 300}.example", "https://a..b"])
def test_an_address_that_is_none_is_one_sentence(here, platform, url):
    one_sentence(push(here, platform, "--url", url))


@pytest.mark.parametrize("elsewhere", [{"Location": "http://127.0.0.1:9/"}, {"Location": "\x00"}])
def test_no_other_address_gets_the_token(here, platform, elsewhere):
    platform.limited = [(307, "", elsewhere)]
    one_sentence(push(here, platform, "--yes"))
    assert len(platform.asked) == 1
