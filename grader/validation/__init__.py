"""Whether the course may be trusted: the simulated GPU beside real hardware, exercises beside
mutants of their solutions."""
