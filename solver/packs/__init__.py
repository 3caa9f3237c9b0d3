"""Builders of strategy packs: blueprints, exact flops, quick flops."""
