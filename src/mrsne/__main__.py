"""``python -m mrsne`` is the command line."""

from mrsne.cli import main

if __name__ == "__main__":
    main()
