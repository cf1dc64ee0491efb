"""The kinds of exercise: what is handed out of a solution, and how it is told. One file each.

The judge runs all of them alike. What a kind asks beyond a right answer stands in the cases:
budgets, a `Hazard` that must come about, a counter that must come to `Exactly` a number.
"""

from __future__ import annotations

from .breaking import Break
from .bug import Bug
from .cheaper import Cheaper
from .kind import Kind
from .order import Order
from .place import Place
from .write import Write

KINDS: dict[str, type[Kind]] = {
    kind.name: kind for kind in (Write, Order, Place, Break, Cheaper, Bug)
}

__all__ = ["KINDS", "Break", "Bug", "Cheaper", "Kind", "Order", "Place", "Write"]
