#!/bin/sh
# Starts our player as ACPC entrants are started: ./startme.sh HOST PORT [POSITION] [options of `hedgehog play`]
# The official benchmark server names the position of the player; the player learns it from the dealer.
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
hedgehog=$here/.venv/bin/hedgehog
[ -x "$hedgehog" ] || hedgehog=hedgehog
case ${3-} in
    '' | *[!0-9]*) ;;
    *) host=$1 port=$2; shift 3; set -- "$host" "$port" "$@" ;;
esac
exec "$hedgehog" play "$@"
