"""Measurements that nobody's tests wait for: `python -m bench` prints one table of values, bars and verdicts."""
