"""The compilers that a learner on Windows gets, NVIDIA's and clang, run by Wine on Linux.

    python tests/on_wine.py [WORD] [--jobs N] [--part K/M]

compiles the sources of the course (those whose kind or path contains WORD) with each compiler of
this system and with Windows' of the same version, and prints what differs: in PTX, in names, in
what is said of errors and doubts, in the files that went in. Needs Wine (on Debian: wine64), pip
and a network for the two wheels, and `[dev]`.

    PYTHONPATH=tests pytest -p on_wine FILE

runs tests so, and the judge's workers with them, as far as the grader's own code can tell. (Without
Landlock: see without_landlock.py.) Paths are Windows' where a compiler sees or says them: what
lies at /a/b is Z:\\a\\b there.
"""

from __future__ import annotations

import argparse
import ctypes
import ntpath
import os
import re
import runpy
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from itertools import zip_longest
from pathlib import Path, PureWindowsPath
from types import SimpleNamespace

import two_compilers
import wine
from wine import KEPT, windows

from grader import compilers
from grader.compilers import clang, cuda_files, logs, nvrtc
from grader.compilers.compiler import Job
from grader.cuda.errors import CompileError
from grader.judge import worker

HERE = Path(__file__).resolve()
WHEELS = ("nvidia-cuda-nvrtc-cu12", "ziglang")
DLLS = KEPT / "nvidia/cuda_nvrtc/bin"
BRIDGE = r"""
#include <windows.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static const char *folder;
static FILE *file(const char *name, const char *mode) {
  char path[4096];
  snprintf(path, sizeof path, "%s\\%s", folder, name);
  return fopen(path, mode);
}
static char *whole(const char *name, long *size) {
  FILE *from = file(name, "rb");
  fseek(from, 0, SEEK_END); *size = ftell(from); rewind(from);
  char *text = calloc(*size + 1, 1);
  fread(text, 1, *size, from); fclose(from);
  return text;
}
static int strings(const char *name, const char **out) {  // each ends in a zero
  long size; int n = 0;
  char *text = whole(name, &size);
  for (char *one = text; one < text + size; one += strlen(one) + 1) out[n++] = one;
  return n;
}
static HMODULE library;
#define CALL(f) ((int (*)())GetProcAddress(library, "nvrtc" #f))
static void get(const char *name, int (*size_of)(), int (*get_it)(), void *program) {
  size_t size; size_of(program, &size);
  char *text = malloc(size + 1); get_it(program, text);
  FILE *into = file(name, "wb"); fwrite(text, 1, size, into); fclose(into);
}
int main(int n, char **arguments) {
  static const char *options[4096], *names[4096], *texts[4096], *asked[4096], *name;
  long size; void *program;
  folder = arguments[2];
  SetDllDirectoryA(arguments[1]);
  if (!(library = LoadLibraryA("nvrtc64_120_0.dll"))) return 99;
  int headers = strings("header_names", names), expressions = strings("asked", asked);
  strings("header_texts", texts);
  char *source = whole("source", &size), *called = whole("called", &size);
  int status = CALL(CreateProgram)(&program, source, called, headers, texts, names);
  for (int i = 0; !status && i < expressions; ++i)
    status = CALL(AddNameExpression)(program, asked[i]);
  if (!status) status = CALL(CompileProgram)(program, strings("options", options), options);
  get("ProgramLog", CALL(GetProgramLogSize), CALL(GetProgramLog), program);
  if (!status) get("PTX", CALL(GetPTXSize), CALL(GetPTX), program);
  FILE *lowered = file("lowered", "wb");
  for (int i = 0; !status && i < expressions; ++i)
    if (!(status = CALL(GetLoweredName)(program, asked[i], &name)))
      fwrite(name, 1, strlen(name) + 1, lowered);
  fclose(lowered);
  return status;
}
"""
CODE_PAGE = "cp1252"  # of the Windows that stands here for all


