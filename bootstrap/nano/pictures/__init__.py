"""Pictures that the recipe draws, and what can be asked about them."""
