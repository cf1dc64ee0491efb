"""What runs in the worker's process: it compiles and runs learners' kernels, confined."""
