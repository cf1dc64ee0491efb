"""A class of attackers, graded in one go: everybody gets what was earned, nobody comes to harm."""

import contextlib
import hashlib
import json
import resource
import time
from pathlib import Path

import psutil
import pytest
import small_class
from attacks import BOMBS, KERNELS, MARK, NOTEBOOKS
from small_class import LESSON, SCALED, hand_in
from small_lesson import SOLUTION
from typer.testing import CliRunner

from grader import compilers
from grader.classroom import verdicts
from grader.classroom.folder import new_course
from grader.classroom.report import alike
from grader.cli.app import app
from grader.compilers import parameters
from grader.cuda.errors import Message, visible
from grader.judge import Limits, judge, worker
from grader.judge.arrangement import is_blank
from grader.judge.judging import LONGEST_SOURCE
from grader.judge.sandbox import landlock
from grader.notebook import cards
from grader.submissions.intake import cuda_source

pytestmark = pytest.mark.slow

CLASS = {name: points for name, (_, points) in (KERNELS | NOTEBOOKS).items()}
needs_limits = pytest.mark.skipif(
    worker.WATCHED,
    reason="NO SYSTEM'S LIMIT ON MEMORY HERE, looking finds what is touched: it was not tried",
)
needs_landlock = pytest.mark.skipif(
    not landlock.version(), reason="NO LANDLOCK IN THIS KERNEL: which files are read was not tried"
)


@pytest.fixture(scope="module")
def attacked(grading, tmp_path_factory):
    """The course after the attackers have been graded, and what the command said."""
    MARK.unlink(missing_ok=True)
    kernels = small_class.write_lesson(tmp_path_factory.mktemp("kernels"))
    here = new_course(tmp_path_factory.mktemp("course"), kernels)
    with contextlib.chdir(here.root):
        assert CliRunner().invoke(app, ["release", LESSON]).exit_code == 0
        for learner, (source, _) in KERNELS.items():
            hand_in(here, learner, add=source, scale=SCALED)
        for learner, (damage, _) in NOTEBOOKS.items():
            hand_in(here, learner, damage, scale=SCALED)
        before = _fingerprints(here.root / "source", kernels)
        said = CliRunner().invoke(app, ["autograde", LESSON], env={"COLUMNS": "200"})
    assert before == _fingerprints(here.root / "source", kernels)
    return here, said


@pytest.mark.parametrize("learner", CLASS)
def test_an_attacker_gets_what_an_honest_reader_would_give(attacked, learner):
    here, _ = attacked
    with here.gradebook() as gradebook:
        notebook = gradebook.find_submission_notebook(LESSON, LESSON, learner)
        points = {grade.name: (grade.score, grade.max_score) for grade in notebook.grades}
    assert points["check-add"] == (CLASS[learner], 4)


@pytest.mark.parametrize("learner", sorted(set(CLASS) - {"swapped_names"}))
def test_an_attack_on_one_exercise_leaves_the_other_alone(attacked, learner):
    here, _ = attacked
    assert _verdict(here, learner, "scale")["status"] == "passed"


def test_nothing_of_a_notebook_was_executed(attacked):
    assert not MARK.exists()


def test_the_instructor_reads_no_traceback(attacked):
    _, said = attacked
    assert said.exit_code in (0, 1)
    assert "Traceback" not in said.output + said.stderr


@needs_landlock
@pytest.mark.parametrize("learner", [name for name in KERNELS if name.startswith("include_")])
def test_no_file_is_read_or_shown(attacked, learner):
    here, _ = attacked
    verdict = _verdict(here, learner, "add")
    assert verdict["status"] == "compile_error"
    assert "root:" not in str(verdict) and "blockDim.x / 2" not in str(verdict)


@needs_landlock
def test_whether_there_is_a_file_cannot_be_asked(attacked):
    here, _ = attacked
    assert _verdict(here, "peeks_for_a_file", "add")["status"] == "wrong_answer"


@pytest.mark.parametrize(
    ("learner", "status"),
    [
        ("endless_loop", "timeout"),
        ("endless_recursion", "out_of_bounds"),
        ("ten_gigabytes", "launch_error"),
        ("much_shared", "launch_error"),
        ("long_source", "compile_error"),
        ("trap", "launch_error"),
        ("assertion", "launch_error"),
        ("stray_pointer", "out_of_bounds"),
        ("zeros", "wrong_answer"),
        ("first_warp_alone", "wrong_answer"),
        ("nothing_written", "wrong_answer"),
        ("input_changed", "wrong_answer"),
        ("forged_answer", "wrong_answer"),
    ],
)
def test_what_was_tried_is_called_by_its_name(attacked, learner, status):
    here, _ = attacked
    assert _verdict(here, learner, "add")["status"] == status


