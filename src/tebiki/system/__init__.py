"""What the operating system gives, alike on each of them: descriptors and locks on open files."""
