"""Small kernels in files, each with its launch as data: tests/broken/*.cu and tests/clean/*.cu.

A broken kernel and its correct twin are one file; the twin is what the macro FIXED selects:

    // data_race on line 12, with line 9: the mistake in words
    // launch: grid=2, block=64, x=ramp(128), out=zeros(128)
    // expect: out = np.roll(x.reshape(2, 64), -1, axis=1)
    // fixed: shared_mem=256                 (only where the mistake is in the launch)

`with line` is the other side of a race. `launch` gives grid, block, shared_mem, cooperative, and
the kernel's arguments in order, in the words of `_WORDS` (`boxes(array, 8, 32)` is a tensor map);
`expect` says what the twin leaves in one of them, computed by NumPy from the arguments as they
were. A clean kernel begins with
`// clean: why one might think otherwise`, and may have `// each: MACRO = value, value`: a version
of it for every value. The kernel bears the name of its file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from grader.cuda import tensor_map

HERE = Path(__file__).parent
_FIRST_LINE = re.compile(r"// (\w+)(?: on line (\d+))?(?:, with line (\d+))?: (.+)")
_FIELD = re.compile(r"// (launch|expect|fixed|each): (.+)")


@dataclass(frozen=True)
class Empty:
    """Memory that nobody has written."""

    shape: int | tuple[int, ...]
    dtype: type = np.float32


@dataclass(frozen=True)
class Boxes:
    """A tensor map of an array, whose boxes have this shape."""

    array: np.ndarray
    box: tuple[int, ...]


_WORDS = {
    "np": np,
    "boxes": lambda array, *box: Boxes(array, box),
    "null": None,
    "empty": Empty,
    "ones": lambda shape, dtype=np.float32: np.ones(shape, dtype),
    "zeros": lambda shape, dtype=np.float32: np.zeros(shape, dtype),
    "ramp": lambda n, dtype=np.float32: np.arange(n, dtype=dtype),
    "noise": lambda n, seed=0: np.random.default_rng(seed).standard_normal(n).astype(np.float32),
    "dice": lambda n, sides=6: np.random.default_rng(1).integers(0, sides, n, np.int32),
    **{name: getattr(np, name) for name in ("int8", "uint8", "int32", "uint32", "int64")},
    **{name: getattr(np, name) for name in ("float16", "float32", "float64")},
}
_HOW = ("grid", "block", "shared_mem", "cooperative")


@dataclass(frozen=True)
class KernelFile:
    """A kernel in one version. `status` is "clean" or that of the error it must get; `line` and
    `other_line` count from 1 in `source`; `macros` (name, value) select the version."""

    path: Path
    source: str
    status: str
    line: int | None
    other_line: int | None
    words: str
    fields: dict[str, str]
    macros: tuple[tuple[str, str], ...] = ()

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def id(self) -> str:
        return "-".join([self.name, *(value.rpartition(":")[2] for _, value in self.macros)])

    @property
    def options(self) -> tuple[str, ...]:
        """What to tell the compiler."""
        return tuple(f"-D{name}={value}" for name, value in self.macros)

    def twin(self) -> KernelFile:
        """The correct version of a broken kernel."""
        return replace(self, status="clean", line=None, macros=(("FIXED", "1"),))

    def launch(self) -> tuple[dict, dict]:
        """How to launch it (grid, block, ...) and fresh arguments by name, in order: NumPy
        arrays and scalars, `Empty`, or None."""
        given = self._value(f"dict({self.fields['launch']})")
        if self.status == "clean" and "fixed" in self.fields:
            given |= self._value(f"dict({self.fields['fixed']})")
        how = {name: given.pop(name) for name in _HOW if name in given}
        return how, given

    def is_right(self, after: dict) -> bool:
        """Whether the arguments are, after a launch, what is to be expected, to rounding."""
        how, before = self.launch()
        name, _, formula = self.fields["expect"].partition(" = ")
        before = {a: one.array if isinstance(one, Boxes) else one for a, one in before.items()}
        expected = np.asarray(self._value(formula, how | before))
        found = after[name].get() if hasattr(after[name], "get") else after[name]
        return np.allclose(found.ravel(), expected.ravel(), rtol=1e-4, atol=1e-4)

    def _value(self, formula: str, names: dict | None = None):
        numbers = {name: int(value) for name, value in self.macros if value.isdigit()}
        return eval(formula, _WORDS | numbers | (names or {}))


def run(kernel: KernelFile, raw_module, empty, to_device=np.copy) -> dict:
    """Launch a kernel on the device of `raw_module`; the arguments as they are afterwards."""
    how, arguments = kernel.launch()
    maps = {name: value for name, value in arguments.items() if isinstance(value, Boxes)}
    arguments |= {name: value.array for name, value in maps.items()}
    for name, value in arguments.items():
        if isinstance(value, Empty):
            arguments[name] = empty(value.shape, value.dtype)
        elif isinstance(value, np.ndarray):
            arguments[name] = to_device(value)
    together = how.pop("cooperative", False)
    module = raw_module(
        code=kernel.source, options=kernel.options, enable_cooperative_groups=together
    )
    function = module.get_function(kernel.name)
    grid, block = (
        side if isinstance(side, tuple) else (side,) for side in (how.pop("grid"), how.pop("block"))
    )
    passed = arguments | {
        name: tensor_map(arguments[name], value.box) for name, value in maps.items()
    }
    function(grid, block, tuple(passed.values()), **how)
    return arguments


def broken() -> list[KernelFile]:
    """Every broken kernel, by name."""
    return _folder("broken")


def said() -> list[KernelFile]:
    """Kernels for messages that no broken kernel gets: docs/messages.md shows them. They have no
    correct twin."""
    return _folder("said")


def clean() -> list[KernelFile]:
    """Every clean kernel by name, in all its versions."""
    return _folder("clean")


def _folder(name: str) -> list[KernelFile]:
    return [kernel for path in sorted((HERE / name).glob("*.cu")) for kernel in _read(path)]


def _read(path: Path) -> list[KernelFile]:
    """The versions of the kernel in a file."""
    source = path.read_text()
    first, *rest = source.splitlines()
    status, line, other_line, words = _FIRST_LINE.fullmatch(first).groups()
    fields = dict(match.groups() for match in map(_FIELD.fullmatch, rest[:4]) if match)
    kernel = KernelFile(
        path, source, status, line and int(line), other_line and int(other_line), words, fields
    )
    if "each" not in fields:
        return [kernel]
    macro, _, values = fields["each"].partition(" = ")
    return [replace(kernel, macros=((macro, value),)) for value in values.split(", ")]
