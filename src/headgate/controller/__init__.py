"""Names in, passes out: the loop that keeps nginx equal to the objects, and what it remembers of bad ones."""
