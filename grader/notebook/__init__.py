"""What a learner meets in JupyterLab."""

from . import draw
from .checking import check, hint, play
from .kernel import Kernel, diff, watch
from .prediction import predict
from .profiling import compare, profile, ptx
from .session import lesson
from .timing import bench
from .warm_up import warmup

__all__ = [
    "Kernel",
    "bench",
    "check",
    "compare",
    "diff",
    "draw",
    "hint",
    "lesson",
    "play",
    "predict",
    "profile",
    "ptx",
    "warmup",
    "watch",
]
