from tests.support.postgres import cluster, database, empty_database, postgres_store

__all__ = ["cluster", "database", "empty_database", "postgres_store"]
