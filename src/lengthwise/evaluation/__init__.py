"""Evaluation: scores of any model on any task, without knowledge of architectures."""
