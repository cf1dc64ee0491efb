"""`grader doctor`: what of the course's needs this machine has, and how to get the rest."""

import platform
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib import metadata
from importlib.util import find_spec
from itertools import starmap
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

INSTALL = "install the course anew, in an environment of its own: pip install warpwise"


@dataclass(frozen=True)
class MachineCheck:
    """A thing that the course stands on."""

    what: str
    found: str  # what is there, "" when nothing is
    fix: str = INSTALL  # how to get it
    needed: bool = True  # the course does not run without it


def doctor() -> int:
    """Show what this machine lacks, and how to get it."""
    findings = list(examine())
    table = Table("what", "", "found, or how to get it")
    for finding in findings:
        state = (
            Text("✓ found", "green")
            if finding.found
            else Text("✗ missing", "red")
            if finding.needed
            else Text("- none", "dim")
        )
        table.add_row(finding.what, state, Text(finding.found or finding.fix))
    Console().print(table)
    return 1 if any(finding.needed and not finding.found for finding in findings) else 0


def examine() -> Iterator[MachineCheck]:
    """Everything the course stands on, from the bottom up."""
    yield MachineCheck(
        "Python",
        platform.python_version() if sys.version_info >= (3, 11) else "",
        "install Python 3.11 or newer",
    )
    of_nbgrader = (
        *(
            (
                f"nbgrader {name}",
                partial(_server_extension, name),
                f"jupyter server extension enable --sys-prefix nbgrader.server_extensions.{name}",
            )
            for name in ("formgrader", "assignment_list", "course_list", "validate_assignment")
        ),
        (
            "nbgrader in JupyterLab",
            _lab_extension,
            "jupyter labextension enable @jupyter/nbgrader, or reinstall nbgrader",
        ),
    )
    yield from starmap(
        _attempt,
        (
            ("CUDA compiler", _compiler),
            ("CUDA headers", _headers),
            (
                "Judge's own process",
                _sandbox,
                "install the course into an environment of its own: python -m venv, then pip "
                "install",
            ),
            ("Device", _device, "see whether nvidia-smi works, or set WARPWISE_DEVICE=simulator"),
            ("NVIDIA driver", _driver, "needs a GPU; all lessons run without", False),
            ("JupyterLab", partial(metadata.version, "jupyterlab")),
            (
                "nbgrader",
                partial(metadata.version, "nbgrader"),
                'for instructors: pip install "warpwise[classroom]"',
                False,
            ),
            *(of_nbgrader if find_spec("nbgrader") else ()),
        ),
    )


def _attempt(
    what: str, look: Callable[[], str], fix: str = INSTALL, needed: bool = True
) -> MachineCheck:
    """Whatever goes wrong while looking is an answer too: it is missing, and this is why."""
    try:
        return MachineCheck(what, look(), fix, needed)
    except Exception as error:
        return MachineCheck(what, "", f"{fix} ({type(error).__name__}: {error})", needed)


def _compiler() -> str:
    from .. import compilers

    compilers.compile_ptx('extern "C" __global__ void doctor() {}')
    name = {"nvrtc": "NVRTC", "clang": "clang, by ziglang"}[compilers.chosen_name()]
    return f"{name} {'.'.join(map(str, compilers.chosen().version()))}"


def _headers() -> str:
    from .. import compilers

    names = ("cub/cub.cuh", "cooperative_groups.h", "cuda_fp16.h")
    compilers.compile_ptx("".join(f"#include <{name}>\n" for name in names))
    return ", ".join(names)


def _sandbox() -> str:
    from ..judge import Limits
    from ..judge.protocol import Failed
    from ..judge.sandbox import landlock
    from ..judge.session import Session

    with Session('extern "C" __global__ void doctor() {}', Limits()) as session:
        tried = session.compiled()
    if isinstance(tried, Failed):
        raise RuntimeError(tried.message)
    return (
        f"Landlock {known} keeps it from files"
        if (known := landlock.version())
        else "for your own kernels; others' are graded with Landlock alone (Linux 5.13 or newer)"
    )


def _device() -> str:
    from .. import cuda

    if cuda.device == "simulator":
        return "simulated GPU"
    from cupy.cuda import runtime

    return str(runtime.getDeviceProperties(0)["name"], "utf-8")


def _driver() -> str:
    from cupy.cuda import runtime

    version = runtime.driverGetVersion()  # 12040 for CUDA 12.4; 0 without a driver
    return f"for CUDA up to {version // 1000}.{version % 1000 // 10}" if version else ""


def _server_extension(name: str) -> str:
    from jupyter_core.paths import jupyter_config_path
    from jupyter_server.extension.config import ExtensionConfigManager

    enabled = (
        ExtensionConfigManager(read_config_path=jupyter_config_path())
        .get_jpserver_extensions()
        .get(f"nbgrader.server_extensions.{name}")
    )
    return "enabled" if enabled else ""


def _lab_extension() -> str:
    from jupyter_core.paths import jupyter_path

    folders = [Path(path) / "@jupyter" / "nbgrader" for path in jupyter_path("labextensions")]
    return next((str(folder) for folder in folders if (folder / "package.json").is_file()), "")
