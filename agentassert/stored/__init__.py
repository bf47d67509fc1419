"""The form in which a capture is stored."""