def test_every_refusal_is_a_sentence_for_a_learner(attacked):
    here, _ = attacked
    for learner in KERNELS:
        verdict = _verdict(here, learner, "add")
        if verdict["status"] != "passed":
            assert verdict["message"].strip(), learner
            assert "The grader itself failed" not in verdict["message"], learner


@pytest.mark.parametrize("learner", BOMBS)
def test_what_takes_time_or_memory_is_told_the_true_reason(attacked, learner):
    here, _ = attacked
    _, status, line = BOMBS[learner]
    verdict = _verdict(here, learner, "add")
    in_cell = line and line + 1  # whose first line is the magic's
    assert (verdict["status"], verdict["line"]) == (status, in_cell), verdict["message"]


@pytest.mark.parametrize("learner", BOMBS)
def test_what_a_verdict_and_its_page_hold_is_bounded(attacked, learner):
    here, _ = attacked
    handed_in = len(BOMBS[learner][0])
    assert len(json.dumps(_verdict(here, learner, "add"))) < 20_000
    assert here.notebook("autograded", LESSON, learner).stat().st_size < 100_000 + 2 * handed_in
    page = small_class.feedback_page(here, learner)
    assert len(page) < 600_000 + 10 * handed_in


# What the class above hands in is compiled by the compiler that is used first; here by each other.
OTHERS = [name for name, one in compilers.COMPILERS.items() if one.available()][1:]
OF_FILES = [name for name in KERNELS if name.startswith("include_")]
FOR_A_COMPILER = [*OF_FILES, *BOMBS, "peeks_for_a_file", "endless_constexpr", "deep_template"]
FOR_A_COMPILER += ["endless_recursion", "much_shared", "long_source", "trap"]
FOR_A_COMPILER += ["bad_assembly", "assembly_include", "printf_flood", "forged_answer"]
FOR_A_COMPILER += [pytest.param("ten_gigabytes", marks=needs_limits)]


@pytest.mark.parametrize("learner", FOR_A_COMPILER)
@pytest.mark.parametrize("compiler", OTHERS)
def test_an_attack_gets_no_further_with_another_compiler(kernels, compiler, learner):
    with compilers.used(compiler):
        verdict = judge(f"{LESSON}/add", KERNELS[learner][0], root=kernels)
    said = json.dumps(verdict.to_dict())
    assert verdict.points == KERNELS[learner][1], verdict.message
    assert "The grader itself failed" not in said and len(said) < 20_000
    if learner in BOMBS:
        assert (verdict.status, verdict.line) == BOMBS[learner][1:], verdict.message
    if learner in OF_FILES and landlock.version():
        assert verdict.status == "compile_error"
        assert "root:" not in said and "blockDim.x / 2" not in said


# Of a file that is there and of one that is not, what a source can learn must be the same.
ASKING = {
    "include": '#include "FILE"',
    "has_include": '#if __has_include("FILE")\n#error it is there\n#endif',
    "has_include_next": '#if __has_include_next("FILE")\n#error it is there\n#endif',
    "has_embed": '#if __has_embed("FILE")\n#error it is there\n#endif',
    "pasted": '#define J(a, b) a##b\n#if J(__has_, embed)("FILE")\n#error it is there\n#endif',
    "embed": '__device__ char t[] = {0,\n#embed "FILE" limit(8)\n};\n',
    "embed_in_angles": "__device__ char t[] = {0,\n#embed <FILE> limit(8)\n};\n",
    "dependency": '#pragma GCC dependency "FILE"',
    "assembly": 'asm(".incbin \\"FILE\\"");',
}


@needs_landlock
@pytest.mark.parametrize("ask", ASKING)
@pytest.mark.parametrize("compiler", [*compilers.COMPILERS])
def test_no_compiler_tells_whether_there_is_a_file(kernels, compiler, ask):
    if not compilers.COMPILERS[compiler].available():
        pytest.skip(f"{compiler} is not installed")
    told = []
    for file in ("/etc/passwd", "/etc/nobody"):
        with compilers.used(compiler):
            source = f"{ASKING[ask].replace('FILE', file)}\n{SOLUTION}"
            verdict = judge(f"{LESSON}/add", source, root=kernels, hidden=False, sizes=False)
        told.append(json.dumps(verdict.to_dict()).replace(Path(file).name, "FILE"))
    assert told[0] == told[1]


