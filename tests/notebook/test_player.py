"""A run recorded step by step, and the page that plays it."""

from __future__ import annotations

import base64
import json
import re
import zlib
from dataclasses import replace
from html import unescape

import numpy as np
import pytest
import small_lesson

from grader import course
from grader.cuda import simulator
from grader.cuda.errors import CudaError, Message
from grader.judge import cases, cases as scenes, judge
from grader.judge.playback.strip import marks_of
from grader.judge.protocol import Failed, Scene
from grader.judge.verdict import Verdict
from grader.notebook import verdict_card
from grader.notebook.player import of_failure, player
from grader.notebook.verdict_card import element_map, expected_beside_found
from grader.status import Status
from grader.watch.recording import AROUND, AT_BARRIER, GONE, recording as recording_of, recordings

LESSON = course.lesson("02_tree_reduction")
EXERCISE = LESSON.exercise("interleaved")
SOLUTION = LESSON.solution(EXERCISE)
LINES = SOLUTION.splitlines()
ADDING = 1 + next(n for n, line in enumerate(LINES) if "+= tile[" in line)
LAST_BARRIER = max(n for n, line in enumerate(LINES) if "__syncthreads();" in line)
RACING = "\n".join([*LINES[:LAST_BARRIER], "//", *LINES[LAST_BARRIER + 1 :]]) + "\n"


def recorded(source: str, kernel: str, grid, block, args, blocks=(0, 1), **options):
    """The run, and the recording of its only launch; what goes wrong stays in `run.hazards`."""
    function = simulator.RawModule(code=source).get_function(kernel)
    with simulator.options(**options), simulator.observe(observers=[recording_of(blocks)]) as run:
        try:
            function(grid, block, args)
        except CudaError:
            assert run.hazards
    return run, recordings(run)[0]


def summed(source: str, blocks=(0, 1)):
    x = np.arange(128, dtype=np.float32)
    return recorded(
        source, "interleaved", (2,), (64,), (x, np.zeros(2, "f4"), np.int32(128)), blocks
    )


def data_in(html: str) -> dict:
    inside = unescape(re.search(r'srcdoc="([^"]*)"', html)[1])
    packed = re.search(r'id="data">([^<]*)<', inside)[1]
    return json.loads(zlib.decompress(base64.b64decode(packed)))


def touches(recording, kind: str, space: str):
    return [
        (frame, touch)
        for frame in recording.frames
        for touch in frame.touches
        if touch.kind == kind and recording.memories[touch.memory].space == space
    ]


# --- the recording ---------------------------------------------------------------------------


