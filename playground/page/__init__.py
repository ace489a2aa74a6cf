"""How does the web page get from its sources to a browser?

    sources ──► stamp: have they changed? ──► build, by Vite on Node ──► web/dist ──► files ──► HTTP

Standard library only, but for `files`: a wheel is built before anything is installed.
"""
