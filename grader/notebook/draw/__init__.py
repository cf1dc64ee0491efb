"""Pictures of a run, drawn from what the simulated GPU recorded and nothing else.

A picture's module, and matplotlib with it, is imported when the first one is drawn.
"""

from importlib import import_module

_MODULES = {
    "banks": "row_pictures",
    "compare": "run_bars",
    "exchange": "lane_exchange",
    "lanes": "row_pictures",
    "occupancy": "occupancy_figure",
    "owners": "owner_map",
    "passes": "run_bars",
    "roofline": "timing_curves",
    "sectors": "sector_map",
    "tree": "reduction_tree",
}
__all__ = list(_MODULES)


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(
            f"there is no picture called {name!r}; there are: {', '.join(__all__)}"
        )
    return getattr(import_module(f".{_MODULES[name]}", __name__), name)


def __dir__() -> list[str]:
    return __all__
