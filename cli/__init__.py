"""The `hedgehog` command line; nothing else imports it."""
