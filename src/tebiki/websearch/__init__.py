"""The search engine: structured results, each one a page that the search really saw."""
