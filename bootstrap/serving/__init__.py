"""What is served: the environment of the server, its page, and what the launcher starts.

environment    the stages that make the server's own environment
page           the web page, by the playground's own builder
profile        what the launcher starts; on a Mac, the file for the Finder
"""
