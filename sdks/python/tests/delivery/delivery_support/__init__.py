"""What the tests of delivery share, also with the processes that they start."""
