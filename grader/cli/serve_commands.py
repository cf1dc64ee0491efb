"""`grader serve`: the service that takes hand-ins and judges them at once."""

import time
from pathlib import Path
from typing import Annotated

import typer

from ..classroom import coursefile
from ..classroom.folder import alone
from ..counted import counted
from ..errors import unless
from ..learner.sending import TOKEN_FILE
from ..submissions.intake import is_name
from ..whole_files import filed
from .classroom_commands import JOBS, UNSAFE, course_here
from .terminal import complain, say, short


def serve(
    port: Annotated[int, typer.Option(help="0: one that is free.")] = 8786,
    address: Annotated[str, typer.Option(help="Where it listens.")] = "127.0.0.1",
    certificate: Annotated[Path | None, typer.Option(help="For https, with its key.")] = None,
    key: Annotated[Path | None, typer.Option(help="The certificate's key.")] = None,
    jobs: JOBS = None,
    tokens: Annotated[
        bool, typer.Option("--tokens", help="Only write tokens for who has none.")
    ] = False,
    again: Annotated[
        list[str] | None, typer.Option(metavar="LEARNER", help="--tokens: a new one for these.")
    ] = None,
    log: Annotated[bool, typer.Option("--log", help="Only check the log, and print it.")] = False,
    clock: Annotated[
        bool, typer.Option("--clock-is-right", help="Begin though the clock was later before.")
    ] = False,
    unsafe: UNSAFE = False,
) -> None:
    """Take hand-ins over HTTP, and judge them at once.

    Also for exams: each learner has a window, and perhaps variants."""
    from tornado.netutil import bind_sockets

    from ..classroom import judges, serving

    here = course_here()
    file = coursefile.read(here)
    queue = serving.queue_of(here)
    if log:
        for line in queue.log():
            typer.echo(line)
        return
    if tokens or again:
        new = sorted(again or file.learners.keys() - queue.with_token())
        unless(all(map(is_name, new)), typer.BadParameter("--again takes a learner's name"))
        folder = here.root / serving.FOLDER / "tokens"
        folder.mkdir(mode=0o700, exist_ok=True)
        for learner in new:
            filed(folder / learner, f"{learner}:{queue.new_token(learner)}\n", 0o600)
        say(
            f"{short(folder)} has {counted(len(new), 'new token')}. Give each learner the file of "
            f"that name, to be ~/{TOKEN_FILE}; then delete this folder: the service needs no token."
        )
        return
    busy = "Another `grader serve` is at work in this course."
    with alone(here, serving.LOCK, busy), judges.judges(jobs, confined=not unsafe) as workers:
        if clock:
            queue.set_clock(time.time())
        service = serving.HandInService(here, queue, workers, complain)
        tls = {"certfile": str(certificate), "keyfile": str(key)} if certificate and key else {}
        sockets = bind_sockets(port, address)
        serving.http_server(service, tls).add_sockets(sockets)
        where = ":".join(map(str, sockets[0].getsockname()[:2]))
        say(f"{short(here.root)} takes hand-ins at {where}; Ctrl-C ends that, and nothing is lost")
        serving.serve(service)
