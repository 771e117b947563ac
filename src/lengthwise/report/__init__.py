"""Published beside measured, on one self-contained page."""
