"""What kernels print: C's conversions, in the threads' order, and what CUDA's buffer holds."""

import numpy as np
import pytest

from grader.cuda import simulator
from grader.cuda.errors import OutOfBounds
from grader.machine.printf import BUFFER, FULL


def printed(body, threads=4):
    source = f'extern "C" __global__ void say(int n) {{ int i = threadIdx.x;\n{body}\n}}'
    with simulator.observe() as run:
        simulator.RawModule(code=source).get_function("say")((1,), (threads,), (np.int32(7),))
    return run.printed


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (r'printf("%d %5.2f|%-4u|%x\n", i, 1.5, 3u, 255)', "{i}  1.50|3   |ff\n"),
        (r'printf("%s is %c, 100%%\n", i ? "some" : "none", 65 + i)', "{s} is {c}, 100%\n"),
        (r'printf("%*d|%.*f\n", 4, i, 1, 2.25)', "{i:>4}|2.2\n"),
        (r'printf("%lld %p\n", 1ll << 40, (void*)16)', "1099511627776 0x10\n"),
        (r'printf("nothing\n")', "nothing\n"),
    ],
)
def test_every_thread_prints_in_its_turn(call, said):
    lines = (said.format(i=i, s="some" if i else "none", c=chr(65 + i)) for i in range(4))
    assert printed(f"    {call};") == "".join(lines)


@pytest.mark.parametrize("space", ["", "__shared__ ", "static __device__ "])
def test_a_string_is_read_wherever_it_lies(space):
    body = f"""{space}char word[4];
    word[0] = 'o'; word[1] = 'k'; word[2] = 0; word[3] = n;
    printf("%s ", word);"""
    assert printed(body, threads=1) == "ok "


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (r'printf("%s", (const char*)(1ull << 40))', "outside of all its arrays"),
        (r'printf("%s", (const char*)-1ll)', "outside of all its arrays"),
        (r"printf((const char*)(1ull << 40))", "outside of all its arrays"),
        (r'printf("%s", (const char*)(n * 8ll))', "a null pointer plus an index"),
    ],
)
def test_a_string_that_is_nowhere_is_the_learners_access_on_its_line(call, said):
    with pytest.raises(OutOfBounds, match=said) as error:
        printed(f"    {call};")
    assert error.value.line == 2


def test_threads_that_print_other_formats_keep_their_order():
    assert (
        printed(r'    printf(i % 2 ? "odd %d " : "even %d ", i);') == "even 0 odd 1 even 2 odd 3 "
    )


def test_a_flood_keeps_what_the_buffer_holds_and_says_so():
    text = printed(r'    for (int k = 0; k < 2000; k++) printf("%d of %d\n", k, i);', threads=256)
    assert text.endswith(FULL)
    assert len(text) == BUFFER + len(FULL)
    assert text.startswith("0 of 0\n0 of 1\n")


def test_a_conversion_of_a_billion_columns_is_cut():
    assert len(printed('    printf("%1000000000d|", i);')) == 4 * 1001
