"""The SIMT machine: lanes, registers, scheduling, calls, and where threads wait for each other."""
