"""The blocks of a cluster that a kernel states with `__cluster_dims__`. clang's own attribute of
that name takes at most 15 and keeps them from the back end; as an annotation, which takes any
constants, they come as far as LLVM's text, where what the back end reads is written beside the
kernel."""

from __future__ import annotations

import re

_NAMED = re.compile(rb'^@(?P<name>[\w.]+) = .* c"warpwise cluster\\00"', re.MULTILINE)  # in cuda.h
_SIZES = re.compile(rb"^@(?P<name>[\w.]+) = [^{\n]*\{[^{}]*\} \{(?P<sizes>[^{}]*)\}", re.MULTILINE)
_ANNOTATION = re.compile(
    rb"\{ ptr @(?P<kernel>[-\w.$]+), ptr @(?P<what>[\w.]+), [^{}]*ptr @(?P<sizes>[\w.]+) \}"
)
_KERNEL = re.compile(rb"^define [^\n]*?@(?P<name>[-\w.$]+)\([^\n]*(?= #\d+[^\n]*\{$)", re.MULTILINE)


def clusters(text: bytes) -> bytes:
    """LLVM's text, each such kernel with its cluster."""
    named = {found["name"] for found in _NAMED.finditer(text)}
    if not named:
        return text
    sizes = {found["name"]: found["sizes"] for found in _SIZES.finditer(text)}
    of_kernels = {
        found["kernel"]: re.findall(rb"i\d+ (\d+)", sizes.get(found["sizes"], b""))
        for found in _ANNOTATION.finditer(text)
        if found["what"] in named
    }

    def stated(kernel: re.Match[bytes]) -> bytes:
        blocks = of_kernels.get(kernel["name"])
        if not blocks:
            return bytes(kernel[0])
        return kernel[0] + b' "nvvm.cluster_dim"="%s"' % b",".join([*blocks, b"1", b"1"][:3])

    return _KERNEL.sub(stated, text)
