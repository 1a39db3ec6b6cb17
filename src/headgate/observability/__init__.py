"""Clocks, counters and log lines: measurements in, metrics and one line per pass out."""
