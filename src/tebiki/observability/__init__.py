"""What tebiki tells about itself: logs without any secret, and a ledger of what it spends."""
