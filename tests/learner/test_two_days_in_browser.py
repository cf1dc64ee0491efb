"""A learner's first lesson, and the warm-ups of two later days, in JupyterLab as `grader lab` opens
it. Days pass when all times in the learner's `progress.jsonl` become earlier. WARPWISE_SHOTS names
a folder for pictures of what the learner sees."""

import json
import os
import sys
from datetime import datetime, timedelta

import pytest

selenium = pytest.importorskip("selenium", reason="NO BROWSER TESTS: selenium is not installed")

import browser  # noqa: E402  (it needs selenium)

from grader import course  # noqa: E402
from grader.course import kinds, variants  # noqa: E402
from grader.course.weave import learners_cell  # noqa: E402
from grader.learner import progress, recall  # noqa: E402

pytestmark = browser.MARKS

LESSON = course.lesson("00_first_kernel")
SAXPY = LESSON.exercise("saxpy")
(OURS,) = (text.strip() for text in kinds.answers(SAXPY.solution))
GUARD = "if (i < n) out"
WRONG, RIGHT = "What does it cost?", "Four kinds of mistakes"  # sections, by their first answer
HINTS = [
    *("What to look at next", "A hint for: out of bounds"),
    *("Hint 1 of 3", "Hint 2 of 3", "Hint 3 of 3"),
]
PAGE = "document.querySelector('.warpwise-start')"
TAB = "window.jupyterapp.shell.currentWidget"
PATIENCE = 60  # seconds, for each wait


