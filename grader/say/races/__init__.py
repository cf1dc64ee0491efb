"""What a data race looks like to its author, and what to do about it."""
