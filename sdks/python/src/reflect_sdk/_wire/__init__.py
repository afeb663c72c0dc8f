"""What is said to the server and what it answers, without any input or output."""
