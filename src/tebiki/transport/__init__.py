"""Bytes in and out: framing without I/O, and the pumps that own the descriptors."""
