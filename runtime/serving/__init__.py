"""Web servers of this machine, and the processes beside them."""
