"""`python -m seqlab` is the command line."""

from seqlab.cli import program

program()
