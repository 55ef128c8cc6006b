"""What finds leave behind: answers, traces, what a client has listed, statistics."""
