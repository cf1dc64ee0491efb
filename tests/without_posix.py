"""`python tests/without_posix.py SYSTEM MODULE ARGUMENTS...` runs a module of Python's as on a Mac
(darwin) or on Windows (win32), as far as the grader's own code can tell: what that system lacks is
missing from what the grader's modules import, and sys.platform has its name. Libraries keep what
they have; that they work on these systems is their makers' business.
"""

from __future__ import annotations

import builtins
import importlib
import runpy
import sys
import types
from pathlib import Path

_MODULES = frozenset({"fcntl", "grp", "pwd", "resource", "termios", "tty"})
_OS = """fork forkpty killpg setsid getuid geteuid getgid getpgid register_at_fork wait4 waitid
WNOHANG sysconf chown O_NOFOLLOW O_NONBLOCK O_CLOEXEC mkfifo uname getsid nice statvfs"""
_SIGNAL = """SIGKILL SIGPROF SIGXCPU SIGALRM SIGHUP SIGUSR1 SIGCHLD setitimer ITIMER_PROF
ITIMER_REAL alarm pthread_sigmask"""
_LINUX_S_OWN = frozenset({"pidfd_open", "O_PATH", "sched_getaffinity", "memfd_create"})
# By system: modules that it has not, and by module what that has not.
LACKS = {
    "darwin": (frozenset(), {"os": _LINUX_S_OWN, "resource": frozenset({"prlimit"})}),
    "win32": (
        _MODULES,
        {
            "os": _LINUX_S_OWN | frozenset(_OS.split()),
            "signal": frozenset(_SIGNAL.split()),
            "select": frozenset({"poll", "POLLIN", "epoll"}),
            "socket": frozenset({"AF_UNIX", "send_fds", "recv_fds"}),
        },
    ),
}


class _Lacking(types.ModuleType):
    """A module without some of its names."""

    def __init__(self, whole: types.ModuleType, missing: frozenset[str], **other: str):
        super().__init__(whole.__name__)
        self.__dict__["_whole"], self.__dict__["_missing"] = whole, missing
        self.__dict__["_other"] = other

    def __getattr__(self, name: str) -> object:
        if name in self._missing:
            raise AttributeError(f"there is no {self.__name__}.{name} on this system")
        return self._other[name] if name in self._other else getattr(self._whole, name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self._whole, name, value)


def worker(system: str) -> tuple[str, ...]:
    """The command of a judge's worker there."""
    return sys.executable, "-I", __file__, system, "grader.judge.sandbox.main"


def take_away(system: str) -> None:
    """From now on the grader's modules find themselves on `system`."""
    modules, names = LACKS[system]
    shown = {name: _Lacking(importlib.import_module(name), names[name]) for name in names}
    shown["sys"] = _Lacking(sys, frozenset(), platform=system)
    whole = builtins.__import__

    def imported(name, globals=None, locals=None, fromlist=(), level=0):
        if level == 0 and (globals or {}).get("__name__", "").partition(".")[0] in _OURS:
            if name in modules:
                raise ModuleNotFoundError(f"No module named {name!r} on this system", name=name)
            if name in shown:
                return shown[name]
        return whole(name, globals, locals, fromlist, level)

    builtins.__import__ = imported


_OURS = ("grader", "__main__")


def _run(system: str, name: str, arguments: list[str]) -> None:
    if name == "importlib_all":
        take_away(system)
        for module in arguments:
            importlib.import_module(module)
        return
    take_away(system)
    from grader.judge import worker as judges

    judges.COMMAND = worker(system)
    sys.argv = [name, *arguments]
    runpy.run_module(name, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    _run(sys.argv[1], sys.argv[2], sys.argv[3:])
