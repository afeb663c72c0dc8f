"""What somebody has who has just installed the package: environment, server, browser, and a page."""
