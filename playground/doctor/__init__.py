"""`muse-playground doctor`: what is on this machine, and what of it has to be mended?

    command     the command: looks at everything, prints a table or JSON, exit code
    finding     one thing looked at, how it was, what to do
    patient     what is looked at: settings, machine, and how commands are asked
    machine     system, chip, memory, power
    software    Python and its packages; what the setup made, with its hashes
    serving     profile, model, page, disk, port, leftovers
    trial       the configured worker, started once
    report      findings as a table, and as JSON without names of people and machines
    unproven    what has not been run on a Mac yet

It has to work where other things do not: it is made of the standard library, and a look that fails
is a finding like any other.
"""
