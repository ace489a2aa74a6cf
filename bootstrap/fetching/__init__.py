"""How does a published file get here, whole, and the right one?

fetching      one file, gone on with after whatever stopped it
partial       what is there of it
web           one request for it
transfer      what is told of it on its way
model_work    the stages that have a published model here
manifest      what its manifest.json says
placing       where its files are
uv            uv, and the Python that it brings
"""
