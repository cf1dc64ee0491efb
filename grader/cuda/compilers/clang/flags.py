"""clang's flags, among them what NVRTC's options mean in its words."""

from __future__ import annotations

import re

from ...errors import CompileError
from ..headers import PRELUDE
from ..protocol import Job

# The host whose `long` and alignments CUDA's types have, whatever machine compiles.
_HOST = "x86_64-unknown-linux-gnu"
_FIXED = (
    *("-triple", "nvptx64-nvidia-cuda", "-aux-triple", _HOST, "-x", "cuda", "-S"),
    *("-fcuda-is-device", "-fcuda-allow-variadic-functions", "-fdeclspec"),
    *("-U__clang__", "-fgnuc-version=0"),  # CUDA's headers then take it for NVRTC
    *("-target-feature", "+ptx88", "-target-sdk-version=12.9"),
    *("-mrelocation-model", "static", "-fno-threadsafe-statics", "-nostdsysteminc"),
    *("-debug-info-kind=line-directives-only", "-dwarf-version=2", "-fno-dwarf-directory-asm"),
    *("-fdebug-compilation-dir=/", "-main-file-name", "kernel.cu"),
    *("-w", "-ferror-limit", "20", "-fno-caret-diagnostics", "-ftemplate-backtrace-limit=6"),
    *("-fconstexpr-backtrace-limit=4", "-fmacro-backtrace-limit=2"),
    *("-vectorize-loops", "-vectorize-slp"),
    *("-include", "warpwise/cuda.h", "-include", PRELUDE),
)
_FAST = (
    *("-D__USE_FAST_MATH__", "-fdenormal-fp-math-f32=preserve-sign,preserve-sign"),
    *("-mllvm", "-nvptx-prec-divf32=0", "-mllvm", "-nvptx-prec-sqrtf32=0"),
)
_FLUSHED = ("-fdenormal-fp-math-f32=preserve-sign,preserve-sign",)
# What NVRTC's options are in clang's words; the letters may have one dash or two before them.
_OPTIONS = {
    "use_fast_math": _FAST,
    "fmad=false": ("-ffp-contract=off",),
    "fmad=true": (),
    "ftz=true": _FLUSHED,
    "ftz=false": (),
    "prec-div=true": (),
    "prec-div=false": ("-mllvm", "-nvptx-prec-divf32=1"),
    "prec-sqrt=true": (),
    "prec-sqrt=false": ("-mllvm", "-nvptx-prec-sqrtf32=0"),
    "G": ("-O0",),
    "device-debug": ("-O0",),
    **dict.fromkeys(("lineinfo", "generate-line-info", "w", "disable-warnings"), ()),
    **dict.fromkeys(("expt-relaxed-constexpr", "extended-lambda"), ()),  # clang's own way
    "default-device": ("-include", "warpwise/default_device.h"),
    **dict.fromkeys(("rdc=true", "relocatable-device-code=true", "dc"), ("-fgpu-rdc",)),
}
_STANDARD = re.compile(r"-?-std=(c\+\+\d\w)")
_DEFINED = re.compile(r"-[DUI].+")


def flags(job: Job) -> list[str]:
    """All but the places of files. CompileError for an option that clang has no word for."""
    options = [one for option in job.options for one in _translated(option)]
    standard = next(filter(None, map(_standard, reversed(job.options))), "c++17")
    return [
        *_FIXED,
        *("-target-cpu", f"sm_{job.target.partition('_')[2]}", f"-std={standard}"),
        *([] if "-O0" in options else ["-O3"]),
        *([] if "-ffp-contract=off" in options else ["-ffp-contract=fast"]),
        *options,
    ]


def _standard(option: str) -> str:
    found = _STANDARD.fullmatch(option)
    return found[1] if found else ""


def _translated(option: str) -> tuple[str, ...]:
    if _STANDARD.fullmatch(option):
        return ()
    if _DEFINED.fullmatch(option):
        return (option,)
    if (known := _OPTIONS.get(option.lstrip("-"))) is None or not option.startswith("-"):
        raise CompileError(f"The compiler does not know one of its options: {option[:300]}")
    return known
