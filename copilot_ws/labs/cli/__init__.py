"""Command languages as data: trees of keywords and arguments, resolved without a device."""
