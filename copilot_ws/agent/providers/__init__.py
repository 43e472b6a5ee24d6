"""The model providers: a table of what differs between them, and a module each for the client that is used."""
