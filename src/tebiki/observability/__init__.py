"""What tebiki tells about itself: logs without any secret."""
