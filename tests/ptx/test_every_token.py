"""One slip at each token of every kernel of the course: what does not compile says so by a line.

The suite takes a few slips of each file, always the same ones. All of them, some 70,000 and the
better part of two hours of one core:

    WARPWISE_TOKENS=all pytest tests/ptx/test_every_token.py -n 0 -s

Each file is a test that prints its counts. WARPWISE_TOKENS=03_shuffle takes the files with that
in their path alone, so that a run can be had in parts.
"""

import os
import random
import re
import time
from collections.abc import Iterator

import pytest

from grader import course
from grader.compilers import Job, chosen, chosen_name
from grader.cuda import CompileError
from grader.cuda.errors import CompilerFailure, lines_of

ASKED = os.environ.get("WARPWISE_TOKENS", "")
SAMPLE = 4  # slips of each file
LONGEST = 8_000  # characters of all that is said of one source
# The front end alone: it finds the errors. It reads the headers of CUB once for all slips. (NVRTC's
# options; clang is quick without.)
FAST = ("--fdevice-syntax-only", "--pch") if chosen_name() == "nvrtc" else ()

TOKEN = re.compile(
    r"(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<space>\s+)|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<number>\.?\d(?:[eE][+-]|[\w.])*)|(?P<text>\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*')"
    r"|(?P<mark><<=|>>=|->|\+\+|--|<<|>>|[-+*/%&|^=!<>]=|&&|\|\||::|##|.)",
    re.DOTALL,
)


KERNELS = {
    f"{lesson.path.name}/{path.name}": path.read_text()
    for lesson in course.lessons()
    for path in sorted(lesson.path.glob("*.cu"))
}
SHOWN = [name for name in KERNELS if ASKED in ("", "all") or ASKED in name]


def slips(source: str) -> Iterator[str]:
    """The source with one token left out, written twice, changed with the next, misspelled."""
    tokens = [t for t in TOKEN.finditer(source) if t.lastgroup not in ("comment", "space")]
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        before, text, after = source[: token.start()], token[0], source[token.end() :]
        yield before + after
        yield f"{before}{text} {text}{after}"
        if following and following[0] != text:
            gap = source[token.end() : following.start()]
            yield f"{before}{following[0]}{gap}{text}{source[following.end() :]}"
        if token.lastgroup == "name":
            yield f"{before}{text[:-1]}{'x' if text[-1] != 'x' else 'y'}{after}"
        if token.lastgroup == "text":  # a quotation mark left out at either end
            yield before + text[1:] + after
            yield before + text[:-1] + after


def chosen_slips(name: str) -> list[str]:
    distinct = list(dict.fromkeys(slips(KERNELS[name])))
    distinct = [text for text in distinct if text != KERNELS[name]]
    return distinct if ASKED else random.Random(name).sample(distinct, SAMPLE)


def complaint(source: str) -> str | None:
    """What is wrong with how the compiler refuses `source`; "" if nothing, None if it does not."""
    try:
        chosen().compile(Job(source, FAST))
        return None
    except CompilerFailure as failure:
        return f"{failure}"
    except CompileError as error:
        told, said = error.diagnostics, str(error)
    lines = lines_of(source)
    places = [(one.line, one.column) for one in told]
    places += [(note.line, note.column) for one in told for note in one.notes if note.line]
    wrong = [at for at, column in places if not 1 <= at <= len(lines)]
    wrong += [at for at, column in places if column and column > len(lines[at - 1])]
    if not told or not all(one.message for one in told):
        return f"no sentence: {said}"
    if wrong:
        return f"no such place: {wrong} in {said}"
    return "" if len(said) < LONGEST else "too long"


@pytest.mark.parametrize("name", SHOWN)
def test_every_slip_that_does_not_compile_has_a_line(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)  # where precompiled headers go
    start = time.process_time()
    sources = chosen_slips(name)
    said = [complaint(source) for source in sources]
    failing = [answer for answer in said if answer is not None]
    faults = [(answer, source) for answer, source in zip(said, sources, strict=True) if answer]
    seconds = time.process_time() - start
    with capsys.disabled():
        if ASKED:
            counts = f"{len(sources)} slips, {len(failing)} do not compile, {len(faults)} wrong"
            print(f"\n{name}: {counts}, {seconds:.0f} s", flush=True)
    assert not faults, f"{len(faults)} of {len(failing)}, first: {faults[0]}"


def test_the_sources_are_sliced_at_every_token():
    assert list(slips("a(b)")) == [
        *("(b)", "a a(b)", "(ab)", "x(b)"),
        *("ab)", "a( (b)", "ab()", "a()", "a(b b)", "a()b", "a(x)"),
        *("a(b", "a(b) )"),
    ]
