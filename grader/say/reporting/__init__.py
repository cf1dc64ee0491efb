"""Findings as sentences: which thread, which line, which element of which array."""