class Day(browser.Lab):
    """What a learner does in JupyterLab on one day."""

    def __init__(self, page, address, number):
        self.page, self.number = page, number
        page.get(f"{address}/lab?reset")
        self.until(f"return {PAGE}?.innerText", "the start page")
        self.until("return !document.querySelector('#jupyterlab-splash')", "JupyterLab")

    def look(self, what, at="null"):
        """Keep pictures of what is seen around an element: wide, and narrow and dark."""
        for width, dark in ((1440, False), (1024, True), (1440, False)):
            if "WARPWISE_SHOTS" in os.environ:
                self.page.set_window_size(width, 900)
                self.dark(dark)
                self.page.execute_script(f"{at}?.scrollIntoView({{block: 'center'}})")
                browser.shot(self.page, f"day-{self.number}-{what}-{width}")

    def start_page(self, what):
        """The start page with the concepts of the lessons, as text."""
        if not self.page.execute_script(f"return {PAGE}.checkVisibility()"):
            self.page.execute_script(f"{PAGE}.querySelector('h1').className = 'older'")
            self.command("warpwise:start")
            self.until(f"return {PAGE}.querySelector('h1:not(.older)')", "the start page of now")
        opened = f"{PAGE}.querySelectorAll('details').forEach(one => one.open = true)"
        said = self.page.execute_script(f"{opened}; return {PAGE}.innerText")
        self.look(what)
        return said

    def follow(self, notebook):
        """Follow a link of the start page to a notebook, and run its first cell."""
        link = f"{PAGE}.querySelector(`a[href='{notebook}.ipynb']`)"
        self.page.execute_script(f"{link}.click()")
        self.until(f"return {TAB}?.title.label === '{notebook}.ipynb'", notebook)
        self.idle()
        self.do("from grader.notebook import")

    def idle(self):
        kernel = f"{TAB}?.sessionContext?.session?.kernel"
        self.until(f"return {kernel}?.status === 'idle'", "a kernel that is idle")

    def do(self, beginning, source=""):
        """Run the first cell that begins so, perhaps with a new text; its number."""
        number = self.find(beginning)
        assert number >= 0, f"no cell begins with {beginning}"
        if source:
            self.write(number, source)
        self.show(number)
        self.run(number)
        self.idle()
        return number

    def checked(self, name, kernel):
        """What the card says of a kernel in the first cell of that name."""
        self.do(f"%%cuda {name}", learners_cell(name, kernel))
        self.until(f"return {self.cell(name)}", f"a cell that checks {name}")
        return self.output(self.do(f'check("{name}")'))

    def cell(self, name):
        """The node of the cell that checks an exercise, in JavaScript; undefined if none does."""
        begins = f"one.model.sharedModel.getSource().startsWith('check(\"{name}\")')"
        return f"{TAB}.content.widgets.find(one => {begins})?.node"

    def hinted(self, name, titles):
        """The card of an exercise after its button gave hints with these titles."""
        for title in titles:
            button = f"{self.cell(name)}.querySelector('a[href$=\"#hint={name}\"]')"
            self.page.execute_script(f"{button}.click()")
            self.until(f"return {self.cell(name)}.innerText.includes('{title}')", title)
        return self.output(self.find(f'check("{name}")'))

    def choose(self, piece, key, right=True):
        """Choose a right answer, or a wrong one, to a question that the page shows."""
        choices = enumerate(piece.task.choices)
        number = next(n for n, one in choices if (one == piece.task.answer) is right)
        link = f"{TAB}.node.querySelector(`a[href$='#predict={key}:{number}']`)"
        self.until(f"return {link}?.checkVisibility()", f"the question {piece.task.text}")
        self.page.execute_script(f"{link}.click()")
        self.until(f"return !{link}", f"what is said of {piece.task.text}")
        self.idle()

    def solve_puzzle(self, name, answer):
        """Have the lines of our kernel put below the check of an exercise, and put them in order;
        what the puzzle says, its lines, and what the check says."""
        number = self.find(f'check("{name}")')
        self.page.execute_script(f"{TAB}.content.activeCellIndex = {number}")
        self._done("window.jupyterapp.commands.execute('notebook:insert-cell-below')")
        self.write(number + 1, f'from grader.notebook import puzzle; puzzle("{name}")')
        self.run(number + 1)
        said, cell = self.output(number + 1), self.source(number + 2)
        self.look("puzzle", f"{TAB}.content.widgets[{number + 2}].node")
        self.write(number + 2, cell.replace(kinds.YOURS, answer))
        self.run(number + 2)
        self.do(f'check("{name}")')
        return said, kinds.Order().lines(cell), self.output(number)

    def first_lesson(self, root):
        """Everything of the first day: what was seen."""
        seen = {"start": self.start_page("start")}
        self.follow(LESSON.name)
        seen["wrong"] = self.checked("saxpy", SAXPY.solution.replace(GUARD, "if (i <= n) out"))
        self.look("wrong", self.cell("saxpy"))
        seen["hints"] = self.hinted("saxpy", HINTS)
        self.look("hints", f"{self.cell('saxpy')}.querySelector('a.warpwise-button')")
        seen["puzzle"] = self.solve_puzzle("saxpy", OURS)
        own = SAXPY.solution.replace(GUARD, "if (i >= n) return;\n    out")
        seen["passed"] = self.checked("saxpy", own)
        fold = f"[...{self.cell('saxpy')}.querySelectorAll('details')].at(-1)"
        seen["ours"] = self.page.execute_script(f"{fold}.open = true; return {fold}.innerText")
        self.look("ours", fold)
        for section in (WRONG, RIGHT):  # each has one question
            (piece,) = [one for one in recall.handed_out(root)[0].pieces if one.section == section]
            self.do(f'predict(\n    "{piece.task.text[:40]}')
            self.choose(piece, piece.name, right=section == RIGHT)
        seen["half way"] = self.start_page("half-way")
        self.follow(LESSON.name)
        for one in LESSON.exercises:
            assert f"{one.name}: passed" in self.checked(one.name, one.solution)
        self.save()
        return seen | {"end": self.start_page("end")}

    def warm_up(self, pieces):
        """A warm-up of these pieces, each right at the first try: what was seen."""
        seen = {"pieces": pieces, "start": self.start_page("start")}
        self.follow("warm_up")
        number = self.do("from grader.notebook import check, hint, warmup")
        self.look("warm-up", f"{TAB}.content.widgets[{number}].node")
        for piece in pieces[:-1]:
            self.choose(piece, f"again_{piece.name}")
        exercise, folder = LESSON.exercise(pieces[-1].name), LESSON.path.parent
        name, today = exercise.name, progress.now().toordinal()
        if variants.variants(exercise, folder):
            exercise = variants.vary(exercise, today, folder)
        seen["said"] = self.output(number)
        seen["passed"] = self.checked(name, exercise.solution)
        self.look("warm-up-done", self.cell(name))
        self.save()
        return seen | {"end": self.start_page("end")}


