"""Is this log a fair and legal game? Sealed events and their hash chain."""
