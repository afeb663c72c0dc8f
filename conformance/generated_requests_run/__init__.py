"""The parts of `generated_requests.py`."""
