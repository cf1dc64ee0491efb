"""A learner of the term at work in JupyterLab, as `grader lab` opens it: cells, a terminal."""

import contextlib
import re
import shutil
import sys

import browser
from a_term import KERNELS, name_of
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from small_class import LESSON

from grader import disk_cache
from grader.course.weave import learners_cell
from grader.learner import sending

_WIDGET = "window.jupyterapp.shell.currentWidget"
_TERMINAL = f"""
const buffer = {_WIDGET}?.content?._term?.buffer?.active;
if (!buffer) return "";
const lines = [...Array(buffer.length).keys()].map(n => buffer.getLine(n));
return lines.map(l => (l.isWrapped ? "" : "\\n") + l.translateToString(true)).join("");"""
_EDIT = f"""
const notebook = {_WIDGET}.content, [cell, line, column] = arguments;
notebook.activeCellIndex = cell;
notebook.mode = "edit";
const editor = notebook.activeCell.editor;
const at = line < 0 ? editor.lineCount - 1 : line;
editor.setCursorPosition({{line: at, column: line < 0 ? editor.getLine(at).length : column}});
editor.focus();"""


@contextlib.contextmanager
def lab_of(term, number):
    """The address of the learner's JupyterLab. The course is the one that was published, and the
    token lies where `grader submit` looks for it."""
    home, desk = term.folder / "homes" / name_of(number), term.desk(number)
    for folder in (home, desk):
        folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(term.tokens[name_of(number)], home / sending.TOKEN_FILE)
    environment = {
        "HOME": str(home),
        "XDG_CACHE_HOME": str(disk_cache.cache_home()),
        "WARPWISE_COURSE": str(term.folder / "for-learners"),
    }
    command = (sys.executable, "-m", "grader", "lab", str(desk), "--no-browser")
    with browser.jupyterlab(desk, command=command, environment=environment) as address:
        yield address


class Desk(browser.Lab):
    """The notebook of a lesson, open there."""

    def __init__(self, page, address, notebook=f"{LESSON}.ipynb"):
        super().__init__(page, address, notebook)
        self.address = address
        self.alone()

    def type(self, number, text, line=-1, column=0):
        """Type into a cell, at its end or elsewhere."""
        self.show(number)
        self.page.execute_script(_EDIT, number, line, column)
        self.until("return !!document.activeElement.closest('.cm-content')")
        ActionChains(self.page).send_keys(*text).perform()

    def answer(self, exercise, said):
        """Write an answer, run its cell, and `check` it: what the card says. The lines of a kernel
        come as by a paste, what answers a question is typed."""
        if exercise in KERNELS:
            number = self.find(f"%%cuda {exercise}")
            self.write(number, learners_cell(exercise, said))
        else:
            number = self.find(f"%%answer {exercise}")
            self.write(number, f"%%answer {exercise}\n")
            self.type(number, said.replace("\n", Keys.ENTER))
        return self.checked(exercise)

    def checked(self, exercise):
        """What the card says when both cells are run."""
        named = ("%%cuda" if exercise in KERNELS else "%%answer") + f" {exercise}"
        for beginning in (named, f'check("{exercise}")'):
            self.run(self.find(beginning))
            self.until(f"return {browser.KERNEL}.status === 'idle'")
        return self.output(self.find(f'check("{exercise}")'))

    @contextlib.contextmanager
    def terminal(self):
        """A terminal of the same JupyterLab, in the learner's own folder."""
        notebook = self.page.execute_script(f"return {_WIDGET}.id")
        self.command("terminal:create-new")
        opened = Terminal(self)
        yield opened
        self.page.execute_script(
            f"{_WIDGET}.dispose(); window.jupyterapp.shell.activateById(arguments[0])", notebook
        )


class Terminal:
    """A terminal, in front."""

    def __init__(self, lab):
        self.lab = lab
        self._until_prompt(0)

    def _until_prompt(self, seen):
        """What the terminal shows when it waits for a command, beyond what was `seen`."""

        def shown():
            text = self.lab.page.execute_script(_TERMINAL).rstrip()
            return text if len(text) > seen and re.search(r"[#$]$", text) else ""

        return browser.WebDriverWait(self.lab.page, browser.PATIENCE, 0.2).until(lambda _: shown())

    def give(self, command):
        """What a command says."""
        before = self._until_prompt(0)
        self.lab.page.execute_script(f"{_WIDGET}.content._term.focus()")
        ActionChains(self.lab.page).send_keys(command, Keys.ENTER).perform()
        after = self._until_prompt(len(before) + len(command))
        return after[len(before) + 1 :].partition("\n")[2].rpartition("\n")[0]
