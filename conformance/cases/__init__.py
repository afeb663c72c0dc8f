"""The compatibility items as cases, grouped as the list groups them.

These modules run inside a published client's virtual environment, never in the harness itself.
"""