def test_stores_bring_the_recorded_cells_to_what_the_kernel_leaves():
    _, recording = summed(SOLUTION)
    tile = {}
    for _, touch in touches(recording, "store", "shared"):
        for row, offset in enumerate(touch.offsets.tolist()):
            tile[int(touch.owner[row]), offset // 4] = float(touch.values[row, 0])
    assert [tile[block, 0] for block in (0, 1)] == [np.arange(64).sum(), np.arange(64, 128).sum()]


def test_each_line_says_what_it_assigned_in_each_thread():
    _, recording = summed(SOLUTION)
    found = {}
    for frame in recording.frames:
        for one in frame.assigned:
            text = LINES[frame.line - 1].strip()
            found.setdefault((text, one.result.built_in), one.values[:3].tolist())
    assert found["const int thread = threadIdx.x;", "threadIdx.x"] == [0, 1, 2]
    index = next(text for text, _ in found if text.startswith("const int i ="))
    assert found[index, ""] == [0, 1, 2]
    loop = next(text for text, _ in found if text.startswith("for (int stride"))
    assert found[loop, ""] == [32, 32, 32]


def test_addresses_are_nothing_a_line_assigned():
    _, recording = summed(SOLUTION)
    kinds = {one.result.type for frame in recording.frames for one in frame.assigned}
    assert kinds <= {"s32", "u32", "f32"}


def test_threads_at_a_barrier_wait_and_threads_that_returned_are_gone():
    source = """extern "C" __global__ void early(float* x) {
        if (threadIdx.x >= 40) return;
        if (threadIdx.x < 32) {
            x[threadIdx.x] = 1.0f;
            __syncthreads();
        }
    }
    """
    _, recording = recorded(source, "early", (1,), (64,), (np.zeros(64, "f4"),), (0,))
    states = np.stack([frame.state for frame in recording.frames])
    assert (states[-1][40:] == GONE).all()
    assert AT_BARRIER in states[:, :32]


def test_a_shuffle_is_recorded_with_who_gave_what():
    source = """extern "C" __global__ void swap(float* x) {
        x[threadIdx.x] = __shfl_xor_sync(0xffffffff, x[threadIdx.x], 1);
    }
    """
    x = np.arange(32, dtype=np.float32) * 1.5
    _, recording = recorded(source, "swap", (1,), (32,), (x.copy(),), (0,))
    (one,) = [one for frame in recording.frames for one in frame.shuffles]
    assert one.source.tolist() == [lane ^ 1 for lane in range(32)]
    assert one.values.tolist() == [x[lane ^ 1] for lane in range(32)]


def test_a_race_is_marked_where_it_happened_with_the_access_it_clashes_with():
    run, recording = summed(RACING)
    (mark,) = marks_of(recording, run.hazards)
    assert recording.frames[mark.frame].line == ADDING
    assert recording.frames[mark.other].line == ADDING
    assert mark.other < mark.frame
    memory, owner, offset, _ = mark.cells[0]
    reads = recording.frames[mark.frame].touches
    assert any(offset in touch.offsets for touch in reads if touch.memory == memory)
    writes = [t for t in recording.frames[mark.other].touches if t.kind == "store"]
    assert any((t.threads == mark.other_thread) @ (t.offsets == offset) for t in writes)
    assert owner == mark.slot


def test_an_access_out_of_bounds_is_marked_at_its_line():
    source = 'extern "C" __global__ void over(float* x, int n) {\n    int i = threadIdx.x;\n'
    source += "    x[i + n] = 1.0f;\n}\n"
    run, recording = recorded(source, "over", (1,), (32,), (np.zeros(40, "f4"), np.int32(20)))
    (mark,) = marks_of(recording, run.hazards)
    assert recording.frames[mark.frame].line == 3
    assert mark.thread == 20


def test_only_the_blocks_asked_for_are_recorded_by_number_or_by_index():
    _, by_number = summed(SOLUTION, blocks=(1,))
    _, by_index = summed(SOLUTION, blocks=((1, 0, 0),))
    assert by_number.indices == by_index.indices == ((1, 0, 0),)
    assert max(int(frame.threads.max()) for frame in by_number.frames) < 64


LONG = """extern "C" __global__ void walk(int* x, int n) {
    __shared__ int cell[32];
    cell[threadIdx.x] = 0;
    for (int i = 0; i < n; i++) {
        cell[threadIdx.x] += i;
        __syncthreads();
    }
    x[threadIdx.x] = cell[threadIdx.x];
}
"""


def test_a_long_run_is_sampled_and_its_cells_are_still_right():
    _, recording = recorded(LONG, "walk", (1,), (32,), (np.zeros(32, "i4"), np.int32(1500)), (0,))
    assert len(recording.frames) < recording.steps / 2
    assert recording.frames[-1].number == recording.steps - 1
    cell = {}
    for frame in recording.frames:
        for touch in (*frame.caught_up, *frame.touches):
            if recording.memories[touch.memory].space == "shared" and touch.kind == "store":
                cell |= dict(zip(touch.offsets.tolist(), touch.values[:, 0].tolist(), strict=True))
    assert set(cell.values()) == {sum(range(1500))}


def test_a_long_run_keeps_the_steps_around_what_went_wrong():
    source = LONG.replace("x[threadIdx.x] =", "x[threadIdx.x + 8] =")
    args = np.zeros(32, "i4"), np.int32(800)
    run, recording = recorded(source, "walk", (1,), (32,), args, (0,))
    (mark,) = marks_of(recording, run.hazards)
    numbers = [frame.number for frame in recording.frames]
    assert len(numbers) < recording.steps
    assert numbers[-AROUND:] == list(range(recording.steps - AROUND, recording.steps))
    assert recording.frames[mark.frame].number == recording.steps - 1


# --- the page --------------------------------------------------------------------------------


def test_the_page_needs_nothing_from_elsewhere():
    run, recording = summed(RACING)
    page = player(recording, marks_of(recording, run.hazards))
    inside = unescape(re.search(r'srcdoc="([^"]*)"', page.html)[1])
    assert not re.search(r"""(src|href)=|@import|url\(|fetch\(|XMLHttp|import\(""", inside)
    assert "http" not in inside.replace("http://www.w3.org/2000/svg", "")


def page_of_a_walk(steps):
    """Bytes of a player of 1,024 threads that go so many times around a loop."""
    args = np.random.default_rng(0).standard_normal(1024).astype("f4"), np.int32(steps)
    source = LONG.replace("int*", "float*").replace("int cell", "float cell")
    _, recording = recorded(source.replace("[32]", "[1024]"), "walk", (1,), (1024,), args, (0,))
    return len(player(recording, []).html.encode())


def test_five_players_stay_under_ten_megabytes():
    """A run twice as long has one level more, of which fewer and fewer steps are kept. Another six
    lead to more steps than check() records."""
    short, long = page_of_a_walk(200), page_of_a_walk(400)
    assert 5 * (long + 6 * max(0, long - short)) < 10_000_000


def test_what_the_source_says_cannot_leave_the_frame():
    source = SOLUTION.replace(
        "// Your loop", '// </script><img src=x onerror="alert(1)"> Your loop'
    )
    assert source != SOLUTION
    _, recording = summed(source)
    page = player(recording, [])
    assert "<img" not in page.html
    assert data_in(page.html)["source"] == source.splitlines()


def test_the_player_opens_at_the_hazard():
    run, recording = summed(RACING)
    found = marks_of(recording, run.hazards)
    assert data_in(player(recording, found).html)["open"] == found[0].frame


def test_the_strip_shows_the_hazard_and_the_step_it_clashes_with_as_text():
    run, recording = summed(RACING)
    page = player(recording, marks_of(recording, run.hazards))
    without_frame = re.sub(r"<iframe.*?</iframe>", "", page.html, flags=re.DOTALL)
    for text in (page.text, unescape(without_frame)):
        assert "✗ Data race" in text
        assert "●" * 32 in text
        assert "wrote tile[0] … tile[31]" in text


def test_a_step_is_told_in_words():
    _, recording = summed(SOLUTION)
    said = data_in(player(recording, []).html)["frames"]
    texts = [frame["say"][0] for frame in said]
    assert any("all 64 threads: read x[0] … x[63]" in text for text in texts)
    assert any("The barrier opens: 64 threads go on." in text for text in texts)
    assert "64 threads leave the kernel." in texts[-1]


# --- a failing exercise ----------------------------------------------------------------------


def replayed(source: str, exercise=EXERCISE, seed: int = 3):
    verdict = judge(exercise.id, source, seed=seed, hidden=False)
    return verdict, of_failure(verdict, source, exercise)


@pytest.mark.slow
def test_a_failing_exercise_is_recorded_at_its_hazard():
    verdict, replay = replayed(RACING)
    assert verdict.status == "data_race"
    assert replay.recording.frames[replay.found[0].frame].line == verdict.line
    card = verdict_card.page(verdict, RACING, EXERCISE, replay)
    assert "Step through it" in card.text
    assert "<iframe" in card.html


def test_the_card_shows_the_elements_of_the_launch_that_it_tells():
    exercise = LESSON.exercise("max")
    source = LESSON.solution(exercise).replace("-INFINITY", "0.0f")
    verdict, replay = replayed(source, exercise)
    assert "partial[2] is 0, and should be -inf" in verdict.parts.first  # in launch 2 of 2
    shown = verdict_card.page(verdict, source, exercise, replay).text
    assert re.search(r"expected.*-inf", shown), shown


@pytest.mark.slow
def test_a_wrong_answer_is_marked_where_its_first_wrong_element_was_stored():
    source = SOLUTION.replace("partial[blockIdx.x] = tile[0]", "partial[blockIdx.x] = tile[1]")
    verdict, replay = replayed(source)
    assert verdict.status == "wrong_answer"
    mark = replay.found[0]
    (stored,) = [
        float(touch.values[row, 0])
        for touch in replay.recording.frames[mark.frame].touches
        for row in np.flatnonzero(
            touch.threads == mark.slot * replay.recording.stride + mark.thread
        )
        if touch.kind == "store"
    ]
    failed = next(case for case in verdict.cases if case.name == replay.case.name)
    assert stored == np.float32(failed.mismatches[0].found)
    assert "partial[0]\n" in verdict_card.page(verdict, source, EXERCISE, replay).text


@pytest.mark.slow
def test_a_wrong_answer_opens_at_the_first_step_that_differs_from_ours():
    exercise = LESSON.exercise("max")
    source = LESSON.solution(exercise).replace("-INFINITY", "0.0f")
    verdict, replay = replayed(source, exercise)
    first, end = replay.found
    assert (first.step, end.step) == ("First difference", "The end")
    frame = replay.recording.frames[first.frame]
    assert "fmaxf(tile[thread]" in source.splitlines()[frame.line - 1]
    differs = next(case.differs for case in verdict.cases if case.name == replay.case.name)
    assert (first.thread, frame.line) == (differs.thread, differs.line)
    assert first.text == next(c.message for c in verdict.cases if c.name == replay.case.name)
    (stored,) = [one for one in replay.recording.frames[end.frame].touches if one.kind == "store"]
    assert stored.values[0, 0] == 0
    assert data_in(player(replay.recording, list(replay.found)).html)["open"] == first.frame


@pytest.mark.slow
def test_the_first_difference_is_of_the_round_in_which_it_is():
    """Only the last of the rounds subtracts."""
    rounds = "tile[thread] += tile[thread + stride];"
    other = "const float a = tile[thread], b = tile[thread + stride];"
    other += " tile[thread] = stride == 1 ? a - b : a + b;"
    source = SOLUTION.replace(rounds, other)
    _, replay = replayed(source)
    first = replay.found[0]
    assert first.step == "First difference"
    (told,) = [
        one
        for one in data_in(player(replay.recording, list(replay.found)).html)["frames"]
        if one["n"] == replay.recording.frames[first.frame].number
    ]
    assert "tile[0]" in told["say"][0] and "1 thread" in told["say"][0]


@pytest.mark.slow
def test_an_endless_loop_opens_where_the_thread_enters_it():
    source = SOLUTION.replace("stride /= 2", "stride - 1")
    _, replay = replayed(source)
    first = replay.found[0]
    assert first.step == "The loop"
    lines = [one.line for one in replay.recording.frames]
    loop = next(n for n, text in enumerate(source.splitlines(), 1) if "stride - 1" in text)
    inside = set(lines[first.frame :])
    assert min(inside) >= loop
    assert not inside & set(lines[: first.frame]) - {loop}
    assert len(lines) - first.frame > 3 * len(inside)


@pytest.mark.slow
def test_a_verdict_says_in_which_block_it_went_wrong_and_that_one_is_recorded():
    source = SOLUTION.replace(
        "if (thread == 0) partial[blockIdx.x] = tile[0];",
        "if (thread == 0) partial[blockIdx.x] = tile[blockIdx.x == 2];",
    )
    verdict, replay = replayed(source)
    failed = next(case for case in verdict.cases if case.status != "passed")
    assert failed.where == Scene(1, (2, 0, 0), "lockstep")
    assert replay.recording.indices == ((2, 0, 0),)
    assert replace(verdict.for_learner(), seed=verdict.seed) == verdict


@pytest.mark.slow
def test_a_race_between_small_blocks_is_recorded_in_the_one_that_lost_it():
    """Blocks of one thread, of which the eighth reads what the first has left."""
    exercise = LESSON.exercise("two_fences")
    source = next(one.source for one in LESSON.wrong_kernels if one.exercise == exercise.name)
    verdict, replay = replayed(source, exercise)
    assert verdict.cases[0].where.block == (7, 0, 0)
    assert (7, 0, 0) in replay.recording.indices
    assert replay.found[0].text == verdict.message


@pytest.mark.slow
def test_what_a_worker_says_of_blocks_and_orders_is_not_believed_without_a_look():
    (instance,) = list(cases.drawn(EXERCISE, 3, hidden=False))[:1]
    for said in (
        Scene(9, (0, 0, 0), "lockstep"),
        Scene(1, (0, 0, 0), "sideways"),
    ):
        assert scenes.of_failure(instance, Failed(Status.DATA_RACE, Message(), where=said)) is None
    far = Failed(Status.DATA_RACE, Message(), where=Scene(1, (1 << 40, 0, -1), "lockstep"))
    assert scenes.of_failure(instance, far) == Scene(1, None, "lockstep")


@pytest.mark.slow
@pytest.mark.parametrize("wrong", ["does not compile", "passes"])
def test_there_is_nothing_to_step_through_where_nothing_ran_wrong(wrong):
    source = SOLUTION if wrong == "passes" else SOLUTION.replace(";", "", 1)
    verdict, replay = replayed(source)
    assert replay is None
    assert "<iframe" not in verdict_card.page(verdict, source, EXERCISE, replay).html


@pytest.mark.slow
def test_nothing_of_a_hidden_case_is_shown():
    exercise = next(e for e in LESSON.exercises if any(not case.visible for case in e.cases))
    verdict = judge(exercise.id, LESSON.solution(exercise), seed=1)
    fails = [case for case in verdict.cases if not case.visible]
    broken = verdict.to_dict()
    for case in broken["cases"]:
        if not case["visible"]:
            case |= {"status": "wrong_answer", "points": 0.0, "message": "x[3] should be 4711"}
    assert fails
    hidden = Verdict.from_dict(broken)
    assert of_failure(hidden, LESSON.solution(exercise), exercise) is None
    told = verdict_card.page(hidden.for_learner(), LESSON.solution(exercise), exercise)
    assert "4711" not in told.html + told.text


# --- which elements --------------------------------------------------------------------------


def test_the_map_of_elements_shows_each_wrong_one():
    wrong = np.zeros(40, bool)
    wrong[[3, 38]] = True
    page = element_map("y", wrong)
    assert "2 of 40 elements of y are wrong, the first is y[3]" in page.text
    row = page.text.splitlines()[1].strip()
    assert [at for at, sign in enumerate(row) if sign == "✗"] == [3, 38]
    assert 'role="img"' in page.html


def test_the_first_wrong_element_stands_among_its_neighbours_beside_what_it_should_be():
    wrong = np.zeros((3, 40), bool)
    wrong[1, [5, 7]] = True
    expected = np.arange(120, dtype=np.float32).reshape(3, 40)
    page = expected_beside_found("y", wrong, expected, np.where(wrong, 0.5, expected))
    names, wanted, got = (row.split() for row in page.text.splitlines())
    assert names[:2] == ["y[1,", "3]"]
    assert wanted == ["expected", *map(str, range(43, 51))]
    assert got == ["found", "43", "44", "0.5", "✗", "46", "0.5", "✗", "48", "49", "50"]
    assert page.html.count("✗") == 2


@pytest.mark.parametrize("shape", [(), (1,), (3,), (2, 2)])
def test_a_small_answer_is_shown_whole(shape):
    wrong = np.zeros(shape, bool)
    wrong[(-1,) * len(shape)] = True
    page = expected_beside_found("sum", wrong, np.ones(shape), np.full(shape, 2.0))
    _, wanted, got = page.text.splitlines()
    assert wanted.split().count("1") == (shape[-1] if shape else 1)
    assert got.endswith("2 ✗")


def test_elements_that_differ_in_the_last_digits_are_told_apart():
    page = expected_beside_found("y", np.array([True]), np.array([1.0]), np.array([1.00000001]))
    assert "1.00000001 ✗" in page.text


@pytest.mark.slow
def test_the_first_wrong_element_is_among_the_first_shown_at_a_row_s_end_too():
    wrong = np.arange(300) == 299
    page = expected_beside_found("y", wrong, np.ones(300), np.where(wrong, 0.5, 1.0))
    assert page.text.splitlines()[0].split() == ["y[297]", "y[298]", "y[299]"]


def test_the_card_of_a_wrong_answer_sets_expected_beside_found_under_the_learner_s_name():
    source = SOLUTION.replace("x[i]", "x[i] + 1").replace("partial", "sums")
    verdict, replay = replayed(source)
    page = verdict_card.page(verdict.for_learner(), source, EXERCISE, replay)
    rows = [row.split() for row in page.text.splitlines()]
    (wanted,) = [row for row in rows if row[:1] == ["expected"]]
    assert rows[rows.index(wanted) - 1] == ["sums[0]"]
    (got,) = [row for row in rows if row[:1] == ["found"]]
    assert float(got[1]) == float(wanted[1]) + 256  # a block of them, 1 each
    assert got[2] == "✗"


def test_elements_that_nobody_wrote_are_told_apart_from_wrong_ones():
    wrong, missing = np.zeros((2, 40), bool)
    wrong[[3, 4, 38]], missing[[4, 38]] = True, True
    page = element_map("y", wrong, missing)
    assert "3 of 40 elements of y are wrong, the first is y[3]; 2 of these were not written" in (
        page.text
    )
    row = page.text.splitlines()[1].strip()
    assert (row[3], row[4], row[38]) == ("✗", "∅", "∅")
    assert "not written" in page.html
    found = np.full(40, 4e9)
    table = expected_beside_found("y", wrong, np.arange(40.0), found, missing)
    assert table.text.splitlines()[2].split()[:7] == [
        *("found", "4e+09", "4e+09", "4e+09", "✗", "not", "written"),
    ]
    assert "not written ✗" in table.html


def test_the_card_says_of_what_nobody_wrote_that_and_no_number():
    source = SOLUTION.replace("if (thread == 0) partial", "if (thread == 0 && n == 0) partial")
    verdict, replay = replayed(source)
    page = verdict_card.page(verdict.for_learner(), source, EXERCISE, replay)
    poison = f"{float(replay.buffers['partial'][0]):.6g}"
    assert "not written ✗" in page.html
    assert "not written ✗" in page.text
    for shown in (re.sub(r"<iframe.*?</iframe>", "", page.html, flags=re.DOTALL), page.text):
        assert poison not in shown


def test_a_case_whose_arrays_begin_anywhere_is_played_as_it_was_judged(tmp_path):
    """Two floats at once are aligned in an array of its own, and not one element behind that."""
    root = small_lesson.write(tmp_path)
    text = (root / "01_add/exercises.py").read_text()
    text = text.replace("return Problem(", "return anywhere(Problem(").replace(
        "(launch,))\n", "(launch,)))\n"
    )
    (root / "01_add/exercises.py").write_text(
        text.replace("import Budget", "import Budget, anywhere")
    )
    source = small_lesson.instead(
        """    if (i < n / 2) {
        float2 a = ((const float2*)x)[i], b = ((const float2*)y)[i];
        total[2 * i] = a.x + b.x, total[2 * i + 1] = a.y + b.y;
    }"""
    )
    verdict = judge(small_lesson.ID, source, seed=3, root=root)
    assert verdict.status == "misaligned"
    exercise = course.lesson("01_add", root).exercise("add")
    replay = of_failure(verdict, source, exercise)
    assert replay.found[0].text == verdict.message
    assert replay.recording.frames[replay.found[0].frame].line == verdict.line


def test_a_large_map_folds_and_says_so():
    wrong = np.zeros((1000, 1000), bool)
    wrong[999, 999] = True
    page = element_map("y", wrong)
    assert "A cell stands for up to" in page.text
    assert "o" in page.text.splitlines()[-1]
