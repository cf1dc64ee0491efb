"""What CUDA has beside kernels, and is not here: said by its name, where a compiler stumbles."""

from __future__ import annotations

import re

from ..cuda.diagnostics import Diagnostic

_CURAND = (
    "the random numbers of cuRAND (`curand_kernel.h`) are not here. Give each thread a generator "
    "of its own that is a few lines long, e.g. a hash of the seed and the thread's index, or fill "
    "an array with random numbers before the launch and pass it"
)
_THRUST = (
    "Thrust is not here: its algorithms and vectors belong to the host, and launch kernels of "
    "their own. Only kernels run here: write the loop, the reduction or the scan yourself, or use "
    "cub's block and warp collectives (`cub/cub.cuh`)"
)
TEXTURES = (
    "textures and surfaces are not here: nothing before the launch can make one. Pass the array as "
    "a pointer to const, and compute the index yourself"
)
_CHILDREN = (
    "a kernel that launches kernels (dynamic parallelism) is not here: only the host launches. "
    "Call a __device__ function, or let the threads of this launch share the work"
)
# What tells it in a compiler's message or in the line that this is about, and what it is.
_SIGNS = (
    (re.compile(r"\bcurand(State|_|Generator|StatePhilox)\w*|curand_kernel\.h"), _CURAND),
    (re.compile(r"\bthrust(::|/)|\"thrust\"|\bthrust\b.*\bnamespace\b"), _THRUST),
    (re.compile(r"\btexture\b(?=\s*<| is not a template)|\btex([123]D|Cubemap)\w*"), TEXTURES),
    (re.compile(r"\bsurface\b(?=\s*<| is not a template)|\bsurf([123]D|Cubemap)\w*"), TEXTURES),
    (re.compile(r"device-side kernel launch|kernel launch from __device__"), _CHILDREN),
)


def named(error: Diagnostic, lines: list[str]) -> Diagnostic:
    """The error, or what it comes from where that is something that is not here."""
    text = f"{error.message}\n{lines[error.line - 1] if lines else ''}"
    for sign, sentence in _SIGNS:
        if sign.search(text):
            return Diagnostic(sentence, error.line)
    return error
