"""Spades as a service: games kept as event logs, played over HTTP."""
