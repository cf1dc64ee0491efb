"""What compilers write on Windows is read as what they write here. (The compilers for Windows
themselves are run by tests/on_wine.py, wherever there is Wine.)"""

import ntpath
import re
import stat
import sys
from types import SimpleNamespace

import on_wine
import pytest

from grader import compilers
from grader.compilers import clang, logs, nvrtc
from grader.compilers.compiler import Job
from grader.cuda import CompileError
from grader.cuda.errors import CompilerFailure

SOURCES = {
    "a kernel": 'extern "C" __global__ void k(float* y) {\n  y[threadIdx.x] = 1;\n}',
    "one with headers": (
        "#include <cub/cub.cuh>\n#include <cuda_fp16.h>\n"
        'extern "C" __global__ void k(float* y) {\n'
        "  using Sum = cub::BlockReduce<float, 64>; __shared__ Sum::TempStorage room;\n"
        "  y[0] = Sum(room).Sum(__half2float(__float2half(y[threadIdx.x])));\n}"
    ),
    "a variable that is not always set": (
        'extern "C" __global__ void k(float* y) {\n  float x;\n'
        "  if (threadIdx.x > 3) x = 1;\n  y[threadIdx.x] = x;\n}"
    ),
    "a doubt": 'extern "C" __global__ void k(float* y) {\n  y[0];\n}',
    "an error": (
        'template <class T> __device__ T f(T x) { return x.nothing; }\nextern "C" __global__ void '
        "k(float* y) {\n  /* ü */ y[0] = f(y[1]);\n}"
    ),
    "too few braces": 'extern "C" __global__ void k(float* y) {\n  if (y[0] > 0) {\n  y[0] = 1;\n',
}
by_nvrtc = pytest.mark.skipif(
    not compilers.COMPILERS["nvrtc"].available(), reason="NVRTC IS NOT INSTALLED"
)


def made(name, source):
    """What comes of a source, whether or not it compiles."""
    try:
        program = compilers.COMPILERS[name].compile(Job(source))
    except CompileError as error:
        return error.diagnostics
    return program.text, program.files, program.warnings


