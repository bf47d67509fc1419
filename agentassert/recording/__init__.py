"""What the recorder keeps while an agent runs, and how that becomes records."""
