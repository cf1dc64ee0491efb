"""What goes wrong between threads, and how it is told."""
