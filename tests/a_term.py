"""A term of a made class: 60 learners in two sections, a TA for each, a homework and an exam, which
the real commands hand out, take, judge, mark, give back and send on. Commands are killed at many
places, as by `kill -9`, and then given again.

Nothing of the grader's decides what is expected: an answer says what it is worth, and what TAs and
lateness do to that is counted here once more.
"""

import contextlib
import csv
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime

import httpx
import nbformat
import served
import small_questions
from forked import Command, Service, ran
from served import folder_of
from small_class import LESSON, NO_GUARD, SCALED, UNGUARDED_SCALE, cell_of, grader
from small_lesson import DIFFERENCE, SOLUTION, SUBTRACTS, instead
from small_questions import RIGHT, WRONG

from grader import course
from grader.classroom import coursefile, handing_out
from grader.classroom.folder import CourseFolder, begin, open_course
from grader.course import mistakes, variants
from grader.course.weave import learners_cell, text
from grader.judge import judge

LEARNERS = 60
TAS = {"tim": "Morning", "tom": "Evening"}  # Morning has the even numbers
PROF = "prof"
MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0

# --- answers, and what they are worth -------------------------------------------------------------

EQUAL = instead("    if (i < n)  // the guard\n        total[i] = x[i] - y[i];")
OTHERWISE = instead(
    "    if (n > i) {\n        float less = x[i];\n        total[i] = less - y[i];\n    }"
)
NO_C = instead("    if (i < n) total[i] = x[i] + ;")
EARLY, LOUD, VAGUE, HALF = (
    RIGHT["why"],
    RIGHT["why"].upper(),
    "Because.",
    "Threads wait for each other.",
)
TEXTS = {EARLY: "right", LOUD: "right", VAGUE: "not_right", HALF: "in_part"}
BY_RUBRIC = {"right": 3.0, "in_part": 1.5, "not_right": 0.0}  # of the 3 points of `why`

# By answer its points, as the lesson's author counts them. Empty: as it was handed out.
WORTH = {
    "add": {SOLUTION: 4, SUBTRACTS: 1.6, EQUAL: 1.6, OTHERWISE: 1.6, NO_GUARD: 3, NO_C: 0, "": 0},
    "scale": {SCALED: 2, UNGUARDED_SCALE: 1, "": 0},
    "how_many": {RIGHT["how_many"]: 1, WRONG["how_many"]: 0, "": 0},
    "share": {RIGHT["share"]: 2, "70 %": 0, "": 0},
    "waits": {RIGHT["waits"]: 1, WRONG["waits"]: 0, "": 0},
    "steps": {RIGHT["steps"]: 1, "add\nload\nwait": 0, "": 0},
    "why": {EARLY: None, LOUD: None, VAGUE: None, HALF: None, "": 0},
}
TAKES_AWAY = (SUBTRACTS, EQUAL, OTHERWISE)  # each has the one named mistake
KERNELS = ("add", "scale")
MOST = 14.0

# --- whose term is another one --------------------------------------------------------------------

LATE, ACCOMMODATED, AGAIN, TWICE = 3, 5, 8, 10
ABSENT, UNTOUCHED = (20, 41), 25
OWN_FOLDER = 2  # works in a folder that `grader lab` has made of the published course
ONE_OF_MORNING, NO_GUARD_OF_MORNING, ONE_OF_EVENING = 0, 4, 1
ACCEPTED, REFUSED, COMMENTED = 7, 9, OWN_FOLDER  # requests for a regrade
FIXED = {
    ONE_OF_MORNING: {"add": SUBTRACTS, "why": EARLY},
    OWN_FOLDER: {"add": EQUAL, "why": HALF},
    NO_GUARD_OF_MORNING: {"add": NO_GUARD, "why": VAGUE},
    AGAIN: {"add": NO_GUARD, "why": LOUD},
    TWICE: {"add": SOLUTION, "scale": SCALED, "why": EARLY},
    ONE_OF_EVENING: {"add": OTHERWISE, "scale": UNGUARDED_SCALE, "why": EARLY},
    LATE: {"add": SUBTRACTS, "why": EARLY},
    ACCOMMODATED: {"add": SOLUTION, "scale": SCALED, "why": EARLY},
    ACCEPTED: {"add": SOLUTION, "scale": UNGUARDED_SCALE, "why": VAGUE},
    REFUSED: {"add": NO_C, "why": HALF},
    UNTOUCHED: dict.fromkeys(WORTH, ""),
}
SECOND = {"add": SOLUTION, "scale": SCALED}  # what AGAIN hands in late, and TWICE in time


