"""CUDA's own files that compilers read: CCCL's and the half types' headers, and libdevice.

They are the same on every system. Where NVIDIA has wheels for it they come with these, elsewhere
they are fetched.
"""

import hashlib
import tempfile
import zipfile
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from io import BytesIO
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

from ..cuda.errors import CompilerFailure
from ..disk_cache import cache_home
from ..errors import CourseError, unless

_LIBDEVICE = "nvidia/cuda_nvcc/nvvm/libdevice/libdevice.10.bc"
_PROJECTS = ("nvidia-cuda-cccl-cu12", "nvidia-cuda-runtime-cu12", "nvidia-cuda-nvcc-cu12")

HOW = (
    "`grader lab` fetches CUDA's headers and libdevice once, and `pip install warpwise[clang]` "
    "brings them where NVIDIA makes wheels of them."
)


def identity() -> list[str]:
    """What tells these files from those of another CUDA: the versions of their wheels."""
    return [version(name) for name in _PROJECTS] + [fetched_folder().name]


@cache
def include_folders() -> tuple[str, ...]:
    """Folders of CUDA's own headers: cub, thrust and cuda/std (CCCL), cuda_fp16 and friends."""
    found = _of_wheels() or fetched_headers()
    unless(
        any(folder.is_dir() for folder in found),
        CompilerFailure(f"CUDA's headers are not here: {HOW}"),
    )
    nested = [folder / "cccl" for folder in found if (folder / "cccl").is_dir()]
    return tuple(dict.fromkeys(str(folder) for folder in (*nested, *found)))


def _of_wheels() -> list[Path]:
    try:
        from cuda.pathfinder import find_nvidia_header_directory
    except ImportError:  # there is none for this system
        return []
    return [
        Path(folder) for folder in map(find_nvidia_header_directory, ("cccl", "cudart")) if folder
    ]


@cache
def libdevice() -> Path:
    """The library of bitcode that holds CUDA's mathematics. CompilerFailure without one."""
    try:
        path = Path(str(metadata.distribution(_PROJECTS[2]).locate_file(_LIBDEVICE)))
    except metadata.PackageNotFoundError:
        path = fetched_folder() / _LIBDEVICE
    unless(path.is_file(), CompilerFailure(f"libdevice is not here: {HOW}"))
    return path


def missing() -> bool:
    """Whether they must be fetched before clang can compile."""
    try:
        return not (include_folders() and libdevice())
    except CompilerFailure:
        return True


def version(name: str) -> str:
    """That of an installed package; empty if there is none of that name."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


# ---- fetched where NVIDIA makes no wheels for the system (macOS, Windows on Arm) ----
#
# They are taken out of the wheels for Linux, once for each user: fetched from a package index,
# checked against the SHA-256 sums below, kept beside the cache of programs. None of them ships with
# the course: NVIDIA's licence, which is kept with them, lets anybody hand on libdevice and
# cuda_fp16.h, but neither cooperative groups nor bfloat16.


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


def fetched_folder() -> Path:
    """Where they lie, or would: another version of them lies elsewhere."""
    name = hashlib.sha256("".join(wheel.sha256 for wheel in WHEELS).encode()).hexdigest()[:12]
    return cache_home() / "warpwise-cuda" / name


def fetched_headers() -> tuple[Path, ...]:
    folder = fetched_folder()
    return folder / f"{_CUDA}cccl/include", folder / f"{_CUDA}runtime/include"


def fetch(index: str, wheels: tuple[Wheel, ...] = WHEELS) -> None:
    """Fetch them from the package index (its "simple" page) at that address, all of them or none.
    NotFetched."""
    place = fetched_folder()
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place.parent) as made:
            whole = Path(made) / "whole"
            for wheel in wheels:
                with zipfile.ZipFile(BytesIO(_download(index, wheel))) as archive:
                    archive.extractall(
                        whole, [name for name in archive.namelist() if name.startswith(wheel.taken)]
                    )
            if not place.is_dir():  # another process may have been quicker
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
            page = client.get(
                f"{index.rstrip('/')}/{wheel.project}/", headers={"Accept": "text/html"}
            ).raise_for_status()
            address = unless(
                _found(page.text, str(page.url), wheel),
                NotFetched(f"{host} has no {wheel.file}", _OTHER),
            )
            answer = client.get(address).raise_for_status()
    except httpx.HTTPStatusError as error:
        raise NotFetched(
            f"{host} answered {error.response.status_code} when asked for {wheel.project}", _OTHER
        ) from error
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise NotFetched(
            f"{host} could not be reached ({type(error).__name__})",
            "Kernels cannot be compiled until then; when you are online, `grader lab` tries again.",
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


_ELSEWHERE = "Make room there, or name another folder by XDG_CACHE_HOME."
_OTHER = "PIP_INDEX_URL names another package index."


def _found(page: str, url: str, wheel: Wheel) -> str | None:
    """The address of the wheel, from the index's page about its project (PEP 503), which has that
    `url`; None if it is not there."""
    from bs4 import BeautifulSoup  # here, too

    addresses = (
        urljoin(url, str(link["href"]))
        for link in BeautifulSoup(page, "html.parser").find_all("a", href=True)
    )
    return next(
        (one for one in addresses if unquote(urlsplit(one).path).endswith(f"/{wheel.file}")), None
    )
