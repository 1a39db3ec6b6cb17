"""End to end: a whole real cluster on this machine, our image in it, installed as a person would. `make e2e` runs it."""
