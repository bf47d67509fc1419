"""Rasa's end-to-end test files: read unchanged, held against a running assistant or stored trackers, and reported on."""
