"""Work that is done once, by one process at a time, and gone on with after a kill.

stages          stages, their stamps, what is due
lock            one process at a time
commands        a command, its output in a log
signals         a signal as an error
now_and_then    what goes on for minutes, told in a line every few seconds
sizes           a number of bytes, said
"""
