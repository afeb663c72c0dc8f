"""HTTP transport: one connection pool per process or per event loop."""
