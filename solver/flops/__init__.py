"""Single flops with exact hands: refined from a blueprint, answered by best responses."""
