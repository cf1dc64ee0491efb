"""What is seen of a run: hazards, and how they are told; counters; a trace."""
