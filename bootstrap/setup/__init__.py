"""What this machine can run, the plan for it, and how a plan is carried out or undone.

request         what was asked: arguments and variables, read once
remembered      what an earlier run was told, that still holds
here            the collaborators of a setup
profiles        machine to profile, and the rows of stages that it takes
selection       `--only` and `--force`
planning        which stages are due, and what stands in the way
setting_up      row by row, each under its lock
preparing       one pin, made ready
uninstalling    what was made, whether it is in use, how it goes
"""
