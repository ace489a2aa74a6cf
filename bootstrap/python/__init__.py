"""The environment of a Python worker.

environment    the stages that make it
probing        run in it: what it loads, by version and hash
"""
