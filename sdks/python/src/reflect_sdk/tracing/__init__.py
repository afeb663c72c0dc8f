"""Runs as blocks of code: `with client.trace(task) as ctx`, and the decorator `reflect_trace`."""
