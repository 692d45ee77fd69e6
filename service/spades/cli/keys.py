"""`spades keys`: who may create games and see their own."""

import click


@click.group()
def keys() -> None:
    """Make, list and revoke platform keys."""
