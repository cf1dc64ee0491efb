"""A real JupyterLab in a headless Chromium, for tests that look at what a learner looks at."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import nbformat
import psutil
import pytest
from nbformat import v4
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from grader.learner import start_page

PATIENCE = 300  # seconds; a busy machine takes its time
_CHROMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
_DRIVERS = ("chromedriver", "chromium.chromedriver")
_NOTEBOOK = "window.jupyterapp?.shell?.currentWidget"
_OPEN = _NOTEBOOK.replace("?", "")
KERNEL = f"{_OPEN}.sessionContext.session.kernel"
_CODE = (
    f"[...{_NOTEBOOK}.model.cells]"
    ".filter(cell => cell.type === 'code' && cell.sharedModel.getSource().trim())"
)
_NO_NEWS = {"@jupyterlab/apputils-extension:notification": {"fetchNews": "false"}}
_THEMES = {True: "JupyterLab Dark", False: "JupyterLab Light"}


def installed() -> tuple[str, str] | None:
    """A browser and its driver, if this machine has both."""
    found = [next(filter(None, map(shutil.which, names)), None) for names in (_CHROMES, _DRIVERS)]
    return tuple(found) if all(found) else None


MARKS = [  # of every test that looks
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(
        installed() is None,
        reason="NO BROWSER HERE: Chromium and chromedriver are not installed, nothing was seen",
    ),
]


@contextmanager
def chromium(width: int = 1440, height: int = 900) -> Iterator[webdriver.Chrome]:
    """A browser with a window of this size."""
    browser, driver = installed()
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"):
        options.add_argument(argument)
    options.add_argument(f"--window-size={width},{height}")
    page = webdriver.Chrome(options=options, service=Service(driver))
    page.set_script_timeout(PATIENCE)
    try:
        yield page
    finally:
        page.quit()


def shot(page: webdriver.Chrome, name: str) -> None:
    """Keep a picture of what is seen, for a person, in the folder that WARPWISE_SHOTS names."""
    if where := os.environ.get("WARPWISE_SHOTS"):
        page.save_screenshot(str(Path(where, f"{name}.png")))


@contextmanager
def jupyterlab(
    folder: Path,
    learner: bool = False,
    app: str = "jupyterlab",
    command: tuple[str, ...] = (),
    environment: dict[str, str] | None = None,
) -> Iterator[str]:
    """The address of a server whose notebooks are in `folder`, with what `grader lab` gives it if
    it is a `learner`'s; nothing of the user's own Jupyter is read or written. `app` is the module
    that serves, JupyterLab's or Notebook's; or a `command` starts it there, in this
    `environment`."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    own = {
        f"JUPYTER_{name}_DIR": str(folder / f".{name.lower()}")
        for name in ("CONFIG", "DATA", "RUNTIME")
    }
    settings = ["--ServerApp.token=", "--ServerApp.open_browser=False", f"--ServerApp.port={port}"]
    settings += [] if command else [f"--ServerApp.root_dir={folder}"]
    settings += [
        f"--{name}.expose_app_in_browser=True" for name in ("LabApp", "JupyterNotebookApp")
    ]
    settings += ["--LabApp.news_url=None", "--ServerApp.allow_root=True"]
    quiet = folder / ".config" / "labconfig" / "default_setting_overrides.json"
    quiet.parent.mkdir(parents=True, exist_ok=True)
    quiet.write_text(json.dumps(_NO_NEWS))
    line = [*(command or (sys.executable, "-m", app)), *settings]
    own |= environment or {}
    if learner:
        own = start_page.environment() | own
    with (folder / ".server.log").open("wb") as log:
        out, cwd = (_terminal(folder / ".server.log"), folder) if command else (log.fileno(), None)
        server = subprocess.Popen(line, env=os.environ | own, cwd=cwd, stdout=out, stderr=out)
    try:
        address = f"http://127.0.0.1:{port}"
        _wait_for(address, server, folder / ".server.log")
        yield address
    finally:
        if command and server.poll() is None:
            for started in psutil.Process(server.pid).children():
                started.terminate()
        server.terminate()
        server.wait()
        if command:
            os.close(out)


def _terminal(log: Path) -> int:
    """One to start JupyterLab in, whose own terminals then get its environment; all that it shows
    is written to a `log`."""
    shown, terminal = os.openpty()

    def keep() -> None:
        with log.open("ab", 0) as kept, suppress(OSError):  # which ends it on Linux
            while text := os.read(shown, 4096):
                kept.write(text)

    threading.Thread(target=keep, daemon=True).start()
    return terminal


def _wait_for(address: str, server: subprocess.Popen, log: Path) -> None:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and server.poll() is None:
        try:
            with urllib.request.urlopen(f"{address}/api/status"):
                return
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.2)
    raise RuntimeError(f"JupyterLab did not start:\n{log.read_text()[-2000:]}")


def write_notebook(path: Path, *cells: str) -> None:
    """A notebook of these code cells, without outputs."""
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    made = v4.new_notebook(metadata=metadata, cells=[v4.new_code_cell(cell) for cell in cells])
    nbformat.write(made, path)


