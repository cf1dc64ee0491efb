"""CUDA's headers and libdevice where NVIDIA makes no wheels for the system (macOS, Windows on Arm).

They are the same files on every system, so they are taken out of the wheels for Linux, once for
each user: fetched from a package index, checked against the SHA-256 sums below, kept beside the
cache of programs. None of them ships with the course: NVIDIA's licence, which is kept with them,
lets anybody hand on libdevice and cuda_fp16.h, but neither cooperative groups nor bfloat16.
"""

from __future__ import annotations

import hashlib
import tempfile
import zipfile
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urljoin, urlsplit

from ..disk_cache import cache_home
from ..errors import CourseError, unless

if TYPE_CHECKING:
    import httpx


@dataclass(frozen=True)
class Wheel:
    """A file of a project's page in an index, its SHA-256, and what is taken out of it."""

    project: str
    file: str
    sha256: str
    taken: tuple[str, ...]


_CUDA = "nvidia/cuda_"
WHEELS = (
    Wheel(
        "nvidia-cuda-cccl-cu12",
        "nvidia_cuda_cccl_cu12-12.9.27-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl",
        "37869e17ce2e1ecec6eddf1927cca0f8c34e64fd848d40453df559091e2d7117",
        (f"{_CUDA}cccl/include/", "nvidia_cuda_cccl_cu12-12.9.27.dist-info/License.txt"),
    ),
    Wheel(
        "nvidia-cuda-runtime-cu12",
        "nvidia_cuda_runtime_cu12-12.9.79-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl",
        "25bba2dfb01d48a9b59ca474a1ac43c6ebf7011f1b0b8cc44f54eb6ac48a96c3",
        (f"{_CUDA}runtime/include/", "nvidia_cuda_runtime_cu12-12.9.79.dist-info/licenses/"),
    ),
    Wheel(
        "nvidia-cuda-nvcc-cu12",
        "nvidia_cuda_nvcc_cu12-12.9.86-py3-none-manylinux2010_x86_64.manylinux_2_12_x86_64.whl",
        "5d6a0d32fdc7ea39917c20065614ae93add6f577d840233237ff08e9a38f58f0",
        (f"{_CUDA}nvcc/nvvm/libdevice/", "nvidia_cuda_nvcc_cu12-12.9.86.dist-info/licenses/"),
    ),
)
MEGABYTES = 47  # of the three together
_PATIENCE = 60.0  # seconds without a byte


class NotFetched(CourseError):
    """The files could not be fetched, for the reason that is `said`; and what to do."""

    def __init__(self, said: str, remedy: str):
        super().__init__(f"CUDA's headers could not be fetched: {said}. {remedy}")


def folder() -> Path:
    """Where they lie, or would: another version of them lies elsewhere."""
    name = hashlib.sha256("".join(wheel.sha256 for wheel in WHEELS).encode()).hexdigest()[:12]
    return cache_home() / "warpwise-cuda" / name


def here() -> bool:
    return folder().is_dir()


def include_folders() -> tuple[Path, ...]:
    return folder() / f"{_CUDA}cccl/include", folder() / f"{_CUDA}runtime/include"


def libdevice() -> Path:
    return folder() / f"{_CUDA}nvcc/nvvm/libdevice/libdevice.10.bc"


def fetch(index: str, wheels: tuple[Wheel, ...] = WHEELS) -> None:
    """Fetch them from the package index (its "simple" page) at that address, all of them or none.
    NotFetched."""
    place = folder()
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place.parent) as made:
            whole = Path(made) / "whole"
            for wheel in wheels:
                with zipfile.ZipFile(BytesIO(_download(index, wheel))) as archive:
                    archive.extractall(
                        whole, [name for name in archive.namelist() if name.startswith(wheel.taken)]
                    )
            if not here():  # another process may have been quicker
                whole.rename(place)
    except OSError as error:
        raise NotFetched(
            f"they cannot be kept in {place.parent} ({error.strerror or error})", _ELSEWHERE
        ) from error


def _download(index: str, wheel: Wheel) -> bytes:
    import httpx  # here, as it takes its time and is needed once

    host = urlsplit(index).hostname or index
    try:
        with httpx.Client(follow_redirects=True, timeout=_PATIENCE) as client:
            answer = client.get(_found(client, index, wheel)).raise_for_status()
    except httpx.HTTPStatusError as error:
        raise NotFetched(
            f"{host} answered {error.response.status_code} when asked for {wheel.project}", _OTHER
        ) from error
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise NotFetched(
            f"{host} could not be reached ({type(error).__name__})", _OFFLINE
        ) from error
    unless(
        hashlib.sha256(answer.content).hexdigest() == wheel.sha256,
        NotFetched(
            f"what {host} sent as {wheel.file} is not the file that it must be (its SHA-256 is "
            "another)",
            _OTHER,
        ),
    )
    return answer.content


_OFFLINE = "Kernels cannot be compiled until then; when you are online, `grader lab` tries again."
_ELSEWHERE = "Make room there, or name another folder by XDG_CACHE_HOME."
_OTHER = "PIP_INDEX_URL names another package index."


def _found(client: httpx.Client, index: str, wheel: Wheel) -> str:
    """The address of the wheel, from the index's page about its project (PEP 503)."""
    from bs4 import BeautifulSoup  # here, too

    address = f"{index.rstrip('/')}/{wheel.project}/"
    page = client.get(address, headers={"Accept": "text/html"}).raise_for_status()
    links = BeautifulSoup(page.text, "html.parser").find_all("a", href=True)
    urls = (urljoin(str(page.url), str(link["href"])) for link in links)
    named = (url for url in urls if unquote(urlsplit(url).path).endswith(f"/{wheel.file}"))
    return unless(
        next(named, None), NotFetched(f"{urlsplit(index).hostname} has no {wheel.file}", _OTHER)
    )
