"""The commands about texts."""
