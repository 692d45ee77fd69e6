"""Runs the pending migrations, one starter at a time."""

from alembic import context

# Any number that nothing else in this database locks; it is held until the connection ends.
STARTERS_LOCK = 7_262_873_311

connection = context.config.attributes["connection"]
connection.exec_driver_sql(f"select pg_advisory_lock({STARTERS_LOCK})")
connection.commit()

# What is pending is read here, after the lock.
context.configure(
    connection=connection,
    transaction_per_migration=True,
    on_version_apply=lambda step, **_: context.config.attributes["applied"].append(
        step.up_revision_id
    ),
)
with context.begin_transaction():
    context.run_migrations()
