"""Pictures of a run, drawn from what the simulated GPU recorded and nothing else."""

from .bank_map import banks
from .counter_bars import compare
from .lane_exchange import exchange
from .lane_grid import lanes
from .memory_passes import passes
from .occupancy_figure import occupancy_figure as occupancy
from .owner_map import owners
from .reduction_tree import tree
from .roofline_plot import roofline
from .sector_map import sectors

__all__ = [
    "banks",
    "compare",
    "exchange",
    "lanes",
    "occupancy",
    "owners",
    "passes",
    "roofline",
    "sectors",
    "tree",
]
