"""What elements of a result are made of, as the worker that has run the kernel tells it."""
