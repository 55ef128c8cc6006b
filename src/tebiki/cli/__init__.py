"""The command line: arguments in, one engine call, words for a person out."""
