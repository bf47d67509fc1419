"""Hostile input for everything that reads what others wrote.

`python -m tests.fuzzing --seconds 60` gives every target its share of a minute; `--help` tells the rest. A module here that has
`TARGETS` offers them. What was found once is kept in `regressions/<target>/` and tried by
`test_regressions.py` in every run of the tests.
"""
