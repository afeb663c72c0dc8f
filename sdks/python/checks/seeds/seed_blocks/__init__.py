"""Extracts the Python blocks of the seed documents, runs them, and checks their effects."""
