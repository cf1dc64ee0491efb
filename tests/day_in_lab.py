"""A learner who does lesson 00 in JupyterLab, and warm-ups on later days. WARPWISE_SHOTS names a
folder for pictures of what the learner sees."""

import json
import os
from datetime import datetime

import browser

from grader import course
from grader.course import kinds, variants
from grader.course.weave import learners_cell
from grader.learner import progress, recall

LESSON = course.lesson("00_first_kernel")
SAXPY = LESSON.exercise("saxpy")
(OURS,) = (text.strip() for text in kinds.answers(SAXPY.solution))
GUARD = "if (i < n) out"
WRONG, RIGHT = "What does it cost?", "Four kinds of mistakes"  # sections, by their first answer
HINTS = [
    *("What to look at next", "It is enough to replace <= on line 10", "A hint for: out of bounds"),
    *("Hint 1 of 3", "Hint 2 of 3", "Hint 3 of 3", "A worked step, 1 of 1"),
]
PAGE = "document.querySelector('.warpwise-start')"
TAB = "window.jupyterapp.shell.currentWidget"


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
                browser.shot(self.page, f"day-{self.number}-{what}-{width}{'-dark' * dark}")

    def start_page(self, what):
        """The start page with the concepts of the first lesson, as text."""
        if not self.page.execute_script(f"return {PAGE}.checkVisibility()"):
            self.page.execute_script(f"{PAGE}.querySelector('h1').className = 'older'")
            self.command("warpwise:start")
            self.until(f"return {PAGE}.querySelector('h1:not(.older)')", "the start page of now")
        concepts = f"({PAGE}.querySelector('details').open = true, {PAGE}.querySelector('h1'))"
        said = self.page.execute_script(f"{concepts}; return {PAGE}.innerText")
        self.look(what, concepts)
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

    def asked_first(self, name):
        """Answer the question that the button of a card gives first: wrongly, then rightly; all
        that the card said."""
        said, choice = [], f"{self.cell(name)}.querySelectorAll('a[href*=\"#predict=\"]')"
        self.page.execute_script(
            f"{self.cell(name)}.querySelector('a[href$=\"#hint={name}\"]').click()"
        )
        for number, words in ((1, "A question first"), (0, "It is not"), (None, "✓ Right")):
            self.until(f"return {self.cell(name)}.innerText.includes('{words}')", words)
            said.append(self.output(self.find(f'check("{name}")')))
            self.look(f"asked-{len(said)}", f"{choice}[0]")
            if number is not None:
                self.page.execute_script(f"{choice}[{number}].click()")
        return said

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
        seen["asked"] = self.asked_first("saxpy")
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
        for one in (one for one in LESSON.exercises if one is not SAXPY):
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
