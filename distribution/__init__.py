"""How tebiki reaches people: the one-click bundle, and what is known against what it comes with."""
