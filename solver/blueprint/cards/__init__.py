"""The card abstraction of the blueprint: buckets of hole cards and boards, built or loaded."""
