"""CUDA's headers where no wheel brings them: fetched once, checked, or one sentence. Everything is
served from this machine."""

import hashlib
import os
import re
import subprocess
import sys
import threading
import zipfile
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from typer.testing import CliRunner

from grader import compilers
from grader.cli.app import app
from grader.compilers import cuda_files
from grader.learner import start_page

ROOT = Path(__file__).parents[2]


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture
def index(tmp_path):
    """The address of an index, and the folder that it serves."""
    served = tmp_path / "served"
    (served / "files").mkdir(parents=True)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(served)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/simple", served
    server.shutdown()
    server.server_close()


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def publish(served: Path, wheel: cuda_files.Wheel, contents: dict[str, bytes]) -> cuda_files.Wheel:
    """Put a wheel with these contents into the index; as it must be asked for."""
    path = served / "files" / wheel.file
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in contents.items():
            archive.writestr(name, content)
    page = served / "simple" / wheel.project / "index.html"
    page.parent.mkdir(parents=True)
    link = f'<a href="/files/{wheel.file}#sha256=0">{wheel.file}</a>'
    page.write_text(f'<a href="/files/other.whl">other</a> {link}')
    return replace(wheel, sha256=hashlib.sha256(path.read_bytes()).hexdigest())


def small(served: Path) -> tuple[cuda_files.Wheel, ...]:
    """Wheels under the real ones' names with next to nothing in them."""
    return tuple(
        publish(served, wheel, {wheel.taken[0] + "one.h": b"// 1", "bin/ptxas": b"not this"})
        for wheel in cuda_files.WHEELS
    )


def test_what_is_needed_is_taken_out_of_the_wheels_and_nothing_else(index):
    address, served = index
    assert not cuda_files.fetched_folder().is_dir()
    cuda_files.fetch(address + "/", small(served))
    assert cuda_files.fetched_folder().is_dir()
    files = [path for path in cuda_files.fetched_folder().rglob("*") if path.is_file()]
    assert {path.name for path in files} == {"one.h"} and len(files) == 3
    assert all((folder / "one.h").is_file() for folder in cuda_files.fetched_headers())
    assert [path.name for path in cuda_files.fetched_folder().parent.iterdir()] == [
        cuda_files.fetched_folder().name
    ]


def test_a_file_that_is_not_the_one_that_was_pinned_is_not_kept(index):
    address, served = index
    first, *rest = small(served)
    changed = (first, replace(rest[0], sha256="0" * 64))
    with pytest.raises(cuda_files.NotFetched, match="SHA-256 is another"):
        cuda_files.fetch(address, changed)
    assert (
        not cuda_files.fetched_folder().is_dir()
        and list(cuda_files.fetched_folder().parent.iterdir()) == []
    )


def test_offline_is_one_sentence_that_says_what_happens_next(index):
    address, _ = index
    gone = re.sub(r":\d+/", ":1/", address)
    with pytest.raises(cuda_files.NotFetched) as error:
        cuda_files.fetch(gone)
    said = str(error.value)
    assert "could not be reached" in said and "`grader lab` tries again" in said
    assert "\n" not in said and not cuda_files.fetched_folder().is_dir()


def test_a_folder_that_cannot_be_written_is_named_and_the_index_not_blamed(
    index, tmp_path, monkeypatch
):
    address, served = index
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(cuda_files.NotFetched, match=r"cannot be kept in .*file.*XDG_CACHE_HOME"):
        cuda_files.fetch(address, small(served))


@pytest.mark.parametrize("there", [False, True])
def test_an_index_without_the_file_is_named(index, there):
    address, served = index
    if there:
        publish(served, replace(cuda_files.WHEELS[0], file="another.whl"), {})
    with pytest.raises(
        cuda_files.NotFetched, match=r"127\.0\.0\.1 (has no|answered 404).*PIP_INDEX"
    ):
        cuda_files.fetch(address)


def test_the_files_are_of_the_versions_that_the_course_is_tested_with():
    pinned = (ROOT / "constraints.txt").read_text().splitlines()
    for wheel in cuda_files.WHEELS:
        assert f"{wheel.project}=={wheel.file.split('-')[1]}" in pinned


