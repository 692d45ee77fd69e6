"""Commands for people and operators."""


def main() -> None:
    """Runs the `spades` command."""
    # Imported only here: a serving process must not meet psycopg before gevent has patched it.
    from spades.cli.commands import run

    run()
