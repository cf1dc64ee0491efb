"""The calculator of occupancy under its older name, which notebooks that were handed out import."""

from .limits import occupancy as occupancy
