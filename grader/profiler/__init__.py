"""What a kernel costs, line by line, and small kernels that each show one cost."""
