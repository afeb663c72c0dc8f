"""The delivery checks of the SDKs: every run arrives exactly once, despite failures."""
