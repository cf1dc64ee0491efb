"""Which accesses are ordered, and which two that are not meet at one place."""
