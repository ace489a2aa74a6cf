"""Makes a machine ready to run a pinned runtime and model; standard library only.

    cli/        the command line: `python -m bootstrap`, and what it prints
    setup/      what this machine can run, the plan, and how it is carried out or removed
    machine/    which machine this is, what it lacks, whether there is room
    running/    stages with stamps, locks, commands, signals: work that is done once, and gone on
                with after a kill
    pinning/    what is pinned, and whether the files are what their pin says
    fetching/   a published model, and uv, from the web: whole, and the right ones
    python/     the environment of a Python worker
    native/     a native worker: its source, its patch, its build
    serving/    the environment of the server, the web page, what the launcher starts

    pins.toml       every runtime, model, tool and pin, with the reason
    gates/          policies of `muse-bench gate`: what is measured of two pins, with which margins
    requirements/   what the server's environment installs, locked by hash
    setup.sh        finds a Python or brings one, and hands over to `python -m bootstrap`
    layout.py       where things are
    errors.py       everything that can stop it
    nano/           the recipe of the model that ships: no part of this package's own work

Each package says in its `__init__` which file answers what.
"""
