"""The attackers of attacks.py hand in to a service, by HTTP and by `grader submit`: each gets a
receipt or a sentence, the points that were earned, and nothing that others keep to themselves.

Each hands in twice, as `grader submit` leaves out what cells claim to have printed.
"""

import contextlib
import json
import os
import re
import statistics
import threading
import time
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace

import httpx
import nbformat
import psutil
import pytest
import served
import small_class
from attacks import BOMBS, KERNELS, MARK, NOTEBOOKS, slow_to_show
from served import Service, course_of, folder_of, give_tokens, put, result
from small_class import LESSON, SCALED
from small_lesson import SOLUTION

from grader import course
from grader.classroom import handing_out
from grader.classroom.serving import MOST_OF_ONE
from grader.course.weave import text
from grader.judge import Limits, cases

# Together they are too long to be handed in here.
SLOW = ("a*" * 500_000, "| a |\n|-|\n" * 50_000, "[" * 500_000)
DAMAGE = NOTEBOOKS | {f"slow_{n}": (slow_to_show(one), 0) for n, one in enumerate(SLOW)}
EARNED = {name: points for name, (_, points) in (KERNELS | DAMAGE).items()}
TOO_LONG = {"many_megabytes", "slow_to_show"}
TAKEN = [name for name in EARNED if name not in TOO_LONG]
FEW = (
    *("include_of_passwords", "include_of_the_environment", "peeks_for_a_file", "endless_loop"),
    *("large_shared_arrays", "length_told_apart", "reads_the_solution", "forged_8"),
    *("many_megabytes", "honest"),
)
HTTP, SUBMIT = WAYS = ("http", "submit")
HONEST, WAITING, FLOODING, COUNTING = OTHERS = ("honestly", "waiting", "flooding", "counting")
SLOWEST = BOMBS["much_to_unroll"][0]
JOBS = 2
PATIENCE = 900.0  # seconds

# --- what is watched ------------------------------------------------------------------------------


@dataclass
class Watched:
    """The memory of a service and of all that it starts."""

    service: psutil.Process
    sizes: dict[int, int] = field(default_factory=dict)  # the most bytes, by process
    together: int = 0  # the most of all of them, what they share counted for each
    over: threading.Event = field(default_factory=threading.Event)

    def look(self):
        while not self.over.wait(0.1) and self.service.is_running():
            together = 0
            with contextlib.suppress(psutil.Error):
                for one in (self.service, *self.service.children(recursive=True)):
                    with contextlib.suppress(psutil.Error):
                        held = one.memory_info().rss
                        self.sizes[one.pid] = max(held, self.sizes.get(one.pid, 0))
                        together += held
            self.together = max(self.together, together)

    @property
    def own(self):
        return self.sizes[self.service.pid]

    @property
    def largest_worker(self):
        return max(size for pid, size in self.sizes.items() if pid != self.service.pid)


def marked(mark):
    """The processes that have the mark in their environment, as whatever a service starts has."""
    found = []
    for one in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if mark in one.environ().get("PATH", ""):
                found.append(one.pid)
    return found


# --- what is handed in ----------------------------------------------------------------------------


@dataclass
class Attacked:
    """A course whose service was attacked; by learner and way."""

    here: object
    tokens: dict
    service: Service
    watched: Watched
    folder: Path
    mark: str  # in the environment of what the service starts
    status: dict = field(default_factory=dict)  # of HTTP, or that a command ended with
    said: dict = field(default_factory=dict)  # at once
    receipts: dict = field(default_factory=dict)
    answers: dict = field(default_factory=dict)
    graded: object = None  # what autograde said
    seconds: float = 0.0

    def hand_in(self, learner, content, way=HTTP):
        key = learner, way
        if way == HTTP:
            id = os.urandom(16).hex()
            try:
                answer = put(self.service, self.tokens[learner], content, id)
            except httpx.TransportError:  # it hung up on what is too long, before that was sent
                answer = httpx.Response(400)
            self.status[key], self.said[key] = answer.status_code, answer.text
            if answer.status_code == 200:
                self.receipts[key] = answer.json()["receipt"]
            return
        own = folder_of(self.folder / learner, content)
        to = ("--to", self.service.url, "--token-file", str(self.tokens[learner]), "--no-wait")
        said = served.learner(own, "submit", LESSON, *to)
        self.status[key], self.said[key] = said.exit_code, said.output + said.stderr
        if said.exit_code == 0:
            (kept,) = own.glob("handed_in/*/receipt.json")
            self.receipts[key] = json.loads(kept.read_text())

    def result(self, learner, way=HTTP):
        """What the service answers in the end."""
        id = self.receipts[learner, way]["id"]
        return result(self.service, self.tokens[learner], id, patience=PATIENCE)

    def score(self, learner, exercise="add"):
        """In the gradebook."""
        with self.here.gradebook() as gradebook:
            return gradebook.find_grade(f"check-{exercise}", LESSON, LESSON, learner).score


