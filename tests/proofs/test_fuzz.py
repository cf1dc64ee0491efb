"""Random bytes and mutated notebooks, PTX and sources: a verdict or a clear error, never a
traceback, never a hang.

WARPWISE_FUZZ=10000 pytest tests/proofs/test_fuzz.py tries 10,000 inputs of each kind; without it,
a few hundred, always the same ones.
"""

import json
import os
from functools import partial

import nbformat
import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings, strategies as st

from grader import compilers, course
from grader.course.weave import text, weave
from grader.cuda import simulator
from grader.cuda.errors import CudaError
from grader.judge.protocol import Ran
from grader.judge.sandbox import main as sandbox
from grader.submissions import intake

pytestmark = pytest.mark.slow

INPUTS = int(os.environ.get("WARPWISE_FUZZ", "250"))
STEPS = 3_000
fuzzed = settings(
    max_examples=INPUTS,
    derandomize="WARPWISE_FUZZ" not in os.environ,
    deadline=300_000,  # milliseconds: what takes longer than that hangs
    database=None,
    suppress_health_check=list(HealthCheck),
)

LESSON = course.lessons()[0]
NOTEBOOK = json.loads(text(weave(LESSON)))
NAMES = [exercise.name for exercise in LESSON.exercises]
KERNELS = [
    lesson.solution(exercise) for lesson in course.lessons() for exercise in lesson.exercises[:1]
]
odd_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)
NUMBERS = st.sampled_from(["0", "1", "-1", "31", "4096", "2147483648", "0f7F800000", "99999999999"])


def places(value, path=()):
    """Every place in a JSON value, as the keys that lead there."""
    yield path
    if isinstance(value, dict):
        value = value.items()
    elif isinstance(value, list):
        value = enumerate(value)
    else:
        return
    for key, child in value:
        yield from places(child, (*path, key))


PLACES = list(places(NOTEBOOK))


@given(st.binary(max_size=400))
@example(b"[" * 100_000)
@fuzzed
def test_random_bytes_are_no_notebook(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "bytes.ipynb"
    path.write_bytes(content)
    with pytest.raises(intake.UnreadableNotebook) as caught:
        intake.read_notebook(path)
    assert str(caught.value).startswith("bytes.ipynb is not a notebook")


@given(st.lists(st.tuples(st.sampled_from(PLACES), odd_json | st.just("remove")), max_size=4))
@fuzzed
def test_a_mutated_notebook_is_read_or_refused_in_a_sentence(tmp_path_factory, changes):
    mutated = json.loads(json.dumps(NOTEBOOK))
    for path, value in changes:
        _change(mutated, path, value)
    place = tmp_path_factory.getbasetemp() / "mutated.ipynb"
    place.write_text(json.dumps(mutated))
    try:
        notebook = intake.read_notebook(place)
    except intake.UnreadableNotebook as error:
        assert str(error).startswith("mutated.ipynb")
        return
    answers = intake.find(notebook, NAMES)
    assert [answer.name for answer in answers] == NAMES
    assert all(answer.problem or answer.source is not None for answer in answers)
    nbformat.writes(notebook)


def _change(value, path, new) -> None:
    for key in path[:-1]:
        try:
            value = value[key]
        except (KeyError, IndexError, TypeError):
            return  # another change has taken it away
    if path and isinstance(value, dict | list):
        try:
            if new == "remove":
                del value[path[-1]]
            else:
                value[path[-1]] = new
        except (KeyError, IndexError, TypeError):
            pass


@st.composite
def mutated_ptx(draw):
    """A program of the course with a few of its lines deleted, doubled, moved or changed."""
    program = compilers.compile_ptx(draw(st.sampled_from(KERNELS)))
    lines = program.text.splitlines()
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(lines) - 1))
        kind = draw(st.sampled_from(["delete", "double", "swap", "number", "token", "noise"]))
        if kind == "delete":
            lines[at] = ""
        elif kind == "double":
            lines[at] += "\n" + lines[at]
        elif kind == "swap":
            other = draw(st.integers(0, len(lines) - 1))
            lines[at], lines[other] = lines[other], lines[at]
        elif kind == "noise":
            lines[at] = draw(st.text(max_size=20))
        else:
            words = lines[at].split(" ")
            word = draw(st.integers(0, len(words) - 1))
            from_there = draw(st.sampled_from(lines)).split()
            token = st.sampled_from(from_there or [";"])
            words[word] = draw(NUMBERS if kind == "number" else token)
            lines[at] = " ".join(words)
    return "\n".join(lines)


@given(mutated_ptx())
@fuzzed
def test_mutated_ptx_runs_or_ends_in_a_clear_error(ptx):
    """As the judge runs it: what is not a CudaError would be called the grader's own fault."""
    reply = sandbox._attempt(partial(_run, ptx), 1 << 32, 30)
    assert isinstance(reply, Ran) or reply.message
    assert isinstance(reply, Ran) or "The grader itself" not in reply.message, reply.message


def _run(ptx: str):
    given_text = simulator.compilers.compile_ptx
    simulator.compilers.compile_ptx = lambda *_: compilers.Program(ptx.encode(), {})
    try:
        # Every line is asm, for only that may be wrong by a source's fault.
        program = simulator.RawModule(code='asm(""' + 1000 * "\n" + ")")
        with simulator.options(step_limit=STEPS), simulator.observe():
            for name in program.kernel_names:
                kernel = program.get_function(name)
                kernel(2, 64, tuple(map(_argument, kernel._function.parameters)))
    finally:
        simulator.compilers.compile_ptx = given_text
    return Ran()


def _argument(parameter):
    return np.zeros(256, np.float32) if parameter.size == 8 else np.int32(100)


@given(
    st.sampled_from(KERNELS),
    st.lists(st.tuples(st.integers(0, 4000), st.text(max_size=6)), min_size=1, max_size=3),
)
@settings(fuzzed, max_examples=INPUTS // 5)
def test_a_mutated_source_compiles_or_says_why_not(source, changes):
    for at, inserted in changes:
        at %= len(source)
        source = source[:at] + inserted + source[at + len(inserted) :]
    try:
        assert compilers.compile_ptx(source).text
    except CudaError as error:
        assert str(error).strip()
