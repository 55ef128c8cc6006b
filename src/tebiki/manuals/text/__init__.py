"""What a text is to a search: folded, cut into tokens, the same for sections and questions."""
