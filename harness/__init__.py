"""Measures and judges any OpenAI-shaped chat server over HTTP; knows no server from within."""
