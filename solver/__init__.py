"""Game solving: public trees, the CFR family, best response, card abstraction and the blueprint."""
