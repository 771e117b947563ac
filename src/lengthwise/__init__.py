"""What transformers can express, learn, and carry to any length."""