def content(here, learner):
    """The bytes of an attacker's notebook."""
    given = {"add": KERNELS[learner][0]} if learner in KERNELS else {}
    made = nbformat.reads(served.notebook(here, scale=SCALED, **given).decode(), as_version=4)
    if learner in DAMAGE:
        DAMAGE[learner][0](made)
    return text(made).encode()


ONLY_OURS = "// only the solution says this"


@contextlib.contextmanager
def attacked_by(learners, folder):
    """The attack, and then the service as it is left."""
    kernels = small_class.write_lesson(new(folder / "kernels"))
    solution = kernels / LESSON / "1_add.cu"
    solution.write_text(SOLUTION.replace("        total", f"        {ONLY_OURS}\n        total"))
    here = course_of(folder / "course", kernels, learners=(*learners, *OTHERS))
    tokens, mark, left = give_tokens(here, inside), f"mark-{os.urandom(8).hex()}", folder / "left"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{os.environ['PATH']}:/{mark}")
        patch.setenv("TMPDIR", str(new(left)))
        service = Service(here, "--jobs", str(JOBS))
    watched = Watched(psutil.Process(service.process.pid))
    done = Attacked(here, tokens, service, watched, new(folder / "desks"), mark)
    looking = threading.Thread(target=watched.look)
    looking.start()
    try:
        with service:
            begun = time.monotonic()
            for way in (SUBMIT, HTTP):  # the last counts
                for learner in learners:
                    done.hand_in(learner, content(here, learner), way)
            done.answers = {key: done.result(*key) for key in done.receipts}
            done.seconds = time.monotonic() - begun
            done.graded = small_class.grader(here, "autograde", LESSON)
            yield done
            service.process.terminate()
            service.process.wait(10)
            assert soon(lambda: not marked(mark)) and not list(left.iterdir())
    finally:
        watched.over.set()
        looking.join()


def inside(here, *arguments):
    """What `served.ran` returns, of a command in this process."""
    said = small_class.grader(here, *arguments)
    return SimpleNamespace(returncode=said.exit_code, stdout=said.stdout, stderr=said.stderr)


def new(folder):
    folder.mkdir()
    return folder


def waits(done):
    """The seconds from each attacker's receipt to its result, by the service's log."""
    at = {"received": {}, "judged": {}}
    for line in served.log(done.here, inside):
        at[line["what"]][line["id"]] = datetime.strptime(line["at"], "%Y-%m-%d %H:%M:%S.%f %Z")
    ids = [one["id"] for (learner, _), one in done.receipts.items() if learner in EARNED]
    return [(at["judged"][id] - at["received"][id]).total_seconds() for id in ids]


@pytest.fixture(scope="module")
def attacked(grading, tmp_path_factory):
    """By all of them."""
    MARK.unlink(missing_ok=True)
    with attacked_by(EARNED, tmp_path_factory.mktemp("attacked")) as done:
        yield done


# --- what must hold -------------------------------------------------------------------------------


def points(answer):
    """By exercise."""
    return {
        one["exercise"].partition("/")[2]: (one["verdict"] or {"points": 0})["points"]
        for one in answer["report"]["checked"]
    }


def numbers(problems):
    """What these problems hold, as a verdict would write it."""
    arrays = [value for one in problems for value in one.problem.inputs.values()]
    arrays += [each.value for one in problems for each in one.problem.outputs.values()]
    values = {float(value) for array in arrays for value in array.ravel()}
    return {form for value in values for form in (f"{value:.9g}", repr(value))}


def found_numbers(said):
    return set(re.findall(r"-?\d[\d.e-]+", said))


def instances(here):
    """The cases of the course's own judgement: those that learners see, and those that are
    hidden."""
    lesson = course.lesson(LESSON, here.kernels)
    seeds = handing_out.seeds(here, lesson)
    found = [
        one for each in lesson.exercises for one in cases.instantiate(each, seeds[each.name], True)
    ]
    return [[one for one in found if one.case.visible == seen] for seen in (True, False)]


