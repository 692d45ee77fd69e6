"""A progress bar on standard error, so that standard output stays what was asked for."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import click

T = TypeVar("T")


@contextmanager
def progress(items: Iterable[T], count: int, label: str) -> Iterator[Iterable[T]]:
    """Shows how far the loop over so many items has come, where somebody can see it."""
    with click.progressbar(
        items,
        length=count,
        label=label,
        file=sys.stderr,
        show_pos=True,
        hidden=not sys.stderr.isatty(),
    ) as shown:
        yield shown
