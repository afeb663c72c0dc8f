"""Finds the Python in the seed documents, runs it, and looks whether it did what it says."""
