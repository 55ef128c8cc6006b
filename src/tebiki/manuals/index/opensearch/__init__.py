"""An index on OpenSearch that several servers share; imported only where it is set."""
