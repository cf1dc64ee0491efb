"""The rubric page in the JupyterLab of somebody who teaches: a real Jupyter Server in a course."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import suppress
from http.cookiejar import CookieJar
from pathlib import Path

import pytest
from small_class import LESSON
from test_rubric import AUTOMATIC, graded, here, marks  # noqa: F401

import grader.classroom

CONFIG = Path(grader.classroom.__file__).parent / "jupyter"
TOKEN = "a-token-of-this-test"


def serving(folder):
    """A Jupyter Server in a folder that answers, and its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "jupyter_server", f"--port={port}", "--no-browser"]
    process = subprocess.Popen(
        [
            *command,
            "--allow-root",
            f"--ServerApp.root_dir={folder}",
            f"--IdentityProvider.token={TOKEN}",
        ],
        cwd=folder,
        env={**os.environ, "JUPYTER_CONFIG_PATH": str(CONFIG)},
        stderr=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{port}"
    while process.poll() is None:
        with suppress(urllib.error.URLError):
            urllib.request.urlopen(f"{address}/api?token={TOKEN}").close()
            return process, address
        time.sleep(0.05)
    raise AssertionError("Jupyter Server did not start")


@pytest.fixture
def server(here):  # noqa: F811
    process, address = serving(here.root)
    yield address
    process.kill()


def opener():
    cookies = CookieJar()
    return urllib.request.build_opener(urllib.request.HTTPCookieProcessor(cookies)), cookies


def ask(browser, address, cookies, **asked):
    """The answer to what the page posts."""
    sent = {one.name: one.value for one in cookies}.get("_xsrf", "")
    headers = {"Content-Type": "application/json", "X-XSRFToken": sent}
    request = urllib.request.Request(address, json.dumps(asked).encode(), headers)
    return json.loads(browser.open(request).read())


def test_an_answer_is_marked_on_the_page_in_jupyterlab(server, here):  # noqa: F811
    browser, cookies = opener()
    links = browser.open(f"{server}/warpwise/rubric?token={TOKEN}").read().decode()
    assert f'<a href="/warpwise/rubric/{LESSON}">' in links
    missing = browser.open(f"{server}/warpwise/rubric/99_nothing").read().decode()
    assert "There is no lesson" in missing
    page = browser.open(f"{server}/warpwise/rubric/{LESSON}").read().decode()
    assert "X-XSRFToken" in page
    item = {"do": "item", "item": "", "text": "Good names", "points": 0.5}
    address = f"{server}/warpwise/rubric/{LESSON}"
    made = ask(browser, address, cookies, exercise="add", act=item)["acts"][0]["item"]
    put = {"do": "put", "learner": "ben", "item": made, "scope": "one", "on": True}
    ask(browser, address, cookies, exercise="add", act=put)
    assert marks(here) == AUTOMATIC | {"ben": AUTOMATIC["ben"] + 0.5}


def test_nobody_marks_without_the_server_s_token_and_its_cookie(server, here):  # noqa: F811
    address = f"{server}/warpwise/rubric/{LESSON}"
    stranger, _ = opener()
    assert "login" in stranger.open(address).geturl()
    browser, _ = opener()
    browser.open(f"{address}?token={TOKEN}").read()
    with pytest.raises(urllib.error.HTTPError, match="403"):
        ask(browser, address, (), exercise="add", act={"do": "undo"})
    assert marks(here) == AUTOMATIC


def test_a_folder_without_a_course_has_no_such_page(tmp_path):
    process, address = serving(tmp_path)
    try:
        with pytest.raises(urllib.error.HTTPError, match="404"):
            opener()[0].open(f"{address}/warpwise/rubric?token={TOKEN}")
    finally:
        process.kill()
