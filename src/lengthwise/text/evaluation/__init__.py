"""Perplexity, translations and BLEU."""
