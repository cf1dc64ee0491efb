"""CUDA's own files that compilers read: CCCL's and the half types' headers, and libdevice.

They are the same on every system. Where NVIDIA has wheels for it they come with these, elsewhere
they are fetched.
"""

from functools import cache
from importlib import metadata
from pathlib import Path

from ..cuda.errors import CompilerFailure
from ..errors import unless
from . import fetched

_LIBDEVICE = "nvidia/cuda_nvcc/nvvm/libdevice/libdevice.10.bc"
_WHEELS = ("nvidia-cuda-cccl-cu12", "nvidia-cuda-runtime-cu12", "nvidia-cuda-nvcc-cu12")


HOW = (
    "`grader lab` fetches CUDA's headers and libdevice once, and `pip install warpwise[clang]` "
    "brings them where NVIDIA makes wheels of them."
)


def identity() -> list[str]:
    """What tells these files from those of another CUDA: the versions of their wheels."""
    return [version(name) for name in _WHEELS] + [fetched.folder().name]


@cache
def include_folders() -> tuple[str, ...]:
    """Folders of CUDA's own headers: cub, thrust and cuda/std (CCCL), cuda_fp16 and friends."""
    found = _of_wheels() or fetched.include_folders()
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
        path = Path(str(metadata.distribution(_WHEELS[2]).locate_file(_LIBDEVICE)))
    except metadata.PackageNotFoundError:
        path = fetched.libdevice()
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
