"""The programs that use the server: where each keeps its servers, and how one is put there."""
