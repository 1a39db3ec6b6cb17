"""`python -m headgate` is the same as the `headgate` command."""

from headgate.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
