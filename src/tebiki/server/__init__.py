"""One client's session: which tool, which call is running, what goes back."""
