"""The embedded demo model's rules: what is asked, what to do about it, how to say it."""
