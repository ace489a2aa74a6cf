"""What the model can do besides remembering: one module a family, each `rng -> Exchange`."""
