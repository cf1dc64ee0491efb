"""How fast: the simulated GPU, the grading of a class, the lessons' kernels on a real GPU."""
