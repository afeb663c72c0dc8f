"""What the package's documents show, run for real: the programs in `examples/` and the Python of `README.md`."""
