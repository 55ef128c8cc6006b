"""The counters: what each tool is called, what it takes, and one engine call for each."""