class Lab:
    """One notebook, open in JupyterLab."""

    def __init__(self, page: webdriver.Chrome, address: str, notebook: str, at: str = "lab/tree"):
        self.page = page
        page.get(f"{address}/{at}/{notebook}?reset")
        self.until(f"return {_NOTEBOOK}?.sessionContext?.session?.kernel?.status === 'idle'")

    def run_all(self) -> None:
        """Run every cell, one after the other, until the last has its number or one has failed."""
        self.command("notebook:run-all-cells")
        done = f"{_CODE}.every(cell => cell.executionCount)"
        self.until(f"const wrong = {self._ERRORS}; return wrong.length > 0 || {done}")
        self.until(f"return {KERNEL}.status === 'idle'")

    _ERRORS = (
        f"{_CODE}.flatMap(cell => cell.outputs.toJSON())"
        ".filter(output => output.output_type === 'error').map(output => output.evalue)"
    )

    def errors(self) -> list[str]:
        """What cells failed with."""
        return self.page.execute_script(f"return {self._ERRORS}")

    def run(self, number: int) -> None:
        """Run a cell, counted from 0, until it is through."""
        self._done(
            f"{_OPEN}.content.activeCellIndex = {number};"
            "window.jupyterapp.commands.execute('notebook:run-cell')"
        )

    def show(self, number: int) -> None:
        """Scroll to a cell: JupyterLab draws what is in view alone."""
        self.page.execute_script(f"{_NOTEBOOK}.content.scrollToItem({number}, 'start')")

    def output(self, number: int) -> str:
        """What a cell shows, as text, as soon as it shows some. What JupyterLab has scrolled out of
        view has text without line breaks, so the cell is scrolled to until it is in view."""
        return self.until(
            f"const node = {_NOTEBOOK}.content.widgets[{number}].outputArea?.node;"
            "const seen = node?.isConnected && node.checkVisibility({contentVisibilityAuto: true});"
            f"if (!seen) {_NOTEBOOK}.content.scrollToItem({number}, 'start');"
            "return seen && node.innerText.trim()"
        )

    def find(self, beginning: str) -> int:
        """The number of the first cell whose text begins so."""
        return self.page.execute_script(
            f"return [...{_NOTEBOOK}.model.cells]"
            ".findIndex(cell => cell.sharedModel.getSource().startsWith(arguments[0]))",
            beginning,
        )

    def source(self, number: int) -> str:
        """The text of a cell."""
        return self.page.execute_script(
            f"return {_NOTEBOOK}.content.widgets[{number}].model.sharedModel.getSource()"
        )

    def write(self, number: int, source: str) -> None:
        self.page.execute_script(
            f"{_NOTEBOOK}.content.widgets[{number}].model.sharedModel.setSource(arguments[0])",
            source,
        )

    def close(self) -> None:
        """Save it, and let its kernel go."""
        self.save()
        self._done(f"{_OPEN}.sessionContext.shutdown()")

    def _done(self, script: str) -> None:
        """Wait for what a script ends in, a promise."""
        *first, last = script.rpartition(";")
        self.page.execute_async_script(f"{''.join(first)} {last}.then(() => arguments[0]())")

    def save(self) -> None:
        """Until the server says that it is written: the file is empty on its way there."""
        self.page.execute_script(
            "return window.jupyterapp.commands.execute('docmanager:save').then(() => true)"
        )
        self.until("return !document.querySelector('.jp-mod-dirty')")

    def dark(self, yes: bool) -> None:
        self.command("apputils:change-theme", {"theme": _THEMES[yes]})
        self.until(
            f"return document.body.dataset.jpThemeLight === '{str(not yes).lower()}'"
            " && !document.querySelector('#jupyterlab-splash')"
        )

    def alone(self) -> None:
        """Put the file browser aside."""
        self.page.execute_script("window.jupyterapp.shell.collapseLeft()")

    def command(self, name: str, arguments: dict | None = None) -> None:
        self.page.execute_script(
            "window.jupyterapp.commands.execute(arguments[0], arguments[1])", name, arguments or {}
        )

    def until(self, script: str, what: str = ""):
        """Wait until a script returns something true, and return that; `what` is waited for, in
        words."""
        waited_for = f"waited {PATIENCE} s for {what or script}"
        return WebDriverWait(self.page, PATIENCE).until(
            lambda page: page.execute_script(script), waited_for
        )

    @contextmanager
    def player(self, number: int = 0) -> Iterator[Player]:
        """What is inside a player's frame."""
        WebDriverWait(self.page, PATIENCE).until(
            lambda page: len(page.find_elements(By.CSS_SELECTOR, "iframe[srcdoc]")) > number
        )
        frame = self.page.find_elements(By.CSS_SELECTOR, "iframe[srcdoc]")[number]
        self.page.execute_script("arguments[0].scrollIntoView({block: 'center'})", frame)
        self.page.switch_to.frame(frame)
        try:
            yield Player(self)
        finally:
            self.page.switch_to.default_content()


class Player:
    """The player in the frame that the browser now looks into."""

    def __init__(self, lab: Lab):
        self.lab, self.page = lab, lab.page
        lab.until("return !!window.player && !!document.querySelector('.row.current')")

    def press(self, key: str) -> None:
        self.page.find_element(By.CSS_SELECTOR, ".source").send_keys(key)

    def click(self, selector: str) -> None:
        self.page.find_element(By.CSS_SELECTOR, selector).click()

    def choose(self, what: str, value: str) -> None:
        self.page.find_element(
            By.CSS_SELECTOR, f'select[data-choose="{what}"] option[value="{value}"]'
        ).click()

    @property
    def line(self) -> int:
        """The line that the step is at."""
        return int(
            self.page.find_element(By.CSS_SELECTOR, ".row.current").get_dom_attribute("data-line")
        )

    @property
    def step(self) -> str:
        return self.text(".place")

    @property
    def panels(self) -> str:
        """All pictures, as HTML."""
        return self.page.execute_script(
            "return document.querySelector('.panels').innerHTML"
            " + document.querySelector('.memories').innerHTML"
        )

    def text(self, selector: str) -> str:
        found = self.page.find_elements(By.CSS_SELECTOR, selector)
        return found[0].text if found else ""

    def count(self, selector: str) -> int:
        return len(self.page.find_elements(By.CSS_SELECTOR, selector))
