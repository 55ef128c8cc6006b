"""The notes vault, entered by `vault.Vault`: plain Python, no protocol."""
