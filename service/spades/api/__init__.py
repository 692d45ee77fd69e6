"""HTTP to commands, views to JSON, and nothing else."""

from spades.api.app import create_app

__all__ = ["create_app"]
