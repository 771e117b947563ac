"""Networks that read and write texts."""
