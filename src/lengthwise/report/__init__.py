"""Reports: one self-contained page about runs, with measured results beside published ones."""
