"""Parts of the first-hour run."""
