"""Repeats, on a checkout of the pinned commit, what README.md says of the patch."""
