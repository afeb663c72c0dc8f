"""The parts of the fault run of webhooks."""
