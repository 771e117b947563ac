"""Chi et al. (2023), RegularGPT."""
