"""What clang is given: its flags, among them what NVRTC's options mean in its words, and a source,
changed so that clang compiles what NVRTC compiles."""

import re
from collections.abc import Iterable
from itertools import accumulate

from ...cuda.errors import CompileError, Diagnostic
from ...grouped import grouped
from ..compiler import AS_CALLS, DEFAULT_ARCH, Job
from ..logs import NAMES_FILE
from .llvm_text import DOUBT

# With a name so long, clang looks for what it may be a misspelling of for minutes.
_TARGET = (
    *("-triple", "nvptx64-nvidia-cuda", "-target-feature", "+ptx88"),
    *("-mrelocation-model", "static", "-fno-dwarf-directory-asm"),
)
_MIDDLE = (
    *("-vectorize-loops", "-vectorize-slp"),
    *("-mllvm", "-inline-threshold=20000"),  # NVRTC leaves next to no call
)
_FRONT = (
    # The host whose `long` and alignments CUDA's types have, whatever machine compiles.
    *("-aux-triple", "x86_64-unknown-linux-gnu", "-x", "cuda", "-emit-llvm"),
    *("-fcuda-is-device", "-fcuda-allow-variadic-functions", "-fdeclspec"),
    *("-U__clang__", "-fgnuc-version=0"),  # CUDA's headers then take it for NVRTC
    *("-target-sdk-version=12.9", "-fno-threadsafe-statics", "-nostdsysteminc"),
    *("-debug-info-kind=line-directives-only", "-dwarf-version=2"),
    *("-fdebug-compilation-dir=/", "-main-file-name", "kernel.cu"),
    *("-Wno-everything", "-Werror=invalid-pp-token"),  # a quotation mark without its fellow
    "-Werror=c23-extensions",  # #embed, any file's content in a kernel, is not CUDA C++
    *("-Wunused-value", "-Wuninitialized", DOUBT, "-Wtautological-unsigned-zero-compare"),
    *("-Wshift-count-overflow", "-Wdivision-by-zero", "-Warray-bounds", "-Wempty-body"),
    *("-Wreturn-type", "-Wparentheses", "-Wself-assign"),  # what has hardly ever a good reason
    *("-ferror-limit", "20", "-fno-caret-diagnostics", "-ftemplate-backtrace-limit=6"),
    *("-fconstexpr-backtrace-limit=4", "-fmacro-backtrace-limit=2"),
    # What malloc gives is tested and written to, used or not, until it is freed.
    *("-fno-builtin-malloc", "-fno-builtin-free"),
    "-fno-finite-loops",  # one without an end is a mistake to be told, not one to be left out
    *_MIDDLE,
)
# What NVRTC's options are in clang's words; the letters may have one dash or two before them.
_OPTIONS = {
    "use_fast_math": (
        *("-D__USE_FAST_MATH__", "-fdenormal-fp-math-f32=preserve-sign,preserve-sign"),
        *("-mllvm", "-nvptx-prec-divf32=0", "-mllvm", "-nvptx-prec-sqrtf32=0"),
    ),
    "fmad=false": ("-ffp-contract=off",),
    "fmad=true": (),
    "ftz=true": ("-fdenormal-fp-math-f32=preserve-sign,preserve-sign",),
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


def plain(job: Job) -> bool:
    """Whether a job's options leave the language and the prelude as they are without any."""
    return job.target == DEFAULT_ARCH and all(
        _DEFINED.fullmatch(one) and one not in AS_CALLS for one in job.options
    )


def is_debug(job: Job) -> bool:
    """Whether a job asks for a debug build, which is not optimised."""
    return "-O0" in _options(job)


def front(job: Job) -> list[str]:
    """From CUDA C++ to LLVM's language, all but the places of files. CompileError for an option
    that clang has no word for."""
    options = _options(job)
    standards = [found[1] for found in map(_STANDARD.fullmatch, job.options) if found]
    return [
        *(*_target(job), *_FRONT, f"-std={['c++17', *standards][-1]}"),
        *(["-fno-spell-checking"] if re.search(r"\w{1000}", job.source) else []),
        *([] if "-O0" in options else ["-O3"]),
        *([] if "-ffp-contract=off" in options else ["-ffp-contract=fast"]),
        *options,
    ]


def optimiser(job: Job) -> list[str]:
    """From LLVM's language to itself, where `front` was kept from optimising."""
    return [*_target(job), "-x", "ir", "-emit-llvm", *_MIDDLE, *_kept(job)]


def back(job: Job) -> list[str]:
    """From LLVM's language to PTX."""
    return [*_target(job), "-x", "ir", "-S", "-disable-llvm-passes", *_kept(job)]


def _kept(job: Job) -> list[str]:
    """What options mean to LLVM."""
    options = _options(job)
    return [
        "-O0" if "-O0" in options else "-O3",
        *(
            part
            for at, one in enumerate(options)
            if one == "-mllvm"
            for part in options[at : at + 2]
        ),
    ]


def _options(job: Job) -> list[str]:
    """The job's options in clang's words. CompileError for one that it has no word for."""
    options: list[str] = []
    for option in job.options:
        if _DEFINED.fullmatch(option):
            options.append(option)
        elif option.startswith("-") and option.lstrip("-") in _OPTIONS:
            options += _OPTIONS[option.lstrip("-")]
        elif not _STANDARD.fullmatch(option):
            raise CompileError(f"The compiler does not know one of its options: {option[:300]}")
    return options


def _target(job: Job) -> tuple[str, ...]:
    return (*_TARGET, "-target-cpu", f"sm_{job.target.partition('_')[2]}")


# ---- the source ----

_WORD = re.compile(r"(?:\bstatic\s+)?\b__shared__\b(?:\s+static\b)?")
_ALIGNED = re.compile(r"\balignas\b")
_MORE = re.compile(r"\s*(\[[^];]*\]\s*)*(?=[,;])")  # nothing that would be a value
NAME_VARIABLE = "__warpwise_name_"


def without_unroll(source: str, errors: Iterable[Diagnostic]) -> str:
    """`source` without the pragmas that these errors are about. NVRTC ignores `#pragma unroll` in
    front of what is no loop. Each is the last above what its error names; lines stay where they
    are."""
    lines = source.split("\n")
    for error in errors:
        if error.message.endswith("loop to follow '#pragma unroll'"):
            above = (
                n
                for n in range(error.line - 2, -1, -1)
                if re.match(r"\s*(?:#|%:)\s*pragma\s+unroll\b", lines[n])
            )
            if (at := next(above, None)) is not None:
                lines[at] = ""
    return "\n".join(lines)


def with_room(source: str, errors: Iterable[Diagnostic]) -> str:
    """`source` with each variable that these errors are about left as the launch finds it.

    Each is an object in shared memory whose constructor or destructor does something, such as a
    `cuda::barrier`. NVRTC calls neither for what a function declares there, clang refuses the
    variable. So its declaration becomes a type's, and room for that type is declared behind it
    (cuda.h). Lines stay where they are; a variable that is given a value stays refused, as NVRTC
    refuses it.
    """
    starts = [*accumulate((len(line) + 1 for line in source.split("\n")), initial=0)]
    places = {
        starts[error.line - 1] + error.column
        for error in errors
        if error.message == "initialization is not supported for __shared__ variables"
        and error.column is not None
    }
    declared = grouped(  # by where a declaration begins where its names stand
        (max(source.rfind(mark, 0, at) for mark in ";{}") + 1, at) for at in sorted(places)
    )
    for begin in sorted(declared, reverse=True):
        if source.count("{", 0, begin) > source.count("}", 0, begin):  # in a function
            source = _with_room(source, begin, declared[begin])
    return source


def _with_room(source: str, begin: int, places: list[int]) -> str:
    """The same for the declaration that begins there, and the names at these places."""
    end = source.find(";", places[-1]) + 1
    names = [re.compile(r"\w*").match(source, at) for at in places]
    if not end or not all(name and _MORE.match(source, name.end()) for name in names):
        return source
    head = _ALIGNED.sub("__align__", _WORD.sub("typedef", source[begin : places[0]], count=1))
    rest = source[places[0] : end]
    for name in filter(None, reversed(names)):
        at = name.end() - places[0]
        rest = f"{rest[:at]}__type{rest[at:]} WARPWISE_UNCONSTRUCTED({name[0]})"
    return source[:begin] + head + rest + source[end:]


def name_variables(expressions: tuple[str, ...]) -> str:
    """The lines to add below a source so that clang emits these template instances: for each a
    variable that holds its address. The variable's value in PTX is the mangled name."""
    rows = [
        f'extern "C" __device__ __attribute__((used)) const void* const '
        f"{NAME_VARIABLE}{number} = (const void*)(&{expression.removeprefix('&')});\n"
        for number, expression in enumerate(expressions)
    ]
    return "".join([f'# 1 "{NAMES_FILE}"\n', *rows]) if rows else ""
