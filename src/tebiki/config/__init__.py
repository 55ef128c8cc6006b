"""Settings: one table, four layers, and for every value the place it came from."""
