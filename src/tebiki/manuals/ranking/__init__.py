"""How sections are ordered for a question: pure functions over values, no file and no clock."""
