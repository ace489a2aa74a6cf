"""Makes a machine ready to run the playground; standard library only."""
