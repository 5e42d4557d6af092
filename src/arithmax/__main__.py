"""`python -m arithmax` is the command line."""

import os
import sys

# `python -m` looks for modules in the current folder first, which may hold somebody's
# results: a file there must not be run because it is named like a library.
if not sys.flags.safe_path and sys.path[:1] in ([""], [os.getcwd()]):
    del sys.path[0]

from .cli import main

main()
