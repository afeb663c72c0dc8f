"""The compatibility items as cases, in the groups of the list.

These modules run inside a published client's virtual environment, never in the harness itself.
"""
