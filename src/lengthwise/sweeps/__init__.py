"""Sweeps: many runs and their tests, on any number of processes and machines."""
