"""What kernels cost: counts per source line, the same counts from Nsight Compute beside them, times
on a GPU, and how fast the simulated GPU is."""
