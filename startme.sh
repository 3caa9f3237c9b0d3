#!/bin/sh
# Starts our player as ACPC entrants are started: ./startme.sh HOST PORT [options of `hedgehog play`]
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
hedgehog=$here/.venv/bin/hedgehog
[ -x "$hedgehog" ] || hedgehog=hedgehog
exec "$hedgehog" play "$@"
