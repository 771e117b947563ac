"""Tests of trained runs, of every kind of problem: figures, and what made them."""
