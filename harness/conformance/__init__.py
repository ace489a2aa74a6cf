"""Conformance: is this a chat server as clients of OpenAI's expect one, rule by rule?

    scenario    what a scenario file of probes says
    rule        what a rule is, and what it finds
    heard       what was asked by a probe and what came, as rules look at it
    rules       the one table of rules: name, level, source, what it asks
    of_head     the judges behind the table, by what they look at: the head of a response,
    of_frames       the frames of a stream and the chunks in them,
    of_turn         a turn as a whole, streamed or not,
    of_refusal      what refuses a request
    runner      the probes against a target, every request on disk when it has ended
    judge       everything that follows from such a run

Nothing but the OpenAI dialect is asked for: no session, and none of the playground's own metrics.
"""
