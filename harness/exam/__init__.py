"""Exams: many prompts, each on its own, answered by one leg or by several.

    cases       one prompt with what a right answer must hold, and the file that holds them
    scenario    what a scenario file of cases says
    plan        which case is sent when, by which leg, and with which body
    runner      a plan against a target, every turn on disk when it has ended
    marking     is an answer right, and did the turn keep the contract of the wire
    rates       how often, and how sure can one be
    goals       what a scenario asks of those rates
    strengths   does a greater strength of reasoning make for more of it
    identity    do two legs say the same
    drafting    what drafting did, summed up
    judge       everything that follows from a run of an exam
    record      what is on disk of it

What a conversation is to `harness.runner` and `harness.judge`, an exam is to the modules here; the
client, the traces, the metrics and the checks of a single turn are the same.
"""