def later(root, pause):
    """Let time pass: all that was done becomes older."""
    path = root / progress.FILE
    events = [json.loads(line) for line in path.read_text().splitlines()]
    for event in events:
        event["at"] = (datetime.fromisoformat(event["at"]) - pause).isoformat()
    path.write_text("".join(f"{json.dumps(event)}\n" for event in events))


@pytest.fixture(scope="module")
def days(tmp_path_factory):
    """What a learner saw on each day, by the day's number."""
    root, seen, today = tmp_path_factory.mktemp("mine"), {}, 1
    command = (sys.executable, "-m", "grader", "lab", str(root), "--no-browser")
    with pytest.MonkeyPatch.context() as patch, browser.chromium() as page:
        patch.setattr(browser, "PATIENCE", PATIENCE)
        page.set_script_timeout(PATIENCE)
        for number in (1, 5, 12):
            if seen:
                later(root, timedelta(days=number - today))
            today, pieces = number, recall.warm_up(root)
            with browser.jupyterlab(root, command=command) as address:
                day = Day(page, address, number)
                seen[number] = day.warm_up(pieces) if pieces else day.first_lesson(root)
    return seen


def test_a_mistake_is_told_and_the_button_gives_its_remedy_and_stronger_hints(days):
    told, hints = days[1]["wrong"], days[1]["hints"]
    assert "saxpy: not there yet" in told and "Out of bounds" in told
    assert "Guard the access" not in told and "Guard the access" in hints
    places = [hints.index(one) for one in (*HINTS, "Step through it")]  # the player is below
    assert places == sorted(places)


def test_the_last_hint_leads_to_a_puzzle_of_our_lines_and_of_mistakes(days):
    said, lines, checked = days[1]["puzzle"]
    assert "from grader.notebook import puzzle" in days[1]["hints"]
    assert "Some lines belong to common mistakes" in said
    assert {line.strip() for line in OURS.splitlines()} < set(lines)
    assert "saxpy: passed" in checked


def test_a_kernel_that_passes_stands_beside_ours(days):
    assert "saxpy: passed" in days[1]["passed"]
    assert "-     if (i >= n) return;" in days[1]["ours"] and f"+     {GUARD}" in days[1]["ours"]


def test_the_start_page_knows_what_is_new_and_what_is_learned_with_minutes(days):
    assert "Concepts: 9 new, 0 learning, 0 mastered, 0 due" in days[1]["start"]
    assert f"Go on here: {LESSON.title}" in days[1]["half way"]
    assert "Concepts: 7 new, 2 learning, 0 mastered, 0 due" in days[1]["half way"]
    assert f"{WRONG} · learning · 1 minute" in days[1]["half way"]
    assert "The guard · new · 4 minutes" in days[1]["half way"]
    assert "9 of 9 exercises passed" in days[1]["end"] and "Warm up first" not in days[1]["end"]


@pytest.mark.parametrize("number", [5, 12])
def test_on_a_later_day_the_start_page_begins_with_a_warm_up_that_can_be_done(days, number):
    seen, name = days[number], days[number]["pieces"][-1].name
    assert f"Warm up first: {recall.length(seen['pieces'])}" in seen["start"]
    assert 3 <= len(seen["pieces"]) <= 5
    assert f"{WRONG} · learning, due · 1 minute" in seen["start"]
    assert f'run the cell with check("{name}"), which comes below it' in seen["said"]
    assert f"{name}: passed" in seen["passed"]


def test_mastered_is_right_twice_at_least_three_days_apart(days):
    assert f"{RIGHT} · mastered · 1 minute" in days[5]["end"]
    assert f"{WRONG} · learning · 1 minute" in days[5]["end"]  # right once
    assert f"{WRONG} · mastered · 1 minute" in days[12]["end"]
