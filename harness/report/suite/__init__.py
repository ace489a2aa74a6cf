"""The reports of a suite: tables by group, and the cases that failed with what was expected."""