def name_of(number):
    return f"learner_{number:02}"


def section_of(number):
    return "Evening" if number % 2 else "Morning"


def drawn_answers():
    """By learner's number, an answer to each exercise."""
    chance = random.Random("a term")
    drawn = {
        number: {exercise: chance.choice([*worth]) for exercise, worth in WORTH.items()}
        for number in range(LEARNERS)
        if number not in ABSENT
    }
    return {number: answers | FIXED.get(number, {}) for number, answers in drawn.items()}


# --- the exam -------------------------------------------------------------------------------------

EXAM, KERNEL, QUESTION = "02_exam", "saxpy", "tail"
VARIANTS = 8  # that its kernel is drawn from
SLOW, FORGETFUL, LATECOMER = 6, 14, 15
ASKED = """
from grader.course import Choose, Exercise

tail = Exercise(
    name="tail",
    title="The last block",
    kind=Choose(asks="What guards the end?", options={"guard": "an if", "loop": "a for"}, points=2),
)
"""
SOLVED, BROKEN, COPIED, BLANK = "solved", "broken", "copied", "blank"
DONE = (SOLVED, SOLVED, BROKEN, SOLVED, COPIED, BLANK, SOLVED)  # one after the other


def write_exam(kernels):
    """An exam of a kernel of the public course, with variants, and of a question."""
    public, lesson = course.KERNELS / "00_first_kernel", kernels / EXAM
    lesson.mkdir()
    shutil.copy(public / "4_saxpy.cu", lesson)
    exercises, rules = ((public / f"{name}.py").read_text() for name in ("exercises", "rules"))
    (lesson / "exercises.py").write_text(f"{exercises}\n\ndel add_bias, mirror\n")
    (lesson / "rules.py").write_text(rules.partition("\nadd_bias = Rule(")[0])
    (lesson / "exercises_questions.py").write_text(ASKED)
    (lesson / "answers.toml").write_text('[tail]\nright = "guard"\n')
    for file, most in (("variants.json", VARIANTS), ("launches.json", None)):
        kept = json.loads((public / file).read_text())[KERNEL]
        (lesson / file).write_text(json.dumps({KERNEL: kept[:most]}))
    page = "".join(f"```{{exercise}} {name}\n```\n\n" for name in (KERNEL, QUESTION))
    (lesson / "lesson.md").write_text(f"# Exam\n\n{page}")


def lesson_of(folder):
    """What finds a lesson for learners whose course is the one that was published into the
    folder."""
    return lambda name: course.lesson(name, folder / "for-learners/kernels")


# --- commands -------------------------------------------------------------------------------------


@contextlib.contextmanager
def given_by(user):
    """Commands in here are this user's."""
    before = os.environ.get("LOGNAME")
    os.environ["LOGNAME"] = user
    try:
        yield
    finally:
        os.environ.pop("LOGNAME")
        if before is not None:
            os.environ["LOGNAME"] = before


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class RubricPage(Command):
    """`grader rubric`, and what its page asks when keys are pressed."""

    def __init__(self, here, user, broken=()):
        super().__init__(here, "rubric", LESSON, user=user, broken=broken)
        found = None
        while not found:
            line = self.line()
            assert line, self.said("stderr")
            found = re.search(r"(http://127\.0\.0\.1:\d+)/\?token=(\S+)", line)
        self.url, self.token = found.groups()

    def ask(self, exercise, **act):
        """The page's answer to an act; without one, what it shows."""
        asked = {"exercise": exercise} | ({"act": act} if act else {})
        headers = {"X-Warpwise-Token": self.token}
        answer = httpx.post(f"{self.url}/rubric", json=asked, headers=headers, timeout=60).json()
        assert "error" not in answer, answer
        return answer

    def item(self, exercise, text="", points=0.0, item=""):
        """Write an item, or change one: its name."""
        shown = self.ask(exercise, do="item", item=item, text=text, points=points)
        return item or shown["acts"][0]["item"]

    def put(self, exercise, number, item, scope, on=True):
        learner = name_of(number)
        self.ask(exercise, do="put", learner=learner, item=item, scope=scope, on=on)


