"""A suite: scenarios one after the other against one target, and what they come to together.

parts      a suite file: which scenarios, how much of each, and which of them in the quick run
plan       the parts that are played, and whether each can be
record     what is on disk of a suite beside the run folders of its parts
runner     the parts played one after the other against one target
judge      the results of all parts, from disk; what each and all of them come to
"""
