"""WASM Postflop and Desktop Postflop: the JSON files of their buttons Export and Import."""
