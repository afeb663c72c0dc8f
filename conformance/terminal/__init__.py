"""The terminal review in a real terminal, and what the server has to say about it afterwards."""