def test_each_licence_is_kept_with_what_it_is_about():
    assert all(any("icense" in part for part in wheel.taken) for wheel in cuda_files.WHEELS)


def test_grader_lab_fetches_them_once_and_opens_offline_too(index, tmp_path, monkeypatch):
    address, served = index
    monkeypatch.setenv(compilers.CHOICE, "clang")
    monkeypatch.setenv("PIP_INDEX_URL", re.sub(r":\d+/", ":1/", address))
    monkeypatch.setattr(cuda_files, "missing", lambda: not cuda_files.fetched_folder().is_dir())

    def lab():
        done = CliRunner().invoke(app, ["lab", str(tmp_path / "mine"), "--no-open"])
        assert done.exit_code == 0
        return done

    assert "could not be reached" in lab().stderr
    monkeypatch.setenv("PIP_INDEX_URL", address)
    monkeypatch.setattr(cuda_files.fetch, "__defaults__", (small(served),))
    assert "Fetching CUDA's headers, 47 MB" in lab().stdout and cuda_files.fetched_folder().is_dir()
    assert "Fetching" not in lab().stdout


# What a machine does that has clang, and no wheel of NVIDIA's.
KERNEL = """
from grader import compilers
from grader.compilers import cuda_files
cuda_files._of_wheels = list
cuda_files._PROJECTS = ("no-such-wheel",) * 3
SOURCE = '''
#include <cub/cub.cuh>
#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
extern "C" __global__ void k(float* y) { y[0] = sinf(y[1]) + __half2float(__half(2)); }
'''
"""


@pytest.mark.slow
@pytest.mark.skipif(
    not all(one.available() for one in compilers.COMPILERS.values()) or cuda_files.missing(),
    reason="takes the files out of NVIDIA's wheels",
)
def test_clang_compiles_with_what_was_fetched_and_says_what_is_missing_before(index, tmp_path):
    address, served = index
    assert "grader lab" in run(KERNEL + "compilers.compile_ptx(SOURCE)").stderr
    contents = {name: {} for name in ("cccl", "runtime", "nvcc")}
    for folder in cuda_files.include_folders():
        kind = "cccl" if "cccl" in folder else "runtime"
        for path in Path(folder).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                name = f"nvidia/cuda_{kind}/include/{path.relative_to(folder).as_posix()}"
                contents[kind][name] = path.read_bytes()
    bitcode = cuda_files.libdevice()
    contents["nvcc"][f"nvidia/cuda_nvcc/nvvm/libdevice/{bitcode.name}"] = bitcode.read_bytes()
    pairs = zip(cuda_files.WHEELS, contents.values(), strict=True)
    cuda_files.fetch(address, tuple(publish(served, *pair) for pair in pairs))
    compiled = run(KERNEL + "print(compilers.compile_ptx(SOURCE).text)")
    assert ".entry k" in compiled.stdout, compiled.stderr


def run(code: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, compilers.CHOICE: "clang"}
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env)


# --- which index ------------------------------------------------------------------------------

NAMED_BY = ("PIP_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX_URL", "PIP_CONFIG_FILE")


@pytest.fixture
def nowhere(monkeypatch, tmp_path):
    """No configuration of pip's or uv's."""
    for name in NAMED_BY:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(start_page, "_pips_files", lambda: iter([tmp_path / "pip.conf"]))
    return tmp_path / "pip.conf"


def test_the_index_is_the_one_that_pip_is_told_to_use(nowhere, monkeypatch):
    nowhere.write_text("[global]\nindex-url = https://mirror.example/simple\nproxy = 100%\n")
    assert start_page.package_index() == "https://mirror.example/simple"
    monkeypatch.setenv("PIP_INDEX_URL", "https://nearer.example/simple")
    assert start_page.package_index() == "https://nearer.example/simple"


def test_else_it_is_the_one_that_jupyterlab_uses(nowhere):
    assert re.fullmatch(r"https://[^/]+/simple", start_page.package_index())
    nowhere.write_text("no configuration at all")
    assert re.fullmatch(r"https://[^/]+/simple", start_page.package_index())
