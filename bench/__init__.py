"""Measurements of the server beside their yardsticks; `python -m bench` runs them."""
