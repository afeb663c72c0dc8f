"""The rounds of the learning loop. They run inside a published client's virtual environment."""
