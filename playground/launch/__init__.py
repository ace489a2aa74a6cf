"""Launching: may we serve on this port, and is nothing left when we are gone?

    places      where lock and state are kept
    instance    what answers on the port: one of ours, something else, nothing
    listener    which process listens there, by name
    processes   a process that is not mistaken for another one, and how it is ended
    lock        one launcher a port; the others wait for it
    state       what a launch has started, on disk, for the next one to clean up
    helpers     a Mac kept awake, a browser opened
    launcher    the story of a launch, from the question to the last trace taken away

None of this happens with `--port 0`, where every server has a port to itself.
"""
