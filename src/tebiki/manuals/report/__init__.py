"""What a caller is told of a search: rows, claims, conflicts, status, next steps."""
