"""Threads that wait for each other: barriers of a block, of a warp, of a cluster."""
