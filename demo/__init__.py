"""The server at work, for a person to watch: `make demo`."""
