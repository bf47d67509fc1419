"""Tests of agents in YAML files: reading, checking and measuring them."""
