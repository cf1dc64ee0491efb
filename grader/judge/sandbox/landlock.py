"""Landlock: this process gives up every file but those it names, for good.

A Linux security module (kernel 5.13 and later, no privileges needed) that decides when a file is
opened, so that no disguise of an `#include` gets round it. See the kernel's documentation,
userspace-api/landlock, whose structures and numbers stand below.
"""

import ctypes
import os
import struct
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from ...errors import MachineError, unless

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same on every architecture
_VERSION_WANTED, _PATH_BENEATH = 1, 1
_NO_NEW_PRIVILEGES = 38  # prctl's PR_SET_NO_NEW_PRIVS

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_FOLDER, _TRUNCATE = 1, 1 << 1, 1 << 2, 1 << 3, 1 << 14

READ = _EXECUTE | _READ_FILE | _READ_FOLDER


class Unconfined(MachineError):
    """Other people's kernels are to be judged where nothing keeps the compiler from files."""


def version() -> int:
    """The version of Landlock that this kernel has; 0 if none, if it is switched off, or if this
    is not Linux."""
    return (
        max(int(_libc().syscall(_CREATE_RULESET, None, 0, _VERSION_WANTED)), 0)
        if sys.platform == "linux"
        else 0
    )


def require() -> None:
    """Unconfined where there is none: whoever judges what others wrote asks this first."""
    unless(
        version(),
        Unconfined(
            "This machine cannot grade what others have written: it has no Landlock (Linux 5.13 "
            "or newer), so that nothing would keep a learner's #include from your files. Grade on "
            "a machine that has it or, if you trust every answer, add --unsafe. Checking your own "
            "kernels works here."
        ),
    )


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def keep_only(readable: Iterable[Path], writable: Iterable[Path]) -> None:
    """From now on this process can read files under `readable`, read and write files under
    `writable`, and open nothing else. Does nothing where there is no Landlock; what is open stays
    open. OSError if the kernel refuses."""
    known = version()
    if not known:
        return
    rights = sum(  # by version what it added:
        right
        for since, right in (
            (1, (1 << 13) - 1),  # files and folders, made, read and removed
            (2, 1 << 13),  # linking across folders
            (3, _TRUNCATE),
        )
        if known >= since
    )
    handled = struct.pack("=Q", rights)  # struct landlock_ruleset_attr
    rules = _checked(_CREATE_RULESET, handled, len(handled), 0)
    try:
        for paths, allowed in ((readable, READ), (writable, rights)):
            for path in paths:
                _allow(rules, path, allowed & rights)
        if _libc().prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
            raise OSError(ctypes.get_errno(), "prctl")
        _checked(_RESTRICT_SELF, rules, 0)
    finally:
        os.close(rules)


def _allow(rules: int, path: Path, rights: int) -> None:
    if sys.platform != "linux" or not path.exists():
        return
    where = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        allowed = (
            rights if path.is_dir() else rights & (_EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE)
        )
        # struct landlock_path_beneath_attr, packed
        _checked(_ADD_RULE, rules, _PATH_BENEATH, struct.pack("=Qi", allowed, where), 0)
    finally:
        os.close(where)


def _checked(number: int, *args: object) -> int:
    result: int = _libc().syscall(number, *args)
    unless(result >= 0, OSError(ctypes.get_errno(), "Landlock refuses"))
    return result