def prepared() -> None:
    """The wheels for Windows unpacked, of the versions that are installed here, and the program
    that calls NVRTC's."""
    if not (KEPT / "nvrtc.exe").is_file():
        KEPT.mkdir(parents=True, exist_ok=True)
        pinned = (HERE.parents[1] / "constraints.txt").read_text().splitlines()
        wanted = [line for line in pinned if line.partition("==")[0] in WHEELS]
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--dest", str(KEPT)]
        subprocess.run(
            [*command, "--only-binary=:all:", "--platform", "win_amd64", *wanted], check=True
        )
        for wheel in KEPT.glob("*.whl"):
            shutil.unpack_archive(wheel, KEPT, "zip")
        (KEPT / "nvrtc.c").write_text(BRIDGE)
        compiler = [sys.executable, "-m", "ziglang", "cc", "-target", "x86_64-windows-gnu"]
        made = ["-w", "-std=gnu11", "-o", KEPT / "nvrtc.exe", KEPT / "nvrtc.c"]
        subprocess.run([*compiler, *made], check=True)
    shim = KEPT / "zig"
    shim.write_text(f'#!/bin/sh\nexec {sys.executable} {wine.__file__} "$@"\n')
    shim.chmod(0o755)


# --- NVRTC -------------------------------------------------------------------------------------


class Nvrtc:
    """NVRTC's functions as ctypes has them, of the library for Windows."""

    def __init__(self) -> None:
        self._given: dict[int, dict[str, list[bytes]]] = {}
        self._made: dict[int, dict[str, bytes]] = {}

    def nvrtcVersion(self, major, minor):
        major._obj.value, minor._obj.value = 12, 9
        return 0

    def nvrtcGetErrorString(self, status):
        return f"status {status}".encode()

    def nvrtcCreateProgram(self, program, source, name, count, texts, names):
        program._obj.value = number = len(self._given) + 1
        headers = {"header_names": list(names), "header_texts": list(texts)}
        self._given[number] = {"source": [source], "called": [name], "asked": [], **headers}
        return 0

    def nvrtcAddNameExpression(self, program, expression):
        self._given[program.value]["asked"].append(expression)
        return 0

    def nvrtcCompileProgram(self, program, count, options):
        given = self._given[program.value] | {"options": list(options)}
        with tempfile.TemporaryDirectory(prefix="nvrtc-") as folder:
            for name, parts in given.items():
                ends = b"" if name in ("source", "called") else b"\0"
                (Path(folder) / name).write_bytes(b"".join(part + ends for part in parts))
            status = wine.run(KEPT / "nvrtc.exe", windows(DLLS), windows(folder))
            made = {path.name: path.read_bytes() for path in Path(folder).iterdir()}
        self._made[program.value] = made
        return status

    def nvrtcGetLoweredName(self, program, expression, name):
        asked = self._given[program.value]["asked"]
        name._obj.value = self._made[program.value]["lowered"].split(b"\0")[asked.index(expression)]
        return 0

    def nvrtcDestroyProgram(self, program):
        self._given.pop(program._obj.value)
        self._made.pop(program._obj.value, None)
        return 0

    def __getattr__(self, function):
        """nvrtcGetPTX, nvrtcGetProgramLog, and how long they are."""
        name = function.removeprefix("nvrtcGet")

        def size(program, found):
            found._obj.value = len(self._made[program.value][name.removesuffix("Size")])
            return 0

        def text(program, buffer):
            found = self._made[program.value][name]
            ctypes.memmove(buffer, found, len(found))
            return 0

        return size if name.endswith("Size") else text


class There(PureWindowsPath):
    """What a path is on Windows."""

    @classmethod
    def cwd(cls):
        return cls(windows(Path.cwd()))


# --- the grader with them ----------------------------------------------------------------------


