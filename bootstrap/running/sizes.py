"""How is a number of bytes said?"""

from __future__ import annotations

__all__ = ["in_words"]

UNITS = ("B", "kB", "MB", "GB", "TB")


def in_words(size: float) -> str:
    """`21.1 GB`: in thousands, as disks and downloads are counted."""
    for unit in UNITS:
        if size < 999.5 or unit == UNITS[-1]:
            break
        size /= 1000
    return f"{size:.0f} {unit}" if unit == "B" or size >= 99.95 else f"{size:.1f} {unit}"
