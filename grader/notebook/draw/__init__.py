"""Pictures of a run, drawn from what the simulated GPU recorded and nothing else."""

from .lane_exchange import exchange
from .occupancy_figure import occupancy_figure as occupancy
from .owner_map import owners
from .reduction_tree import tree
from .roofline_plot import roofline
from .row_pictures import banks, lanes
from .run_bars import compare, passes
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
