"""`python tests/without_landlock.py COMMAND...` runs it where the kernel has no Landlock: a seccomp
filter answers its three system calls as a kernel older than 5.13 does. For good: for all children.

The filter's form: Linux's userspace-api/seccomp_filter, and its <linux/filter.h>.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys

_NO_NEW_PRIVILEGES, _SECCOMP, _FILTER = 38, 22, 2  # of prctl
_LOAD, _AT_LEAST, _ABOVE, _RETURN = 0x20, 0x35, 0x25, 0x06  # BPF: ld abs, jge, jgt, ret
_ALLOW, _ERROR = 0x7FFF0000, 0x00050000 | errno.ENOSYS
_FIRST, _LAST = 444, 446  # landlock_create_ruleset to landlock_restrict_self


class _Step(ctypes.Structure):
    _fields_ = (
        ("code", ctypes.c_uint16),
        ("so", ctypes.c_uint8),
        ("else_", ctypes.c_uint8),
        ("value", ctypes.c_uint32),
    )


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_uint16), ("steps", ctypes.POINTER(_Step)))


def take_away() -> None:
    """Landlock from this process and its children."""
    steps = (_Step * 5)(
        _Step(_LOAD, 0, 0, 0),  # the call's number
        _Step(_AT_LEAST, 0, 2, _FIRST),
        _Step(_ABOVE, 1, 0, _LAST),
        _Step(_RETURN, 0, 0, _ERROR),
        _Step(_RETURN, 0, 0, _ALLOW),
    )
    libc = ctypes.CDLL(None, use_errno=True)
    program = _Program(len(steps), steps)
    for asked in (
        (_NO_NEW_PRIVILEGES, 1, 0, 0, 0),
        (_SECCOMP, _FILTER, ctypes.byref(program), 0, 0),
    ):
        if libc.prctl(*asked):
            raise OSError(ctypes.get_errno(), "prctl")


if __name__ == "__main__":
    take_away()
    os.execv(sys.argv[1], sys.argv[1:])
