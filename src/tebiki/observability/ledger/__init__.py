"""The ledger: what each paid call took, what it is likely to cost, and the user's own caps.

`meter.py` is what an engine holds; `file.py` is what is on disk; `budget.py` says no.
No text of a question or an answer, and no key, ever comes in here.
"""
