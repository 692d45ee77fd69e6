"""Holds an embedded server until its input ends: `hold.py DIRECTORY`, prints the server's pid."""

import sys
from pathlib import Path

from spades.store.embedded import Embedded

with Embedded(Path(sys.argv[1])) as server:
    print(server.pid, server.url(), flush=True)
    sys.stdin.read()
