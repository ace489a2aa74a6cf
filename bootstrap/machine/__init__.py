"""Which machine is this, and what does it lack?

facts        what decides about a profile, as values
asking       what a small command answers
toolchain    every condition of the setup, looked at
room         room on the disks
"""
