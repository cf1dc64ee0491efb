"""What was seen of a run: options, counters, trace."""
