"""Run each kernel of this folder, broken and correct, and print what the simulated GPU says.

    python tests/async_broken/try_all.py [NAME ...]
"""

import importlib.util
import sys
import time
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

import kernel_files  # noqa: E402

from grader.cuda import simulator  # noqa: E402


def verdict(path: Path, fixed: bool) -> str:
    """One version's verdict: "clean", "wrong_answer", or the error with its message."""
    try:
        right = _file(path, fixed) if path.suffix == ".cu" else _program(path, fixed)
    except Exception as error:
        status = getattr(error, "status", type(error).__name__)
        return f"{status} ({type(error).__name__})\n{error}"
    return "clean" if right else "wrong_answer"


def _file(path: Path, fixed: bool) -> bool:
    (kernel,) = kernel_files._read(path)
    kernel = kernel.twin() if fixed else kernel
    return kernel.is_right(kernel_files.run(kernel, simulator.RawModule, simulator.empty))


def _program(path: Path, fixed: bool) -> bool:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found, expected = module.run(fixed)
    return np.allclose(found, expected)


if __name__ == "__main__":
    paths = [*HERE.glob("*.cu"), *HERE.glob("*.py")]
    for path in sorted(paths):
        if path.name == Path(__file__).name or (sys.argv[1:] and path.stem not in sys.argv[1:]):
            continue
        for fixed in (False, True):
            start = time.perf_counter()
            words = verdict(path, fixed)
            seconds = time.perf_counter() - start
            print(f"== {path.name}, {'fixed' if fixed else 'broken'}, {seconds:.1f} s: {words}\n", flush=True)
