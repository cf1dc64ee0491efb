"""The sentences about a kernel: what is wrong with it, and what to do about that."""
