"""The command line: what is asked of bootstrap, and what it prints.

command      `python -m bootstrap`, its commands and exit codes
setup        no command: set everything up
uninstall    remove it again
pins         what is pinned, and one pin made ready
printing     JSON, the same by every command
"""