def secrets_of(done):
    """What no answer may hold."""
    lesson = course.lesson(LESSON, done.here.kernels)
    seeds = handing_out.seeds(done.here, lesson).values()
    secret = Path(done.here.config.JudgeAnswers.secret_file).read_text().strip()
    tokens = [path.read_text().partition(":")[2].strip() for path in done.tokens.values()]
    places = ("root:", "blockDim.x / 2", str(done.here.root))
    return [ONLY_OURS, done.mark, secret, *places, *tokens, *map(str, seeds)]


def told_too_much(done):
    """The answers that say what is a secret."""
    secrets, (_, hidden) = secrets_of(done), instances(done.here)
    not_told = numbers(hidden)
    for key, answer in done.answers.items():
        said = json.dumps(answer)
        if any(one in said for one in secrets) or not_told & found_numbers(said):
            yield key
        for one in answer["report"]["checked"]:
            if one["verdict"] and (one["verdict"]["counters"] or one["verdict"]["contest"]):
                yield key
            for case in (one["verdict"] or {"cases": ()})["cases"]:
                named = f"A hidden case failed ({case['status']}): {case['name']}."
                if not case["visible"] and (
                    case["message"] not in ("", named) or case["mismatches"] or case["strip"]
                ):
                    yield key


def wrong_points(done):
    """The answers, and the marks in the gradebook, that are not what an honest reader gives."""
    for (learner, way), answer in done.answers.items():
        if points(answer)["add"] != EARNED[learner]:
            yield learner, way, points(answer)
        if done.score(learner) != EARNED[learner]:
            yield learner, "gradebook", done.score(learner)


def badly_refused(done):
    """The hand-ins that got neither a receipt nor a refusal for a learner."""
    for (learner, way), status in done.status.items():
        said, is_long = done.said[learner, way], learner in TOO_LONG
        right = status == ((400 if is_long else 200) if way == HTTP else 2 if is_long else 0)
        sentence = "has more than 4 MB without its outputs" in said or way == HTTP
        if not right or "Traceback" in said or (is_long and not sentence):
            yield learner, way, status, said


def gets_full_points(done, answer, learner=HONEST):
    """A learner hands in a right answer."""
    done.hand_in(learner, served.notebook(done.here, add=answer, scale=SCALED))
    return points(done.result(learner)) == {"add": 4, "scale": 2}


def soon(holds, patience=10.0):
    """Whether that holds within so many seconds."""
    until = time.monotonic() + patience
    while time.monotonic() < until and not holds():
        time.sleep(0.1)
    return holds()


def is_alone(service):
    """Whether nothing of what the service started is there but what forks its workers."""
    started = psutil.Process(service.process.pid).children(recursive=True)
    return all(one.cmdline()[-1:] == ["serve"] for one in started)


def test_a_few_attackers_at_a_service_get_what_they_earned(grading, tmp_path):
    with attacked_by(FEW, tmp_path) as done:
        assert list(badly_refused(done)) == []
        assert list(wrong_points(done)) == []
        assert list(told_too_much(done)) == []
        assert gets_full_points(done, f"{SOLUTION}// after the attack\n")
        assert soon(lambda: is_alone(done.service))


@pytest.mark.slow
@pytest.mark.parametrize("learner", EARNED)
@pytest.mark.parametrize("way", WAYS)
def test_every_attacker_gets_a_receipt_or_a_refusal(attacked, learner, way):
    assert [each for each in badly_refused(attacked) if each[:2] == (learner, way)] == []
    assert ((learner, way) in attacked.receipts) == (learner not in TOO_LONG)


@pytest.mark.slow
@pytest.mark.parametrize("learner", TAKEN)
@pytest.mark.parametrize("way", WAYS)
def test_an_attacker_at_a_service_gets_what_an_honest_reader_would_give(attacked, learner, way):
    assert points(attacked.answers[learner, way])["add"] == EARNED[learner]
    assert attacked.score(learner) == EARNED[learner]


@pytest.mark.slow
@pytest.mark.parametrize("learner", sorted(set(TAKEN) - {"swapped_names"}))
def test_an_attack_at_a_service_leaves_the_other_exercise_alone(attacked, learner):
    assert points(attacked.answers[learner, HTTP])["scale"] == 2
    assert attacked.score(learner, "scale") == 2


