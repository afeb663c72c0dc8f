"""The parts of `conformance/hooks.py`."""
