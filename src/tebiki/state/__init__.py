"""What a server remembers between calls, behind one small interface (`store`)."""