# --- the term -------------------------------------------------------------------------------------


@dataclass
class Term:
    """The course, who handed in what, and the marks as they are counted here."""

    folder: object
    here: CourseFolder
    due: float
    exam: float
    tokens: dict = field(default_factory=dict)
    answers: dict = field(default_factory=drawn_answers)  # what counts of each number
    late: dict = field(default_factory=dict)  # by number, the days that have begun
    by_hand: dict = field(default_factory=dict)  # by number and exercise
    items: dict = field(default_factory=dict)  # by number, the points of items on add
    fault: float | None = None  # what the named mistake takes away, once a TA has said so
    done: dict = field(default_factory=dict)  # by number, what was handed in in the exam
    kills: list = field(default_factory=list)
    receipts: int = 0
    refusals: int = 0

    # --- an instructor's side ---------------------------------------------------------------------

    def said(self, user, *arguments, status=0):
        """What a command says that must end with this status."""
        with given_by(user):
            done = grader(self.here, *arguments)
        assert done.exit_code == status, done.output
        return done.output

    def killed(self, user, *arguments, at, status=0):
        """Give a command that is killed there, and then the same command again."""
        gone = ran(self.here, *arguments, broken=at, user=user)
        assert gone.returncode == -signal.SIGKILL, (arguments, gone)
        self.kills.append(f"{arguments[0]}: {' '.join(at)}")
        done = ran(self.here, *arguments, user=user)
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout + done.stderr

    @contextlib.contextmanager
    def serving(self, when, port=0):
        """A service by whose clock it is `when`; it has judged everything in the end."""
        clock = ("clock", f"{when - time.time():.3f}")
        with Service(self.here, "--port", str(port), broken=clock) as service:
            yield service
            while service.waiting(self.here):
                time.sleep(0.1)

    def while_services_die(self, when, faults, work):
        """Do `work`, which talks to a service at the port that it is given, while one service after
        the other is killed by its fault, and then by one that lives."""
        port, clock = free_port(), ("clock", f"{when - time.time():.3f}")
        with ThreadPoolExecutor(1) as pool:
            working = None
            for fault in faults:
                with Service(self.here, "--port", str(port), broken=(*clock, *fault)) as service:
                    working = working or pool.submit(work, service.url)
                    assert service.process.wait() == -signal.SIGKILL, fault
                self.kills.append(f"serve: {' '.join(fault)}")
            with self.serving(when + MINUTE, port):
                working.result(120)

    # --- a learner's side -------------------------------------------------------------------------

    def desk(self, number, lesson=LESSON):
        where = self.folder / "desks" / name_of(number)
        return where if lesson == LESSON else where.with_name(f"{name_of(number)} in the exam")

    def to(self, number, url):
        return "--to", url, "--token-file", str(self.tokens[name_of(number)])

    def submit(self, number, url, lesson=LESSON, refused=""):
        """Hand in what lies in the learner's folder, by the learner's own command."""
        where = self.desk(number, lesson)
        where = where if lesson == LESSON else where / EXAM
        said = served.learner(where, "submit", lesson, *self.to(number, url), "--no-wait")
        if refused:
            assert said.exit_code == 2 and refused in said.output, said.output
            self.refusals += 1
        else:
            assert said.exit_code == 0, said.output
            self.receipts += 1

    def write(self, number, answers):
        """The learner's notebook of the homework, with these answers."""
        kernels = {name: answers[name] for name in KERNELS if answers[name]}
        asked = {name: said for name, said in answers.items() if said and name not in KERNELS}
        made = nbformat.reads(served.notebook(self.here, **kernels), as_version=4)
        small_questions.written(made, asked)
        if any(answers.values()):
            made.cells.append(nbformat.v4.new_markdown_cell(f"By {name_of(number)}."))
        where, content = self.desk(number), text(made).encode()
        if where.is_dir():
            (where / f"{LESSON}.ipynb").write_bytes(content)
        else:
            folder_of(where, content)

    # --- what it must come to ---------------------------------------------------------------------

    def expected(self, number):
        """By exercise of the homework, the points."""
        if number not in self.answers:
            return None
        answers = self.answers[number]
        points = {name: WORTH[name][said] for name, said in answers.items()}
        if self.fault is not None and answers["add"] in TAKES_AWAY:
            points["add"] = 4 - self.fault
        points["add"] = min(points["add"] + self.items.get(number, 0.0), 4.0)
        if answers["why"]:
            points["why"] = BY_RUBRIC[TEXTS[answers["why"]]]
        return points | {
            name: mark for (whose, name), mark in self.by_hand.items() if whose == number
        }

    def total(self, number):
        """The mark of the homework, lateness taken off; None where nothing was handed in."""
        points = self.expected(number)
        if points is None:
            return None
        whole = sum(points.values())
        return whole - min(whole, 0.1 * MOST * self.late.get(number, 0))


