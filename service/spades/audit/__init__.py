"""Is this log a fair and legal game? The log's format, and every check of it."""
