"""`python -m arithmax` is the command line."""

from .cli import main

main()
