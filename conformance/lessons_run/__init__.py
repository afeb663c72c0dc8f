"""The runs of `lessons.py`, and the checks of the lessons that the server learns from them."""
