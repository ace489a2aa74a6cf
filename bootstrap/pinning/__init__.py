"""What is pinned, and are the files what their pin says?

pins            values: runtimes, models, tools, pins
pins_file       a file of them: what it says, or what is wrong in it
choosing        the pin that a text such as `embedded,threads=2` asks for
model_folder    a model that is pinned by nothing but its folder
digest          everything that a pin says, in one hash
platforms       on which machines a runtime can be made
verification    are the files what their pin says?
recorded        what files whose hash no pin knows turned out to be
description     a pin as JSON, and what the playground is started with
"""
