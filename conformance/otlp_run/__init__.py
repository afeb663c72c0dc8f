"""The parts of `just otlp`."""
