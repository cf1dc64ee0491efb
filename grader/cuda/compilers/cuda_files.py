"""CUDA's own files that compilers read: CCCL's and the half types' headers, and libdevice.

They are the same on every system. Where NVIDIA has wheels for it they come with these.
"""

from __future__ import annotations

from functools import cache
from importlib import metadata
from pathlib import Path

from ..errors import CompilerFailure

_LIBDEVICE = "nvidia/cuda_nvcc/nvvm/libdevice/libdevice.10.bc"
_WHEELS = ("nvidia-cuda-cccl-cu12", "nvidia-cuda-runtime-cu12", "nvidia-cuda-nvcc-cu12")


def identity() -> list[str]:
    """What tells these files from those of another CUDA: the versions of their wheels."""
    return [_version(name) for name in _WHEELS]


@cache
def include_folders() -> tuple[str, ...]:
    """Folders of CUDA's own headers: cub, thrust and cuda/std (CCCL), cuda_fp16 and friends."""
    from cuda.pathfinder import find_nvidia_header_directory

    folders = [find_nvidia_header_directory(name) for name in ("cccl", "cudart")]
    found = [Path(folder) for folder in folders if folder]
    nested = [folder / "cccl" for folder in found if (folder / "cccl").is_dir()]
    return tuple(dict.fromkeys(str(folder) for folder in (*nested, *found)))


@cache
def libdevice() -> Path:
    """The library of bitcode that holds CUDA's mathematics. CompilerFailure without one."""
    try:
        path = Path(str(metadata.distribution(_WHEELS[2]).locate_file(_LIBDEVICE)))
    except metadata.PackageNotFoundError:
        path = Path()
    if not path.is_file():
        raise CompilerFailure("libdevice is not here: `pip install nvidia-cuda-nvcc-cu12` has it.")
    return path


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""
