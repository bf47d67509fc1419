"""Trajectory snapshots: what an agent did, kept in a file that people can review, and compared with what it does now."""
