"""A worker that answers several questions about one source: no answer hangs on what came before."""

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace

import numpy as np
import psutil
import pytest
from small_lesson import ID, SOLUTION, instead

from grader import course
from grader.course import rules
from grader.cuda.errors import Message
from grader.judge import Limits, cases, protocol, session as sessions, verdict, worker
from grader.judge.protocol import Element, Failed, Opening, Ran
from grader.judge.session import Session
from grader.status import Status

# Counts its launches in memory of its own, and is wrong where it has counted more than one case.
COUNTS = "__device__ int launches;\n" + instead(
    """    if (i == 0) launches += 1;
    if (i < n) total[i] = x[i] + y[i] + (launches > 1 ? 1.0f : 0.0f);"""
)
ENDLESS_FOR_100 = instead(  # it counts on, so that only a limit ends it
    "    for (volatile unsigned k = 0; n == 100 && k < 0xfffffff0u; k++) {}\n"
    "    if (i < n) total[i] = x[i] + y[i];"
)
OUT_OF_BOUNDS_FOR_100 = instead("    total[i] = x[i] + y[i];")
SOURCES = {
    "right": SOLUTION,
    "that counts its launches": COUNTS,
    "with an endless loop in one case": ENDLESS_FOR_100,
    "that leaves an array in one case": OUT_OF_BOUNDS_FOR_100,
    "that is wrong": instead("    if (i < n) total[i] = x[i] - y[i];"),
}


@pytest.fixture
def instances(root):
    return cases.instantiate(course.exercise(ID, root), 0, hidden=True)


def answers(session, instances):
    """What the worker says of each case, as bytes."""
    return [protocol.encode(session.run((one,))[0]) for one in instances]


def workers():
    """The forked workers that are still there."""
    return [one for server in psutil.Process().children() for one in server.children()]


def kill_workers():
    for one in workers():
        with suppress(psutil.NoSuchProcess):
            one.kill()


def seconds_of_workers():
    """The CPU's time that they have used."""
    return sum(one.cpu_times().user + one.cpu_times().system for one in workers())


OPENING = Opening("simulator", SOLUTION, 1.0, 1, 0, 0)

needs_fork = pytest.mark.skipif(not worker.FORKS, reason="NO FORK HERE: no worker was killed")


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_a_case_is_judged_as_if_it_were_alone(instances, source):
    alone = []
    for one in instances:
        with Session(source, Limits()) as session:
            alone += answers(session, (one,))
    with Session(source, Limits()) as session:
        assert answers(session, instances) == alone
        assert answers(session, instances[::-1]) == alone[::-1]
        others = [protocol.encode(one) for one in session.run(instances[:2])]
        assert others == alone[:2]


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_cases_that_several_workers_share_are_judged_as_by_one(instances, source, monkeypatch):
    monkeypatch.setattr(sessions, "STARTING", 0.0)  # so that the others come before it is over
    with Session(source, Limits()) as session:
        by_one = [protocol.encode(one) for one in session.run(instances * 4)]
    with Session(source, Limits(workers=3)) as session:
        assert [protocol.encode(one) for one in session.run(instances * 4)] == by_one
        assert not worker.FORKS or len(workers()) == 3
        assert [protocol.encode(one) for one in session.run(instances)] == by_one[:3]


def test_an_interrupt_ends_those_who_share_the_cases(instances, monkeypatch):
    def interrupted(instance):
        raise KeyboardInterrupt

    with Session(SOLUTION, Limits(workers=3)) as session:
        monkeypatch.setattr(session, "_outcome", interrupted)
        with pytest.raises(KeyboardInterrupt):
            session.run(instances)


@needs_fork
def test_a_case_is_judged_the_same_after_a_worker_that_was_killed(instances):
    with Session(SOLUTION, Limits()) as session:
        before = answers(session, instances)
        for _ in range(3):
            kill_workers()
            assert answers(session, instances) == before


@needs_fork
def test_a_killed_worker_loses_its_question_and_no_other(instances):
    limits = Limits(steps=1 << 40, case_seconds=60, total_seconds=120)
    with Session(ENDLESS_FOR_100, limits) as session:
        alone = answers(session, instances[:2])
    with ThreadPoolExecutor() as pool, Session(ENDLESS_FOR_100, limits) as session:
        assert answers(session, instances[:2]) == alone
        asked = pool.submit(session.run, instances[2:])
        while not asked.done():  # it is spared once
            time.sleep(0.3)
            kill_workers()
        (lost,) = asked.result()
        assert isinstance(lost, Failed) and "was ended by SIGKILL" in lost.message
        assert answers(session, instances[:2]) == alone


def test_what_a_value_is_made_of_is_the_same_before_and_after_a_run(instances):
    element = Element("total", 3)

    def made(session):
        return protocol.encode(Ran(made=session.follow(instances[0], (element,))))

    with Session(SOLUTION, Limits()) as session:
        first = made(session)
        ran = answers(session, instances)
        assert made(session) == first
        assert answers(session, instances) == ran


@needs_fork
def test_a_question_has_limits_of_its_own(instances):
    """What the ones before it have used is not taken from it."""
    with Session(SOLUTION, Limits(case_seconds=1.0, total_seconds=1.0)) as session:
        while seconds_of_workers() < 1.5:
            assert all(isinstance(one, Ran) for one in session.run(instances))


def test_a_source_that_does_not_compile_is_asked_nothing_more(instances):
    with Session("nonsense", Limits()) as session:
        assert [one.status for one in session.run(instances)] == ["compile_error"] * 3
        assert session.follow(instances[0], (Element("total", 0),)) == ()


def test_a_worker_cannot_speak_of_our_kernel():
    told = Message("It fails.", remedy="Look.", ours="Our kernel adds.")
    reply = sessions._checked(Failed(Status.TIMEOUT, told), OPENING, "simulator")
    assert reply.parts == Message("It fails.", remedy="Look.")


def test_what_a_worker_says_is_cut_where_it_is_long():
    told = Message("It fails.", "Again and again. " * 100_000)
    reply = sessions._checked(Failed(Status.TIMEOUT, told), OPENING, "simulator")
    assert len(reply.message) == verdict.LONGEST_LINE and reply.message.startswith("It fails.")


def test_a_grid_of_numpys_integers_is_a_grid(instances):
    """An author computes it from a shape."""
    one = instances[0]
    launches = tuple(
        replace(launch, grid=np.int64(launch.grid), block=np.int64(launch.block))
        for launch in one.problem.launches
    )
    same = replace(one, problem=replace(one.problem, launches=launches))
    assert cases.described(same, 1000).launches == cases.described(one, 1000).launches
    assert rules.blocks_and_threads(launches) == rules.blocks_and_threads(one.problem.launches)
    with Session(SOLUTION, Limits()) as session:
        assert isinstance(session.run((same,))[0], Ran)
