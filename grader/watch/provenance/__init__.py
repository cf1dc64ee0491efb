"""Provenance: of which inputs, by which instructions, on which lines, each value was made."""

from .graph import Graph, TooLong
from .observer import Provenance

__all__ = ["Graph", "Provenance", "TooLong"]
