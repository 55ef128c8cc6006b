"""Plain values that every room may know, and how text from elsewhere becomes one."""
