"""The parts of the first-memory run: installed package, `reflect dev`, browser, getting-started page."""
