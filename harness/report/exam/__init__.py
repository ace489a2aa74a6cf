"""The reports of an exam: tables by group, and the cases that failed with what was expected."""
