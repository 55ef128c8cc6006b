"""How tebiki reaches people besides the wheel: the one-click bundle."""
