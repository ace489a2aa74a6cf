"""The playground: a local chat server, its worker process and its embedded model."""
