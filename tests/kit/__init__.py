"""Helpers of the tests: a scripted model, the server, its clients, and what must always hold."""