def install() -> None:
    """From now on this process, and the judge's workers that it starts, compile with them."""
    prepared()
    library = Nvrtc()
    nvrtc._library = nvrtc._found = lambda: library
    nvrtc._CODE, nvrtc.Path, nvrtc.os = CODE_PAGE, There, SimpleNamespace(path=ntpath)
    logs._COUNTS_BYTES = False
    nvrtc.include_folders = lambda: tuple(map(windows, cuda_files.include_folders()))
    nvrtc.Nvrtc.folders = lambda compiler: ()
    clang._program, clang._childless = lambda: KEPT / "zig", lambda pid: None
    for compiler in (nvrtc.Nvrtc, clang.Clang):  # nothing is found that this system's made
        compiler.identity = lambda self, name=compiler.__name__: [name, "Wine"]
    worker.FORKS = False
    worker.COMMAND = (sys.executable, str(HERE), "worker")


def pytest_configure() -> None:
    """Asked by pytest, whose plugin this is with `-p on_wine`."""
    install()


# --- beside this system's ------------------------------------------------------------------------

Made = dict[str, tuple[object, ...]]  # by compiler: what it makes, or says, of a source


def made(one: two_compilers.Tried) -> Made:
    return {name: _made_by(name, one.source) for name in compilers.COMPILERS}


def _made_by(name: str, source: str) -> tuple[object, ...]:
    try:
        program = compilers.COMPILERS[name].compile(Job(source))
    except CompileError as error:
        return "an error", error.diagnostics or str(error)
    return _by_lines(program.text), tuple(map(_posix, program.files)), program.warnings


_FILE = re.compile(r'^\s*\.file\s+(\d+)\s+"(.*)"$')
_PLACE = re.compile(r"^\s*\.loc\s+(\d+) (\d+) \d+(.*?)(?:inlined_at (\d+) (\d+) \d+)?$")


def _by_lines(ptx: str) -> str:
    """PTX with names for the numbers of files, and without the columns of lines, which nobody asks
    for: the two compilers count files, and name columns, in an order of their own."""
    rows = ptx.splitlines()
    files = {found[1]: _posix(found[2]) for found in map(_FILE.match, rows) if found}

    def by_name(place: re.Match[str]) -> str:
        at = f"inlined at {files[place[4]]} {place[5]}" if place[4] else ""
        return f".loc {files[place[1]]} {place[2]}{place[3]}{at}"

    kept = (row.split("//")[0] for row in rows if not _FILE.match(row))
    return "\n".join(
        [_PLACE.sub(by_name, row.rstrip()) for row in kept] + sorted(set(files.values()))
    )


def _posix(path: str) -> str:
    return path.replace("Z:", "").replace("\\\\", "/").replace("\\", "/")


def first_difference(here: tuple[object, ...], there: tuple[object, ...]) -> str:
    for a, b in zip(here, there, strict=False):
        rows = zip_longest(str(a).splitlines(), str(b).splitlines())
        for number, (one, other) in enumerate(rows, 1):
            if one != other:
                return f"line {number}: {one!r} here, {other!r} there"
    return "one has more parts"


def all_made(listed: list[two_compilers.Tried], jobs: int, there: bool) -> list[Made]:
    with ProcessPoolExecutor(jobs, initializer=install if there else None) as pool:
        return list(pool.map(made, listed))


def main() -> int:
    parser = argparse.ArgumentParser(description="Windows' compilers beside this system's.")
    parser.add_argument("word", nargs="?", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--part", default="1/1", metavar="K/M")
    asked = parser.parse_args()
    part, parts = map(int, asked.part.split("/"))
    listed = two_compilers.chosen(asked.word, part, parts)
    prepared()
    here, there = (all_made(listed, asked.jobs, on_wine) for on_wine in (False, True))
    differ = 0
    for one, a, b in zip(listed, here, there, strict=True):
        for name in a:
            if a[name] != b[name]:
                differ += 1
                print(f"{name}, {one.name}: {first_difference(a[name], b[name])}")
    print(
        f"{len(listed)} sources, each with {len(compilers.COMPILERS)} compilers: {differ} differ."
    )
    return int(differ > 0)


if __name__ == "__main__":
    if sys.argv[1:2] == ["worker"]:
        install()
        sys.argv[:2] = ["grader.judge.sandbox.main"]
        runpy.run_module("grader.judge.sandbox.main", run_name="__main__", alter_sys=True)
    else:
        sys.exit(main())
