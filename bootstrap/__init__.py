"""Makes a machine ready to run a pinned runtime and model; standard library only.

pins.toml        every runtime, model and pin, with the reason
gates/           policies of `muse-bench gate`: what is measured of two pins, and with which margins
pins.py          what they are made of, as values
pins_file.py     a file of them: what it says, or what is wrong in it
choosing.py      the pin that a text such as `embedded,threads=2` asks for
model_folder.py  a model that is pinned by nothing but its folder
digest.py        everything that a pin says, in one hash
verification.py  are the files what their pin says?
fetching.py      a file from the web, gone on with after whatever stopped it, and the right one
partial.py       what is there of a file that is being fetched
web.py           one request for a file
transfer.py      what is told of a file that is on its way
recorded.py      what files whose hash no pin knows turned out to be
model_work.py    the stages that have a published model here
manifest.py      what its manifest.json says
uv.py            uv, and the Python that it brings
layout.py        where things are
stages.py        work in stages that leave stamps: done once, gone on with after a kill
environment.py   the stages that make a Python environment with a runtime
server_environment.py  the stages that make the server's own
requirements/    what that installs, locked by hash, and how it is locked anew
page.py          the web page, by the playground's own builder
profile.py       what the launcher starts; on a Mac, the file for the Finder
setup.sh         finds a Python or brings one, and hands over to `python -m bootstrap`
native_work.py   the stages that make a native worker, in their order:
    native_environment.py, source.py, patching.py, native_build.py, native_probe.py
git.py           git, whatever anybody has configured
platforms.py     on which machines a runtime can be made
xcode.py         which Xcode builds here
now_and_then.py  what goes on for minutes, told in a line every few seconds
probing.py       run in that environment: what it loads, by version and hash
lock.py          one process at a time
commands.py      a command, its output in a log
preparing.py     a pin, made ready
description.py   a pin as JSON, and what the playground is started with
command.py       `python -m bootstrap`, and its commands:
    setup_command.py, uninstall_command.py, pin_commands.py
request.py       what the setup is asked to do, by arguments and variables
profiles.py      what a machine can run, and the rows of stages that takes
machine.py       which machine this is
toolchain.py     what it lacks
asking.py        what a small command answers
room.py          whether the disks have room
selection.py     which stages are meant by --only and --force
planning.py      what would be done, and what is in the way
setting_up.py    a plan, carried out row by row
here.py          what that has to do with on this machine
placing.py       where the files of a model that is fetched are
uninstalling.py  what was made, whether it is in use, and how it is removed
signals.py       how a signal ends what is going on
sizes.py, printing.py  how sizes are said, and JSON is printed
errors.py        everything that can stop it
nano/            the recipe of the model that ships: no part of this package's own work
"""
