"""What paid calls cost, and who may spend how much: prices, caps, allowances, and the ledger.

`meter.py` is what an engine holds; `caps.py` says no; `database.py` is what is on disk.
No text of a question or an answer, and no key, ever comes in here.
"""
