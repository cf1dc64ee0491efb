"""What is seen of a launch: findings, without a sentence; counters; a trace; slices; recordings."""
