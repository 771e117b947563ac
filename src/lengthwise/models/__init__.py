"""Networks from tokens to logits."""
