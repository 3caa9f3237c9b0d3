"""Looks at strategy packs: training curves, buckets, gains of flop packs, preflop charts."""