def of(folder):
    """From the first day of the term to the last."""
    term = began(folder)
    for step in (
        hand_in,
        first_marks,
        rubrics,
        late_work,
        feedback,
        requests,
        exam_day,
        marks_of_the_exam,
    ):
        step(term)
    return term


def began(folder):
    """A private course is made and published, its class is entered, and the homework released."""
    home = folder / "graded"
    (home / "kernels").mkdir(parents=True)
    begin(home)
    kernels = small_questions.write_lesson(home / "kernels")
    named = kernels / LESSON / mistakes.FILE
    named.write_text(named.read_text() + DIFFERENCE)
    here = open_course(home / "nbgrader_config.py")
    for command in (("build",), ("publish", str(folder / "for-learners"))):
        done = served.ran(here, "--course", str(home), *command)
        assert done.returncode == 0, done.stderr
    write_exam(kernels)
    done = served.ran(here, "--course", str(home), "build", EXAM)
    assert done.returncode == 0, done.stderr
    exam = time.time() // 60 * 60 - 3 * HOUR
    term = Term(folder, here, exam - 5 * DAY, exam)
    (folder / "canvas.csv").write_text(roster())
    entered = ("grader.classroom.coursefile:filed", "before")
    said = term.killed(PROF, "roster", str(folder / "canvas.csv"), at=entered)
    assert f"{LEARNERS} learners from a file of canvas; sections: Evening (30), Morn" in said
    with coursefile.changed(here) as document:
        document["tas"] = {ta: [section] for ta, section in TAS.items()}
        rules = coursefile.table(document, "lessons", EXAM, "serve")
        opens = (datetime.fromtimestamp(at, UTC) for at in (exam, exam + 2 * HOUR))
        rules["start"], rules["end"] = (f"{at:%Y-%m-%d %H:%M}" for at in opens)
        rules.update(minutes=30, tries=3, shows="status", vary=True)
    due = f"{datetime.fromtimestamp(term.due, UTC):%Y-%m-%d %H:%M}"
    date = ("--due", due, "--late", "10%/day, at most 3 days", "--yes")
    released = ("grader.classroom.folder:CourseFolder.run", "after")
    term.killed(PROF, "release", LESSON, *date, at=released)
    assert "as an exam" in term.said(PROF, "release", EXAM, "--exam")
    term.said(PROF, "accommodate", name_of(ACCOMMODATED), "--days", "2")
    term.said(PROF, "accommodate", name_of(SLOW), "--time", "1.25")
    term.killed(PROF, "serve", "--tokens", at=("grader.classroom.serving:filed", "after 23"))
    term.tokens = served.give_tokens(here, ran)
    assert len(term.tokens) == LEARNERS
    return term


