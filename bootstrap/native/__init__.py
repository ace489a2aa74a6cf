"""A native worker, from its source to a program that starts.

work           the stages, in their order
environment    what it is built in
source         the pinned commit, with its submodules
patching       the pinned patch, on the pristine tree
build          the pin's commands
probe          program and kernels by hash, and whether it starts
git            git, whatever anybody has configured
xcode          which Xcode builds here
"""