@pytest.mark.slow
def test_what_is_told_of_an_attack_has_a_status_and_a_sentence_and_is_bounded(attacked):
    for (learner, _), answer in attacked.answers.items():
        said = json.dumps(answer)
        assert len(said) < 30_000, learner
        assert "Traceback" not in said and "The grader itself failed" not in said, learner
        for one in answer["report"]["checked"]:
            told = one["verdict"]
            assert one["problem"] or told["status"] == "passed" or told["message"], learner
        if learner in BOMBS:
            _, status, line = BOMBS[learner]
            told = answer["report"]["checked"][0]["verdict"]
            assert (told["status"], told["line"]) == (status, line and line + 1), told["message"]


@pytest.mark.slow
def test_no_answer_of_a_service_holds_a_secret(attacked):
    assert list(told_too_much(attacked)) == []


def counting(place):
    """A right answer that takes as many instructions as a number of a hidden case says."""
    return SCALED.replace(
        "    // END",
        f"    int told = n == 128 ? 0 : (int)(100 * (x[{place}] + 8));\n"
        "    for (int k = 0; k < told; k++) if (x[k % n] == 1e30f) doubled[0] = k;\n    // END",
    )


@pytest.mark.slow
def test_what_a_kernel_costs_in_a_hidden_case_is_not_told(attacked):
    """Else it would tell what it has read there."""
    told = []
    for place in (3, 4, 5):
        attacked.hand_in(COUNTING, served.notebook(attacked.here, scale=counting(place)))
        told.append(attacked.result(COUNTING))
    assert points(told[0])["scale"] == 2
    assert told[0] == told[1] == told[2]


@pytest.mark.slow
def test_a_number_of_a_case_that_learners_see_would_be_found(attacked):
    """So would one of a hidden case, if it were told."""
    seen, _ = instances(attacked.here)
    assert numbers(seen) & found_numbers(json.dumps(attacked.answers["zeros", HTTP]))


@pytest.mark.slow
def test_the_instructor_is_told_nothing_wrong_and_nothing_was_executed(attacked):
    said = attacked.graded
    assert said.exit_code in (0, 1)
    assert "Traceback" not in said.output + said.stderr
    assert not MARK.exists()


@pytest.mark.slow
def test_a_service_lives_on_after_all_attacks(attacked):
    assert attacked.service.process.poll() is None
    assert gets_full_points(attacked, f"{SOLUTION}// after all attacks\n")
    assert soon(lambda: is_alone(attacked.service))


@pytest.mark.slow
def test_the_memory_of_a_service_that_is_attacked_is_bounded(attacked, capsys):
    watched = attacked.watched
    waited = waits(attacked)
    with capsys.disabled():
        print(
            f"\n{len(EARNED)} attacks, {2 * len(EARNED)} hand-ins, {len(waited)} receipts, "
            f"{sum(points(one)['add'] for one in attacked.answers.values()):g} points; "
            f"{attacked.seconds:.0f} s in all, wait: median {statistics.median(waited):.1f} s, "
            f"longest {max(waited):.1f} s; the most memory: service {watched.own >> 20} MiB, a "
            f"worker {watched.largest_worker >> 20} MiB, all together {watched.together >> 20} MiB"
        )
    assert watched.own < 600 << 20
    assert watched.largest_worker < Limits().memory_bytes
    assert watched.together < (600 << 20) + JOBS * Limits().memory_bytes


# On a busy machine; else a bomb takes about 8 s, and a right answer less than 1 s.
MOST_OF_A_BOMB = Limits().compile_seconds + Limits().total_seconds


@pytest.mark.slow
def test_one_bomb_holds_others_up_no_longer_than_it_may_take(attacked):
    attacked.hand_in(FLOODING, served.notebook(attacked.here, add=f"{SLOWEST}// alone\n"))
    begun = time.monotonic()
    assert gets_full_points(attacked, f"{SOLUTION}// while a bomb is judged\n", WAITING)
    assert time.monotonic() - begun < 2 * MOST_OF_A_BOMB


@pytest.mark.slow
def test_who_hands_in_many_bombs_is_asked_to_wait_and_others_get_their_turn(attacked):
    for number in range(MOST_OF_ONE + 1):
        bomb = f"{SLOWEST}// {number}\n"
        attacked.hand_in(FLOODING, served.notebook(attacked.here, add=bomb))
    assert attacked.status[FLOODING, HTTP] == 503
    refusal = json.loads(attacked.said[FLOODING, HTTP])["error"]
    assert refusal == "10 hand-ins of yours wait to be judged: try again in a minute."
    begun = time.monotonic()
    assert gets_full_points(attacked, f"{SOLUTION}// behind a flood\n", WAITING)
    assert time.monotonic() - begun < MOST_OF_ONE * MOST_OF_A_BOMB
