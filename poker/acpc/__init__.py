"""The texts of the Annual Computer Poker Competition: game definitions, match states, logs."""
