"""Looking at an installation from all sides: findings as values; nothing is repaired or printed."""
