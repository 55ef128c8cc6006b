"""What tebiki tells about itself: logs on stderr, with every secret removed."""
