"""The recipe that made the embedded model: data, training, evaluation, export."""
