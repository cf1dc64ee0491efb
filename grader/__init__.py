"""Warpwise: a CUDA course with a grader, on a GPU or on a simulated one."""
