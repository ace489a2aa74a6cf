"""Conversations with tools, from values and functions up to `talk`."""