def roster():
    """As Canvas exports it."""
    rows = [
        f'"Last{at:02}, First",{1000 + at},S-{at},{name_of(at)},{section_of(at)}'
        for at in range(LEARNERS)
    ]
    head = "Student,ID,SIS User ID,SIS Login ID,Section\n    Points Possible,,,,\n"
    return head + "\n".join(rows) + "\n"


SERVING = "grader.classroom.serving:"
DEATHS = (
    (f"{SERVING}HandInQueue._log", "after"),  # between the line of the log and the receipt
    (f"{SERVING}HandInQueue.receive", "after 4"),  # the receipt is kept, and not sent
    (f"{SERVING}_filed", "before 3"),
    ("grader.classroom.judges:answer", "after"),  # while it judges
    (f"{SERVING}HandInQueue.settle", "before 2"),
)


def at_home(term, number, *command):
    """What a command says that a learner gives, with the course that was published."""
    line, options = served.command(
        term.here, "--course", str(term.folder / "for-learners"), *command
    )
    where = term.desk(number) if term.desk(number).is_dir() else term.desk(number).parent
    done = subprocess.run(line, **(options | {"cwd": where}), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def hand_in(term):
    """All who are in time hand in, while the service is killed five times."""
    desk = term.desk(OWN_FOLDER)
    desk.parent.mkdir()
    at_home(term, OWN_FOLDER, "lab", "--no-open", str(desk))
    in_time = [number for number in term.answers if number not in (LATE, ACCOMMODATED)]

    def work(url):
        for number in in_time:
            if number == TWICE:
                term.write(number, term.answers[number] | {"add": NO_C, "scale": ""})
                term.submit(number, url)
            term.write(number, term.answers[number])
            term.submit(number, url)

    term.while_services_die(term.due - DAY, DEATHS, work)


def first_marks(term):
    """Each TA grades the own section, and is killed."""
    section = {
        ta: [number for number in term.answers if section_of(number) == of]
        for ta, of in TAS.items()
    }
    for ta, at in (
        ("tim", ("grader.classroom.collecting:_collect", "after")),
        ("tom", ("grader.classroom.batch:Entering._save", "after 13")),
    ):
        said = term.killed(ta, "autograde", LESSON, at=at)
        there = len(set(section[ta]) - {LATE, ACCOMMODATED})
        assert f"graded: {there} submissions" in said, said


def rubrics(term):
    """Both TAs mark by the same rubric, each the own section."""
    died = ("grader.classroom.rubric:add", "after")
    names = "good_names"
    with RubricPage(term.here, "tim", broken=died) as page:
        with contextlib.suppress(httpx.TransportError):
            page.item("add", "Good names", 0.5)
        assert page.wait() == -signal.SIGKILL
    term.kills.append("rubric: a new item, before rubric.toml has it")
    with RubricPage(term.here, "tim") as page:
        page.ask("add", do="undo")  # what the killed page has left
        assert page.item("add", "Good names", 0.5) == names
        page.put("add", ONE_OF_MORNING, names, "one")
        for number, item in ((ONE_OF_MORNING, "right"), (OWN_FOLDER, "in_part")):
            page.put("why", number, item, "equal")
        shown = page.ask("add")["answers"]
        assert {one["section"] for one in shown} == {"Morning"}
    with RubricPage(term.here, "tim", broken=died) as page:
        with contextlib.suppress(httpx.TransportError):
            page.put("add", NO_GUARD_OF_MORNING, names, "equal")
        assert page.wait() == -signal.SIGKILL
    term.kills.append("rubric: an act, before the gradebook has it")
    with RubricPage(term.here, "tim") as page:
        page.put("add", NO_GUARD_OF_MORNING, names, "equal")
        page.put("why", NO_GUARD_OF_MORNING, "not_right", "equal")
        page.item("add", "y is taken away", -1.0, "difference")
    with RubricPage(term.here, "tom") as page:
        page.put("add", ONE_OF_EVENING, names, "mistake")
        for number, item in (
            (ONE_OF_EVENING, "right"),
            (ACCEPTED, "not_right"),
            (REFUSED, "in_part"),
        ):
            page.put("why", number, item, "equal")
        page.item("add", "Very good names", 1.0, names)  # for both sections
        praise = page.item("scale", "Short", 0.5)
        page.put("scale", ONE_OF_EVENING, praise, "one")
        page.ask("scale", do="undo")
    term.fault = 1.0
    count_items(term)


def count_items(term):
    """What the rubric's item adds to whose answers to `add`, by what they are now."""
    for number, answers in term.answers.items():
        is_morning = section_of(number) == "Morning"
        has = answers["add"] == NO_GUARD if is_morning else answers["add"] in TAKES_AWAY
        term.items[number] = 1.0 if has or number == ONE_OF_MORNING else 0.0


def late_work(term):
    """A day and a half after it was due two hand in, one of them in time by what was granted, and
    one hands in another answer. Both TAs grade again."""
    with term.serving(term.due + 1.5 * DAY) as service:
        for number in (LATE, ACCOMMODATED, AGAIN):
            if number == AGAIN:
                term.answers[number] |= SECOND
            term.write(number, term.answers[number])
            term.submit(number, service.url)
    term.late = {LATE: 2, AGAIN: 2}
    count_items(term)
    settled = ("grader.classroom.lateness:apply", "before")
    term.killed("tim", "autograde", LESSON, at=settled)
    term.said("tom", "autograde", LESSON)


def feedback(term):
    """Each TA writes the pages of the own section, and is killed."""
    for ta, at in (
        ("tim", ("grader.classroom.feedback:whole", "before 11")),
        ("tom", ("grader.classroom.verdicts:keep_shown", "after 7")),
    ):
        there = sum(section_of(number) == TAS[ta] for number in term.answers)
        assert f"feedback: {there} pages" in term.killed(ta, "feedback", LESSON, at=at)


ASKS = {
    ACCEPTED: ("scale", "The rest is right."),
    REFUSED: ("add", "It compiled yesterday."),
    COMMENTED: ("why", "What is missing?"),
}
ANSWERS = {
    ACCEPTED: "You are right, all else is as it should be.",
    REFUSED: "No: there is an operator without a right side.",
    COMMENTED: "A thread could read before another one has written.",
}


def requests(term):
    """Three learners ask for a regrade: one mark changes, one stays, one gets a comment. The
    command that answers is killed twice."""
    for number, (exercise, why) in ASKS.items():
        command = ("appeal", LESSON, exercise, why)
        if number == OWN_FOLDER:
            said = at_home(term, number, *command)
        else:
            said = served.learner(term.desk(number), *command).stdout
        (file,) = re.findall(r"instructor: (.*)", said)
        to = term.here.root / "appeals" / name_of(number)
        to.mkdir(parents=True)
        shutil.copy(term.desk(number) / file, to)
    shown = term.said("tim", "appeals")
    assert "1 open request\n" in shown and name_of(COMMENTED) in shown, shown
    assert name_of(ACCEPTED) not in shown
    assert "2 open requests\n" in term.said("tom", "appeals")

    def answer(number):
        return "appeals", "--answer", name_of(number), LESSON, ASKS[number][0], ANSWERS[number]

    refused = term.said("tim", *answer(ACCEPTED), status=2)
    assert "is in another section" in refused
    before = ("grader.classroom.grading:settle", "before")
    term.killed("tom", *answer(ACCEPTED), "--points", "2", at=before)
    term.killed("tim", *answer(COMMENTED), at=("grader.classroom.appeals:filed", "before"))
    term.said("tom", *answer(REFUSED))
    assert "0 open requests" in term.said(PROF, "appeals")
    term.by_hand[ACCEPTED, "scale"] = 2.0
    term.said("tim", "feedback", LESSON)
    term.said("tom", "feedback", LESSON)


# --- the exam -------------------------------------------------------------------------------------


def exam_day(term):
    """Each learner has 30 minutes from the own beginning, and one of them a quarter more."""
    begins = lambda url, number: served.learner(  # noqa: E731
        term.desk(number, EXAM), "exam", EXAM, *term.to(number, url)
    )
    first = [n for n in term.answers if section_of(n) == "Morning"]
    second = [n for n in term.answers if section_of(n) == "Evening" and n != LATECOMER]
    for number in term.answers:
        term.desk(number, EXAM).mkdir()

    def all_begin(url, numbers=first):
        for number in numbers:
            began = begins(url, number)
            assert began.exit_code == 0, began.output

    with term.serving(term.exam - 5 * MINUTE) as service:
        early = begins(service.url, first[0])
        assert early.exit_code == 2 and "opens on" in early.output, early.output
    death = (f"{SERVING}HandInQueue.begin", "after 3")
    term.while_services_die(term.exam + MINUTE, [death], all_begin)
    with term.serving(term.exam + 25 * MINUTE) as service:
        for number in first:
            if number not in (SLOW, FORGETFUL):
                in_exam(term, number, service.url)
        all_begin(service.url, second)
    with term.serving(term.exam + 34 * MINUTE) as service:
        in_exam(term, FORGETFUL, service.url, refused="closed for you")
        in_exam(term, SLOW, service.url)
    with term.serving(term.exam + 41 * MINUTE) as service:
        in_exam(term, SLOW, service.url, refused="closed for you")
        for number in second:
            in_exam(term, number, service.url)
    with term.serving(term.exam + 100 * MINUTE) as service:
        in_exam(term, second[0], service.url, refused="closed for you")
        all_begin(service.url, [LATECOMER])
        in_exam(term, LATECOMER, service.url)
    for minutes, shows in ((121, "status"), (151, "all")):
        with term.serving(term.exam + minutes * MINUTE) as service:
            in_exam(term, LATECOMER, service.url, refused="closed for you")
            id = json.loads(receipt_files(term, LATECOMER, EXAM)[0].read_text())["id"]
            token = term.tokens[name_of(LATECOMER)]
            assert served.result(service, token, id, EXAM)["shows"] == shows


def receipt_files(term, number, lesson):
    where = term.desk(number, lesson)
    where = where if lesson == LESSON else where / EXAM
    return sorted(where.glob("handed_in/*/receipt.json"))


def variant(term, number):
    """The exam's kernel as it is drawn for the learner."""
    file, about = coursefile.read(term.here), course.lesson(EXAM, term.here.kernels)
    drawn = dict(handing_out.drawn(term.here, file, EXAM, name_of(number)))
    return variants.read(about.exercise(KERNEL), drawn[KERNEL])


def in_exam(term, number, url, refused=""):
    """Write answers into the notebook that the service gave out, and hand them in."""
    how, path = DONE[number % len(DONE)], term.desk(number, EXAM) / EXAM / f"{EXAM}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    if how != BLANK:
        source = variant(term, number + 1 if how == COPIED else number).solution
        source = source.replace("if (i < n)", "if (i < )") if how == BROKEN else source
        cell_of(notebook, KERNEL).source = learners_cell(KERNEL, source)
    small_questions.written(notebook, {QUESTION: "guard" if number % 3 else "loop"})
    path.write_text(text(notebook))
    term.submit(number, url, EXAM, refused)
    if not refused:
        term.done[number] = how


def expected_in_exam(term, number):
    """The points of the exam; None for a learner who handed in nothing."""
    if number not in term.done:
        return None
    mine = variant(term, number)
    points = {SOLVED: mine.points, BROKEN: 0.0, BLANK: 0.0}.get(term.done[number])
    if points is None:  # the answer to another variant
        seed = handing_out.seeds(term.here, course.lesson(EXAM, term.here.kernels))[KERNEL]
        theirs = variant(term, number + 1).solution
        points = judge(mine, theirs, seed=seed, root=term.here.kernels).points
    return points + (2.0 if number % 3 else 0.0)


def marks_of_the_exam(term):
    """The TAs grade the exam and give it back."""
    for ta in TAS:
        term.said(ta, "autograde", EXAM)
        term.said(ta, "feedback", EXAM)


# --- marks go out ---------------------------------------------------------------------------------


def people():
    """As Canvas lists them."""
    return [
        {"id": 1000 + number, "login_id": name_of(number), "sis_user_id": f"S-{number}"}
        for number in range(LEARNERS)
    ]


def send(term, homework, exam):
    """Marks go into files, and to two assignments of a platform. The commands are killed, and the
    platform is down for a while. TAs send the exam's marks, each those of the own section."""
    token = term.folder / "token"
    term.killed(PROF, "export", at=("pathlib:Path.replace", "before"))
    term.said(PROF, "export", LESSON, "--for", "canvas")
    term.said(PROF, "report")

    def push(platform, lesson, *options):
        to = ("--to", "canvas", "--course", "42", "--url", platform.url, "--assignment", "4711")
        return "push", lesson, *to, "--token-file", str(token), *options

    handed_in = len(term.answers)
    term.said(PROF, *push(homework, LESSON))
    assert homework.saved == []
    homework.limited = [(429, "", {"Retry_After": "1"})]
    homework.lasts = len(homework.asked) + 10**9
    at = ("grader.classroom.pushing:CanvasCourse.save", "after 17")
    gone = ran(term.here, *push(homework, LESSON, "--yes"), broken=at, user=PROF)
    assert gone.returncode == -signal.SIGKILL, gone.stderr
    term.kills.append(f"push: {' '.join(at)}")
    assert len(homework.saved) == 17
    lists = len([one for one in homework.asked if one.startswith("GET")]) // 2
    homework.lasts = lists + 20
    assert "answers 503" in term.said(PROF, *push(homework, LESSON, "--yes"), status=2)
    assert 17 < len(homework.saved) < handed_in
    homework.lasts = 10**9
    term.said(PROF, *push(homework, LESSON, "--yes"))
    assert "sent: 0 marks" in term.said(PROF, *push(homework, LESSON, "--yes"))
    for ta, section in TAS.items():
        before = len(exam.saved)
        term.said(ta, *push(exam, EXAM, "--yes"))
        sent = {user - 1000 for user in exam.saved[before:]}
        assert sent == {number for number in term.done if section_of(number) == section}


# --- what it has come to --------------------------------------------------------------------------


def in_gradebook(term, lesson):
    """By learner the mark, lateness taken off, as nbgrader has it."""
    with term.here.gradebook() as gradebook:
        return {
            one.student.id: one.score - (one.late_submission_penalty or 0.0)
            for one in gradebook.assignment_submissions(lesson)
            if not one.needs_manual_grade
        }


def exercises_in_gradebook(term, lesson):
    """By learner and exercise the points."""
    with term.here.gradebook() as gradebook:
        return {
            (one.student.id, grade.name.removeprefix("check-")): grade.score
            for one in gradebook.assignment_submissions(lesson)
            for notebook in one.notebooks
            for grade in notebook.grades
        }


def in_export(term, lesson):
    """What `grader export` has written."""
    path = term.here.root / "export/course-csv.csv"
    with path.open(encoding="utf-8-sig", newline="") as lines:
        return {row["id"]: float(row[lesson]) for row in csv.DictReader(lines) if row[lesson]}


def in_report(term, lesson):
    """By learner and exercise the points."""
    with (term.here.root / f"report/{lesson}.csv").open(encoding="utf-8-sig") as lines:
        return {
            (row["learner"], row["exercise"]): float(row["score"])
            for row in csv.DictReader(lines)
            if row["score"]
        }


def page(term, lesson, learner):
    return (term.here.path("feedback", lesson, learner) / f"{lesson}.html").read_text()


def on_pages(term, lesson):
    """What the feedback pages tell."""
    total = r'<p class="total"><strong>([\d.]+)</strong> of'
    return {
        learner: float(re.search(total, page(term, lesson, learner))[1])
        for learner in term.here.learners("feedback", lesson)
    }


def on_platform(platform):
    return {name_of(user - 1000): points for user, points in platform.scores.items()}


def in_log_of_changes(term, lesson):
    """By learner and exercise, the points after the last change."""
    lines = (term.here.root / "changes.jsonl").read_text().splitlines()
    told = [one for one in map(json.loads, lines) if one["lesson"] == lesson]
    return {(one["learner"], one["what"]): one["after"] for one in told}