WITHOUT_END = {  # and what clang alone has
    "a crash": "#pragma clang __debug crash",
    "a stack without an end": "#pragma clang __debug overflow_stack",
    "a sum of signs": f"__device__ int q = {'- ' * 40_000}1;",
    "a sequence": "template <class T, T... I> struct S {};\n"
    "__device__ __make_integer_seq<S, int, 100000000> q;",
    "macros of macros": "#define A0 x x x x x x x x x x\n"
    + "".join(f"#define A{n + 1} {f'A{n} ' * 10}\n" for n in range(10))
    + "int q = A10;",
    "messages": "#define A(x) x x x x x x x x x x\n"
    '#pragma clang diagnostic warning "-Weverything"\n'
    'A(A(A(A(A(_Pragma("message(\\"hello\\")"))))))',
}


@pytest.mark.parametrize("attack", WITHOUT_END)
def test_what_breaks_or_floods_clang_costs_its_time_and_is_told(kernels, attack):
    if not compilers.COMPILERS["clang"].available():
        pytest.skip("clang is not installed")
    with compilers.used("clang"):
        source = f"{WITHOUT_END[attack]}\n{SOLUTION}"
        verdict = judge(f"{LESSON}/add", source, root=kernels, hidden=False, sizes=False)
    assert verdict.status in ("compile_error", "timeout", "passed"), verdict.message
    assert len(json.dumps(verdict.to_dict())) < 20_000
    assert "stumbled" not in verdict.message and "tell your instructor" not in verdict.message


@needs_limits
@pytest.mark.parametrize("learner", ["large_local_arrays", "many_hazards", "much_to_unroll"])
def test_no_worker_takes_two_gigabytes(tmp_path, monkeypatch, learner):
    monkeypatch.setattr(worker, "FORKS", False)  # this process waits for its own children
    judge(f"{LESSON}/add", BOMBS[learner][0], root=small_class.write_lesson(tmp_path))
    largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    assert 0 < largest < 2_000_000_000


def test_a_worker_with_a_bomb_stays_within_its_time(tmp_path):
    """All that one verdict may cost, by the CPU's time, which a busy machine does not change."""
    kernels = small_class.write_lesson(tmp_path)
    for name in ("endless_printf", "much_to_unroll"):
        before = _cpu_of_workers()
        judge(f"{LESSON}/add", BOMBS[name][0], root=kernels)
        assert _cpu_of_workers() - before < Limits().total_seconds


def _cpu_of_workers() -> float:
    """Seconds of the CPU's time that the forked workers which have ended took."""
    return sum(
        times.children_user + times.children_system
        for times in (child.cpu_times() for child in psutil.Process().children())
    )


@pytest.mark.parametrize("learner", ["slow_to_show", "slow_to_colour", "many_megabytes"])
def test_a_feedback_page_takes_seconds_whatever_is_on_it(attacked, learner):
    here, _ = attacked
    start = time.process_time()
    page = small_class.feedback_page(here, learner)
    assert time.process_time() - start < 20
    assert "check-scale" in page and len(page) < 4_000_000


@pytest.mark.parametrize(
    "piece",
    [
        *("/* ", "// ", '"', "'", '\\"', "'\\", 'R"(', "(", "add(", "template<", "a", "1e+", "*"),
        *("const ", "__global__ void add(", "__global__ void add() {", "`", "%%cuda\n", " ", "\n"),
    ],
)
def test_the_longest_source_is_read_in_no_time_outside_the_sandbox(piece):
    """There no limit on time would stop it; what looks at places twice would take minutes."""
    source = (piece * LONGEST_SOURCE)[: LONGEST_SOURCE - 4] + "!) {"
    failed = cards.Diagnosis("wrong_answer", Message(), source, line=1)
    start = time.process_time()
    is_blank(cuda_source(source), SOLUTION)
    parameters.parameters(source, "add")
    alike.compare_answers(dict.fromkeys(["one", "other"], visible(source)), [SOLUTION])
    cards.explain(failed)
    assert time.process_time() - start < 5


def _verdict(here, learner: str, exercise: str) -> dict:
    return verdicts.read(here.path("autograded", LESSON, learner))[exercise]["verdict"]


def _fingerprints(*folders: Path) -> dict[Path, str]:
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    return {p: hashlib.sha256(p.read_bytes()).hexdigest() for p in files if p.suffix != ".pyc"}
