"""The process that owns the model: requests in on stdin, tokens out on stdout.

Begin with `messages` (what is said on the two pipes), then `loop` (who answers what) and `turn`
(the life of one generation). `engine` is what a model must be able to do.
"""
