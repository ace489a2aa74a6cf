"""Races: a turn is stopped at a moment of its life, in some way, over and over.

scenario    what a scenario file of races says
moments     which moments there are; when one has come, and whether a stop has hit it
bodies      what each request of a race sends
pictures    what it shows, made from a number
controls    what the target answers where nothing is stopped
abilities   which cells a target can play, told by what it claims and by its controls
plan        which races are run, in which order
ways        what is done to stop a turn
runner      the races against a target, every request on disk when it has ended
facts       what one race shows: when it was acknowledged, quiet, free
judge       everything that follows from such a run
"""
