"""Why a file is not searched, in words for people; `walking.Skipped` has most of the reasons."""

from __future__ import annotations

WORDS = {
    "encoding": "its bytes are no text in an encoding that is known here",
    "permission": "it may not be read",
    "too_large": "it has more than 16 MiB",
    "symlink": "it is a link, and no link is followed",
    "ignored": "it is in a folder that tools keep for themselves, or .tebikiignore leaves it out",
    "special": "it is no regular file",
    "same_name": "another name there reads the same",
    "unusable_name": "its name has marks that nobody could type; rename it",
    "not_indexed": "there is no place for a new state of the index",
    "gone": "it is not there any more",
    "time_budget": "the time was over before it was searched",
    "candidate_cap": "more sections matched than are looked at",
}


def in_words(reason: str) -> str:
    """Tell a person what a reason means, after its name."""
    return f"{reason}: {WORDS[reason]}" if reason in WORDS else reason
