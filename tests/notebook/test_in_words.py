"""nbconvert's Markdown of a notebook reads as it stands."""

import io
import os
import subprocess
import sys
import urllib.request
import zipfile

import browser
import pytest

from grader.learner import start_page

RACES = """%%cuda interleaved
extern "C" __global__ void interleaved(const float* x, float* partial, int n) {
    __shared__ float tile[256];
    const int thread = threadIdx.x;
    const int i = blockIdx.x * blockDim.x + thread;
    tile[thread] = i < n ? x[i] : 0.0f;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (thread < s) tile[thread] += tile[thread + s];
    }
    if (thread == 0) partial[blockIdx.x] = tile[0];
}"""
CELLS = (
    "from grader.notebook import *\nimport numpy as np\nlesson('02_tree_reduction')",
    "predict('How many?', ['four', 'eight'], answer='eight', because='Twice four.')",
    RACES,
    "check('interleaved')",
    "x, partial = np.ones(64, np.float32), np.zeros(1, np.float32)\n"
    "run = watch(interleaved, 1, 64, (x, partial, np.int32(64)))",
    "profile(run); compare(run, run); play(run); hint('interleaved')",
    "draw.tree(run)",
    "class Others:\n    def _repr_html_(self): return '<b>not ours</b>'\nOthers()",
)
SAID = (  # in this order
    "Tree reduction: ",
    "Predict: How many?",
    "      - eight",
    "```cuda\n%%cuda interleaved",
    "Compiled: `interleaved`",
    "interleaved: not there yet, 3.8 of 12.5 points",
    "✗ data race ",
    "    >   9 |         if (thread < s) tile[thread] += tile[thread + s];",
    "Profile of `interleaved`",
    "No counter differs",
    " steps of block 0",
    "![png](",
    "<b>not ours</b>",
)


def converted(to, notebook, *options):
    """What `jupyter nbconvert` makes of a notebook in a terminal of `grader lab`'s JupyterLab."""
    command = [sys.executable, "-m", "nbconvert", "--to", to, "--stdout", *options, str(notebook)]
    own = {f"JUPYTER_{name}_DIR": str(notebook.parent / name) for name in ("CONFIG", "DATA")}
    env = os.environ | start_page.environment() | own
    done = subprocess.run(command, env=env, check=True, capture_output=True, encoding="utf-8")
    return done.stdout


@pytest.fixture(scope="module")
def notebook(tmp_path_factory):
    path = tmp_path_factory.mktemp("words") / "ran.ipynb"
    browser.write_notebook(path, *CELLS)
    path.write_text(converted("notebook", path, "--execute"), encoding="utf-8")
    return path


def reads_as_it_stands(markdown):
    rest = markdown
    for words in SAID:
        before, found, rest = rest.partition(words)
        assert found, f"{words!r} is not said, or not there:\n{before}"
    shown = markdown.replace("<b>not ours</b>", "")
    return not any(mark in shown for mark in ("<div", "<style", "style=", "<iframe", "&lt;"))


def test_a_terminal_of_the_lab_makes_markdown_that_reads_as_it_stands(notebook):
    assert reads_as_it_stands(converted("markdown", notebook))


def test_saved_and_exported_from_jupyterlab_it_is_the_same(notebook):
    with browser.jupyterlab(notebook.parent, learner=True) as address:
        file = f"{address}/nbconvert/markdown/{notebook.name}"
        asked = urllib.request.Request(file, headers={"Referer": f"{address}/lab"})
        with urllib.request.urlopen(asked) as answer:
            archive = zipfile.ZipFile(io.BytesIO(answer.read()))  # with its picture beside it
    assert reads_as_it_stands(archive.read("ran.md").decode())


def test_html_of_a_notebook_keeps_its_cards_and_players_and_colours_its_kernels(notebook):
    page = converted("html", notebook)
    assert "<iframe" in page and "jp-error-color1" in page
    assert '<span class="kr">__global__</span>' in page
