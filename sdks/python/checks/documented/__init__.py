"""Runs the documented code: the programs in `examples/` and the Python blocks of `README.md`."""
