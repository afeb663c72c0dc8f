"""The terminal review in a real terminal, checked against the server."""
