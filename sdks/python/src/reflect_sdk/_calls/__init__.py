"""The calls of a client, in groups. Each call is there twice: blocking, and awaitable with the ending `_async`."""
