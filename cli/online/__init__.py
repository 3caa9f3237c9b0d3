"""Commands for games over HTTP."""
