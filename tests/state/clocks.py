"""Time as a test has it."""


class Clock:
    """A clock that is set by hand."""

    now = 100.0

    def __call__(self) -> float:
        """The time it was set to."""
        return self.now
