"""`python -m spades.cli` is the `spades` command."""

from spades.cli import main

main()