@pytest.fixture
def ends_lines_in_two(tmp_path, monkeypatch):
    """clang, but what it writes has the ends of lines that it has on Windows."""
    program = tmp_path / "zig"
    program.write_text(
        f"#!{sys.executable} -I\nimport pathlib, subprocess, sys\n"
        f"status = subprocess.call([{str(clang._program())!r}, *sys.argv[1:]])\n"
        "for name in ('middle', 'ptx', 'included', 'log'):\n"
        "    path = pathlib.Path(name)\n"
        "    if path.is_file() and path.stat().st_size:\n"
        "        lines = path.read_bytes().replace(b'\\r\\n', b'\\n')\n"
        "        path.write_bytes(lines.replace(b'\\n', b'\\r\\n'))\n"
        "sys.exit(status)\n"
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    clang._precompiled()  # by clang itself: it is no text
    return lambda: (
        monkeypatch.setattr(clang, "_program", lambda: program),
        monkeypatch.setattr(clang, "_childless", lambda pid: None),
    )


@pytest.mark.skipif(
    not compilers.COMPILERS["clang"].available() or sys.platform == "win32",
    reason="CLANG IS NOT INSTALLED, OR THIS IS WINDOWS",
)
@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_clang_may_end_its_lines_in_two_characters(source, ends_lines_in_two):
    here = made("clang", source)
    ends_lines_in_two()
    assert made("clang", source) == here


@pytest.fixture
def as_windows(monkeypatch):
    """What reads NVRTC's PTX finds itself on Windows, and in that folder."""
    folders = tuple(map(on_wine.windows, nvrtc.include_folders()))

    def read(ptx, *folders_named, folder="Z:\\Users"):
        there = type("There", (on_wine.There,), {"cwd": classmethod(lambda cls: cls(folder))})
        with monkeypatch.context() as patch:
            patch.setattr(nvrtc, "Path", there)
            patch.setattr(nvrtc, "os", SimpleNamespace(path=ntpath))
            patch.setattr(nvrtc, "include_folders", lambda: folders)
            return nvrtc._without_places(ptx, folders_named)

    return read


def as_windows_writes(ptx, folder):
    """PTX with the names of files as NVRTC 12.9 writes them on Windows: what is no path there, as
    it has no drive, behind the current folder; as in C, with bytes that are not ASCII by number."""

    def written(found):
        path = found[2]
        if path == compilers.SOURCE_NAME:
            path = folder + path.removeprefix("/" if folder.endswith("\\") else "")
        elif path.startswith("/"):
            path = on_wine.windows(path)
        else:
            path = ntpath.join(folder, path)
        path = path.replace("\\", "\\\\").encode().decode("latin-1")
        return found[1] + '"' + "".join(c if c < "\x80" else f"\\{ord(c):o}" for c in path) + '"'

    return re.sub(r'(\.file\s+\d+\s+)"([^"]*)"', written, ptx)


@by_nvrtc
@pytest.mark.parametrize("folder", ["Z:\\Users\\Jürgen K\\x", "Z:\\"])
@pytest.mark.parametrize("name", ["a kernel", "one with headers"])
def test_nvrtc_may_put_a_folder_before_the_learner_s_source(name, folder, as_windows):
    ptx, *_ = made("nvrtc", SOURCES[name])
    named, strange = as_windows(as_windows_writes(ptx, folder), folder=folder)
    files = re.findall(r'\.file\s+\d+\s+"(.*)"', named)
    assert compilers.SOURCE_NAME in files and not strange
    assert all(file.startswith("Z:") or "\\" not in file for file in files)


@by_nvrtc
def test_a_file_of_one_s_own_is_named_there_too(as_windows):
    ptx = '\t.file\t1 "Z:\\\\mine\\\\J\\303\\274rgen/own.h"\n'
    assert as_windows(ptx) == (ptx, ("Z:\\mine\\Jürgen/own.h",))
    assert as_windows(ptx, "Z:\\mine") == (ptx, ())


def test_a_caret_of_nvrtc_counts_characters_there_and_bytes_here(monkeypatch):
    source = 'extern "C" __global__ void k(float* y) {\n/* 王 */ y[0] = a;\n}'
    for counts_bytes, blanks in ((True, 19), (False, 17)):
        log = f'{compilers.SOURCE_NAME}(2): error: identifier "a" is undefined\n'
        log += f"  /* 王 */ y[0] = a;\n{' ' * blanks}^\n\n1 error detected.\n"
        monkeypatch.setattr(logs, "_COUNTS_BYTES", counts_bytes)
        (found,) = logs.NvrtcLog(log, source).diagnostics()
        assert found.column == source.splitlines()[1].index("a;")


def test_a_header_has_its_own_name_there_too():
    log = (
        "Z:\\x\\nvidia\\cuda_cccl\\include\\cuda/std/__utility/pair.h(580): error: no operator\n"
        "    return __x;\n           ^\n"
        '          detected during instantiation of "f" at line 3 of /learner/kernel.cu\n\n'
    )
    (found,) = logs.NvrtcLog(log, "\n\n\n\n").diagnostics()
    assert found.line == 3 and found.message.startswith("cuda/std/__utility/pair.h, line 580: ")


@by_nvrtc
def test_a_folder_that_the_code_page_cannot_name_is_told_of(monkeypatch):
    monkeypatch.setattr(nvrtc, "_CODE", "cp1252")
    assert made("nvrtc", SOURCES["a kernel"])
    monkeypatch.setattr(nvrtc, "include_folders", lambda: ("Z:\\王",))
    with pytest.raises(CompilerFailure, match="code page lacks '王'"):
        compilers.COMPILERS["nvrtc"].compile(Job(SOURCES["a kernel"]))
